#include "tests/count/cover.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4096 }; /* boxes looked at for one launch */

struct search {
    const struct count_launch *want;
    struct count_launch *box[MOST];
    unsigned n;
    bool used[MOST];
    unsigned taken[MOST], n_taken;
    uint64_t left;
    unsigned long steps;
};

static uint64_t volume(const struct count_launch *l)
{
    return l->global[0] * l->global[1] * l->global[2];
}

static bool overlap(const struct count_launch *a, const struct count_launch *b)
{
    for (int d = 0; d < 3; d++)
        if (a->offset[d] >= b->offset[d] + b->global[d] || b->offset[d] >= a->offset[d] + a->global[d])
            return false;
    return true;
}

/* Inside WANT, and begins and ends where its work-groups do. */
static bool fits(const struct count_launch *want, const struct count_launch *b)
{
    for (int d = 0; d < 3; d++) {
        uint64_t end = b->offset[d] + b->global[d], want_end = want->offset[d] + want->global[d];
        if (b->offset[d] < want->offset[d] || end > want_end)
            return false;
        const uint64_t *local = b->has_local ? b->local : NULL;
        if (want->has_local && (!b->has_local || b->local[d] != want->local[d]))
            return false;
        if (local && ((b->offset[d] - want->offset[d]) % local[d] || (b->global[d] % local[d] && end != want_end)))
            return false;
    }
    return true;
}

static bool free_of_taken(const struct search *s, const struct count_launch *b)
{
    for (unsigned i = 0; i < s->n_taken; i++)
        if (overlap(b, s->box[s->taken[i]]))
            return false;
    return true;
}

static void take(struct search *s, unsigned i)
{
    s->used[i] = true;
    s->taken[s->n_taken++] = i;
    s->left -= volume(s->box[i]);
}

static void put_back(struct search *s)
{
    unsigned i = s->taken[--s->n_taken];
    s->used[i] = false;
    s->left += volume(s->box[i]);
}

/* The order of the log, which is nearly always right. */
static bool greedy(struct search *s)
{
    for (unsigned i = 0; i < s->n && s->left; i++)
        if (volume(s->box[i]) <= s->left && free_of_taken(s, s->box[i]))
            take(s, i);
    if (!s->left)
        return true;
    while (s->n_taken)
        put_back(s);
    return false;
}

/* The first point, in order of z, y, x, that no taken box holds: some box must begin there. */
static void first_gap(const struct search *s, uint64_t at[3])
{
    memcpy(at, s->want->offset, 3 * sizeof *at);
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned i = 0; i < s->n_taken && !moved; i++) {
            const struct count_launch *b = s->box[s->taken[i]];
            bool in = true;
            for (int d = 0; d < 3; d++)
                in = in && at[d] >= b->offset[d] && at[d] < b->offset[d] + b->global[d];
            if (!in)
                continue;
            moved = true;
            at[0] = b->offset[0] + b->global[0];
            for (int d = 0; d < 2 && at[d] == s->want->offset[d] + s->want->global[d]; d++) {
                at[d] = s->want->offset[d];
                at[d + 1]++;
            }
        }
    }
}

static bool backtrack(struct search *s)
{
    if (!s->left)
        return true;
    if (++s->steps > 200000)
        return false;
    uint64_t at[3];
    first_gap(s, at);
    for (unsigned i = 0; i < s->n; i++) {
        const struct count_launch *b = s->box[i];
        if (s->used[i] || memcmp(b->offset, at, sizeof at) != 0 || !free_of_taken(s, b))
            continue;
        take(s, i);
        if (backtrack(s))
            return true;
        put_back(s);
    }
    return false;
}

struct cover_result cover(const struct count_launch *want, struct count_log *split, long number)
{
    static struct search s; /* too large for a stack; countcheck has one thread */
    struct cover_result r = {0};
    memset(&s, 0, sizeof s);
    s.want = want;
    s.left = volume(want);
    unsigned same = 0;
    uint64_t candidates = 0;
    for (size_t i = 0; i < split->launch.n && s.n < MOST; i++) {
        struct count_launch *l = &split->launch.v[i];
        if (l->launch >= 0 || strcmp(l->kernel, want->kernel) != 0)
            continue;
        same++;
        if (!fits(want, l))
            continue;
        candidates += volume(l);
        s.box[s.n++] = l;
    }
    r.ok = greedy(&s) || backtrack(&s);
    if (!r.ok) {
        snprintf(r.why, sizeof r.why,
                 candidates < volume(want)
                     ? "launched boxes leave %lu of %lu work-items out (%u boxes fit, %u of the kernel)"
                     : "no choice of boxes tiles it: %lu of %lu work-items (%u boxes fit, %u of the kernel)",
                 candidates < volume(want) ? (unsigned long)(volume(want) - candidates) : (unsigned long)s.left,
                 (unsigned long)volume(want), s.n, same);
        return r;
    }
    r.boxes = s.n_taken;
    for (unsigned i = 0; i < s.n_taken; i++) {
        struct count_launch *b = s.box[s.taken[i]];
        const uint64_t *local = want->has_local ? want->local : b->has_local ? b->local : NULL;
        uint64_t groups = 1;
        for (int d = 0; d < 3; d++)
            groups *= local ? (b->global[d] + local[d] - 1) / local[d] : b->global[d];
        b->launch = number;
        r.devices += !r.groups[b->device];
        r.groups[b->device] += groups;
        r.total += groups;
    }
    return r;
}
