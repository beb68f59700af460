#include "shim/memory/map.h"
#include "base/array.h"
#include "base/least.h"
#include <stdlib.h>
#include <string.h>

static const struct yk_span *spans(const struct yk_map *m)
{
    return m->heap ? m->heap : m->few;
}

static struct yk_span *spans_mut(struct yk_map *m)
{
    return m->heap ? m->heap : m->few;
}

yk_status yk_map_init(struct yk_map *m, uint64_t size, yk_where where)
{
    *m = (struct yk_map){.size = size, .whole = where, .n = size > 0, .cap = YK_MAP_INLINE, .few = {{0, where}}};
    return where ? YK_OK : YK_EINVAL;
}

void yk_map_finish(struct yk_map *m)
{
    free(m->heap);
    *m = (struct yk_map){0};
}

/* Room for NEED spans. False: no memory, nothing changed. */
static bool reserve(struct yk_map *m, size_t need)
{
    if (need <= m->cap)
        return true;
    void *heap = m->heap;
    size_t cap = m->heap ? m->cap : 0;
    if (!yk_array_grow_(&heap, &cap, need, sizeof *m->heap))
        return false;
    if (!m->heap)
        memcpy(heap, m->few, m->n * sizeof *m->few);
    m->heap = heap;
    m->cap = cap;
    return true;
}

/* Index of the span that holds OFF < size. */
static size_t find(const struct yk_map *m, uint64_t off)
{
    const struct yk_span *s = spans(m);
    size_t lo = 0, hi = m->n; /* s[lo].from <= off < s[hi].from */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (s[mid].from <= off)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static uint64_t end_of(const struct yk_map *m, size_t i)
{
    return i + 1 < m->n ? spans(m)[i + 1].from : m->size;
}

static bool in_bounds(const struct yk_map *m, uint64_t off, uint64_t len)
{
    return off <= m->size && len <= m->size - off;
}

/* After each change. */
static void recount(struct yk_map *m)
{
    const struct yk_span *s = spans(m);
    m->changes++;
    m->whole = ~(yk_where)0;
    for (size_t i = 0; i < m->n && m->whole; i++)
        m->whole &= s[i].where;
}

/* Make OFF the beginning of a span (room is there); index of that span. OFF == size: n. */
static size_t split(struct yk_map *m, uint64_t off)
{
    if (off == m->size)
        return m->n;
    size_t i = find(m, off);
    struct yk_span *s = spans_mut(m);
    if (s[i].from == off)
        return i;
    memmove(&s[i + 2], &s[i + 1], (m->n - i - 1) * sizeof *s);
    s[i + 1] = (struct yk_span){off, s[i].where};
    m->n++;
    return i + 1;
}

/* Join equal neighbours among the spans [first - 1, last], where [first, last) has changed. */
static void coalesce(struct yk_map *m, size_t first, size_t last)
{
    struct yk_span *s = spans_mut(m);
    size_t to = YK_MAX(first, (size_t)1), i = to, stop = YK_MIN(last + 1, m->n);
    for (; i < stop; i++)
        if (s[i].where != s[to - 1].where)
            s[to++] = s[i];
    memmove(&s[to], &s[i], (m->n - i) * sizeof *s);
    m->n -= i - to;
}

yk_status yk_map_write(struct yk_map *m, uint64_t off, uint64_t len, unsigned location)
{
    if (!in_bounds(m, off, len) || location >= YK_LOCATIONS)
        return YK_EINVAL;
    if (!len)
        return YK_OK;
    struct yk_span *s = spans_mut(m);
    if (len == m->size) {
        m->changes += m->n != 1 || s[0].where != yk_at(location);
        s[0] = (struct yk_span){0, yk_at(location)};
        m->n = 1;
        m->whole = s[0].where;
        return YK_OK;
    }
    size_t i = find(m, off);
    if (s[i].where == yk_at(location) && off + len <= end_of(m, i))
        return YK_OK; /* the steady state of a loop of launches */
    if (!reserve(m, m->n + 2))
        return YK_ENOMEM;
    size_t first = split(m, off), last = split(m, off + len);
    s = spans_mut(m);
    s[first].where = yk_at(location);
    memmove(&s[first + 1], &s[last], (m->n - last) * sizeof *s);
    m->n -= last - first - 1;
    coalesce(m, first, first + 1);
    recount(m);
    return YK_OK;
}

yk_status yk_map_copy(struct yk_map *m, uint64_t off, uint64_t len, unsigned location)
{
    if (!in_bounds(m, off, len) || location >= YK_LOCATIONS)
        return YK_EINVAL;
    if (yk_map_holds(m, off, len, location))
        return YK_OK;
    if (!reserve(m, m->n + 2))
        return YK_ENOMEM;
    size_t first = split(m, off), last = split(m, off + len);
    struct yk_span *s = spans_mut(m);
    for (size_t i = first; i < last; i++)
        s[i].where |= yk_at(location);
    coalesce(m, first, last);
    recount(m);
    return YK_OK;
}

/* The end of a list that is being made: [FROM, ...) is newest in WHERE. */
static void append(struct yk_span *to, size_t *n, uint64_t from, yk_where where)
{
    if (!*n || to[*n - 1].where != where)
        to[(*n)++] = (struct yk_span){from, where};
}

struct rows {
    uint64_t off, len, pitch, rows;
};

/* M's spans with R's bytes newest at LOCATION, and there only where ALONE, into TO; returns how many. */
static size_t overlay(const struct yk_map *m, const struct rows *r, unsigned location, bool alone, struct yk_span *to)
{
    const struct yk_span *s = spans(m);
    size_t n = 0, i = 0;
    for (uint64_t row = 0; row < r->rows; row++) {
        uint64_t off = r->off + row * r->pitch, end = off + r->len, at;
        for (; i < m->n && s[i].from < off; i++)
            append(to, &n, s[i].from, s[i].where);
        if (i == m->n || s[i].from > off)
            i--; /* the span that holds the row's beginning */
        for (at = off; at < end; at = YK_MIN(end_of(m, i), end), i += at < end)
            append(to, &n, at, alone ? yk_at(location) : s[i].where | yk_at(location));
        if (end_of(m, i) > end)
            append(to, &n, end, s[i].where);
        i++;
    }
    for (; i < m->n; i++)
        append(to, &n, s[i].from, s[i].where);
    return n;
}

/* Is every row of R newest at LOCATION, alone or not, already? The steady state of a loop of launches. */
static bool there(const struct yk_map *m, const struct rows *r, unsigned location, bool alone)
{
    bool is = true;
    size_t near = 0;
    for (uint64_t row = 0; row < r->rows && is; row++) {
        uint64_t off = r->off + row * r->pitch, end;
        for (uint64_t at = off; at < off + r->len && is; at = end) {
            yk_where where = yk_map_find_next(m, at, &near, &end);
            is = alone ? where == yk_at(location) && off + r->len <= end : where >> location & 1;
        }
    }
    return is;
}

static yk_status put_rows(struct yk_map *m, const struct rows *r, unsigned location, bool alone)
{
    uint64_t last;
    if (location >= YK_LOCATIONS)
        return YK_EINVAL;
    if (!r->rows || !r->len)
        return YK_OK;
    if (__builtin_mul_overflow(r->pitch, r->rows - 1, &last) || __builtin_add_overflow(last, r->off, &last) ||
        !in_bounds(m, last, r->len))
        return YK_EINVAL;
    if (r->pitch <= r->len) { /* nothing is between them */
        last += r->len - r->off;
        return alone ? yk_map_write(m, r->off, last, location) : yk_map_copy(m, r->off, last, location);
    }
    if (there(m, r, location, alone))
        return YK_OK;
    void *heap = NULL;
    size_t cap = 0, most; /* a row begins a span and ends one */
    if (__builtin_mul_overflow((size_t)r->rows, (size_t)2, &most) || __builtin_add_overflow(most, m->n, &most) ||
        !yk_array_grow_(&heap, &cap, most, sizeof *m->heap))
        return YK_ENOMEM;
    m->n = overlay(m, r, location, alone, heap);
    free(m->heap);
    m->heap = heap;
    m->cap = cap;
    recount(m);
    return YK_OK;
}

yk_status yk_map_write_rows(struct yk_map *m, uint64_t off, uint64_t len, uint64_t pitch, uint64_t rows,
                            unsigned location)
{
    struct rows r = {off, len, pitch, rows};
    return rows == 1 ? yk_map_write(m, off, len, location) : put_rows(m, &r, location, true);
}

yk_status yk_map_copy_rows(struct yk_map *m, uint64_t off, uint64_t len, uint64_t pitch, uint64_t rows,
                           unsigned location)
{
    struct rows r = {off, len, pitch, rows};
    return rows == 1 ? yk_map_copy(m, off, len, location) : put_rows(m, &r, location, false);
}

yk_status yk_map_drop(struct yk_map *m, unsigned location)
{
    struct yk_span *s = spans_mut(m);
    if (location >= YK_LOCATIONS)
        return YK_EINVAL;
    for (size_t i = 0; i < m->n; i++)
        if (s[i].where == yk_at(location))
            return YK_ENOTFOUND;
    for (size_t i = 0; i < m->n; i++)
        s[i].where &= ~yk_at(location);
    if (m->n)
        coalesce(m, 0, m->n);
    recount(m);
    return YK_OK;
}

bool yk_map_holds(const struct yk_map *m, uint64_t off, uint64_t len, unsigned location)
{
    if (location >= YK_LOCATIONS || !in_bounds(m, off, len))
        return false;
    struct yk_piece p;
    return yk_map_whole(m, location) || !yk_map_missing(m, off, len, location, &p);
}

bool yk_map_missing(const struct yk_map *m, uint64_t off, uint64_t len, unsigned location, struct yk_piece *piece)
{
    if (location >= YK_LOCATIONS || !in_bounds(m, off, len) || !len)
        return false;
    const struct yk_span *s = spans(m);
    uint64_t end = off + len;
    size_t i = find(m, off);
    while (i < m->n && s[i].from < end && s[i].where & yk_at(location))
        i++;
    if (i == m->n || s[i].from >= end)
        return false;
    piece->off = YK_MAX(s[i].from, off);
    piece->have = s[i].where;
    for (i++; i < m->n && s[i].from < end; i++) {
        if (s[i].where & yk_at(location) || !(s[i].where & piece->have))
            break;
        piece->have &= s[i].where;
    }
    uint64_t stop = i < m->n ? s[i].from : end;
    piece->len = YK_MIN(stop, end) - piece->off;
    return true;
}

unsigned yk_where_pick(yk_where have, yk_where prefer)
{
    return (unsigned)__builtin_ctzll(have & prefer ? have & prefer : have);
}

yk_where yk_map_find(const struct yk_map *m, uint64_t off, uint64_t *end)
{
    size_t i = find(m, off);
    *end = end_of(m, i);
    return spans(m)[i].where;
}

yk_where yk_map_find_next(const struct yk_map *m, uint64_t off, size_t *near, uint64_t *end)
{
    enum { FEW = 4 };
    const struct yk_span *s = spans(m);
    size_t i = *near < m->n && s[*near].from <= off ? *near : find(m, off), steps = 0;
    while (end_of(m, i) <= off && steps++ < FEW)
        i++;
    if (end_of(m, i) <= off)
        i = find(m, off);
    *near = i;
    *end = end_of(m, i);
    return s[i].where;
}

bool yk_map_check(const struct yk_map *m)
{
    const struct yk_span *s = spans(m);
    yk_where whole = ~(yk_where)0;
    if ((m->n == 0) != (m->size == 0) || m->n > m->cap || (m->n && s[0].from != 0))
        return false;
    for (size_t i = 0; i < m->n; i++) {
        whole &= s[i].where;
        if (!s[i].where || s[i].from >= m->size)
            return false;
        if (i && (s[i].from <= s[i - 1].from || s[i].where == s[i - 1].where))
            return false;
    }
    return m->n == 0 || whole == m->whole;
}
