#include "partitioner/levels.h"
#include <string.h>

static struct yk_levels_memory *find(const struct yk_levels *l, uint64_t memory)
{
    for (size_t i = 0; i < l->used; i++)
        if (l->memory.v[i].memory == memory)
            return &l->memory.v[i];
    return NULL;
}

static struct yk_levels_memory *find_or_add(struct yk_levels *l, uint64_t memory)
{
    struct yk_levels_memory *m = find(l, memory);
    if (m)
        return m;
    if (l->used == l->memory.n) {
        struct yk_levels_memory none = {.memory = memory};
        if (!yk_array_push(&l->memory, none))
            return NULL;
    }
    m = &l->memory.v[l->used++];
    m->memory = memory;
    m->span.n = 0;
    return m;
}

/* The first span that ends behind AT. */
static size_t first_behind(const struct yk_levels_memory *m, uint64_t at)
{
    size_t low = 0, high = m->span.n;
    if (high && m->span.v[high - 1].to <= at) /* programs go forward more often than not */
        return high;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (m->span.v[mid].to > at)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* The least level that T allows. */
static unsigned level_for(const struct yk_levels *l, const struct yk_levels_touch *t)
{
    const struct yk_levels_memory *m = find(l, t->memory);
    unsigned before = 0;
    for (size_t i = m ? first_behind(m, t->from) : 0; m && i < m->span.n && m->span.v[i].from < t->to; i++) {
        const struct yk_levels_span *s = &m->span.v[i];
        if (s->wrote > before)
            before = s->wrote;
        if (t->write && s->read > before)
            before = s->read;
    }
    return before + 1;
}

static bool insert(struct yk_levels_memory *m, size_t at, struct yk_levels_span s)
{
    if (!yk_array_reserve(&m->span, m->span.n + 1))
        return false;
    memmove(m->span.v + at + 1, m->span.v + at, (m->span.n - at) * sizeof *m->span.v);
    m->span.v[at] = s;
    m->span.n++;
    return true;
}

/* Let no span lie on both sides of AT. */
static bool split(struct yk_levels_memory *m, uint64_t at)
{
    size_t i = first_behind(m, at);
    if (i == m->span.n || m->span.v[i].from >= at)
        return true;
    struct yk_levels_span left = m->span.v[i];
    left.to = at;
    m->span.v[i].from = at;
    return insert(m, i, left);
}

/* Join neighbours with one history among spans [FROM, TO). */
static void join(struct yk_levels_memory *m, size_t from, size_t to)
{
    size_t kept = from;
    for (size_t i = from + 1; i < to; i++) {
        struct yk_levels_span *a = &m->span.v[kept], *b = &m->span.v[i];
        if (a->to == b->from && a->wrote == b->wrote && a->read == b->read)
            a->to = b->to;
        else
            m->span.v[++kept] = *b;
    }
    if (kept + 1 >= to)
        return;
    memmove(m->span.v + kept + 1, m->span.v + to, (m->span.n - to) * sizeof *m->span.v);
    m->span.n -= to - kept - 1;
}

/* T, behind all that has been touched. */
static bool append(struct yk_levels_memory *m, const struct yk_levels_touch *t, unsigned level)
{
    struct yk_levels_span s = {t->from, t->to, t->write ? level : 0, t->write ? 0 : level};
    struct yk_levels_span *last = m->span.n ? &m->span.v[m->span.n - 1] : NULL;
    if (!last || last->to != s.from || last->wrote != s.wrote || last->read != s.read)
        return yk_array_push(&m->span, s);
    last->to = s.to;
    return true;
}

/* Does T, at LEVEL, read what has been read at no lower one? */
static bool is_read(const struct yk_levels_memory *m, size_t at, const struct yk_levels_touch *t, unsigned level)
{
    const struct yk_levels_span *s = &m->span.v[at];
    return !t->write && s->from <= t->from && s->to >= t->to && s->read >= level;
}

static bool record(struct yk_levels *l, const struct yk_levels_touch *t, unsigned level)
{
    struct yk_levels_memory *m = find_or_add(l, t->memory);
    size_t behind = m ? first_behind(m, t->from) : 0;
    if (m && behind == m->span.n)
        return append(m, t, level);
    if (m && is_read(m, behind, t, level))
        return true;
    if (!m || !split(m, t->from) || !split(m, t->to))
        return false;
    size_t begin = first_behind(m, t->from), i = begin;
    for (uint64_t at = t->from; at < t->to; i++) {
        if (i == m->span.n || m->span.v[i].from > at) { /* nobody has touched what comes next */
            uint64_t to = i < m->span.n && m->span.v[i].from < t->to ? m->span.v[i].from : t->to;
            if (!insert(m, i, (struct yk_levels_span){at, to, 0, 0}))
                return false;
        }
        struct yk_levels_span *s = &m->span.v[i];
        if (t->write) {
            s->wrote = level; /* higher than all before it: whoever comes after those comes after this */
            s->read = 0;
        } else if (s->read < level) {
            s->read = level;
        }
        at = s->to;
    }
    join(m, begin ? begin - 1 : 0, i < m->span.n ? i + 1 : i);
    return true;
}

yk_status yk_levels_add(struct yk_levels *l, const struct yk_levels_touch *touch, size_t n, unsigned *level)
{
    unsigned at = 1;
    for (size_t i = 0; i < n; i++) {
        unsigned least = touch[i].from < touch[i].to ? level_for(l, &touch[i]) : 1;
        at = least > at ? least : at;
    }
    /* Reads first: what one launch both reads and writes counts as written. */
    for (int write = 0; write < 2; write++)
        for (size_t i = 0; i < n; i++)
            if (touch[i].write == (write == 1) && touch[i].from < touch[i].to && !record(l, &touch[i], at))
                return YK_ENOMEM;
    l->top = at > l->top ? at : l->top;
    *level = at;
    return YK_OK;
}

void yk_levels_clear(struct yk_levels *l)
{
    l->used = 0;
    l->top = 0;
}

void yk_levels_finish(struct yk_levels *l)
{
    for (size_t i = 0; i < l->memory.n; i++)
        yk_array_finish(&l->memory.v[i].span);
    yk_array_finish(&l->memory);
    yk_levels_clear(l);
}
