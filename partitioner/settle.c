#include "partitioner/settle.h"
#include <math.h>
#include "partitioner/cost.h"

/* The times of GROUPS in whole grains, with the remainder of the range where it lies: on the last that has a share. */
static double times_with_rest(const struct yk_split *s, uint64_t rest, uint64_t *groups, double *done)
{
    unsigned last = 0;
    double ms = INFINITY;
    for (unsigned i = 0; i < s->n; i++)
        last = groups[i] ? i : last;
    groups[last] += rest;
    yk_split_times(s, groups, done, &ms);
    groups[last] -= rest;
    return ms;
}

struct change {
    unsigned from, to;
    uint64_t groups;
};

void yk_split_settle(const struct yk_split *s, uint64_t rest, uint64_t *groups)
{
    enum { ROUNDS = 24 };
    uint64_t grain = s->grain ? s->grain : 1;
    double done[YK_SPLIT_MAX], times[YK_SPLIT_MAX], ms = times_with_rest(s, rest, groups, done);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned last = 0;
        struct change best = {0, 0, 0};
        double least = ms * (1 - 1e-9);
        for (unsigned i = 1; i < s->n; i++)
            last = done[i] > done[last] ? i : last;
        for (unsigned from = 0; from < s->n; from++) {
            const struct yk_split_device *f = &s->device[from];
            bool linked = f->link && f->link == s->device[last].link;
            if (groups[from] < grain || (from != last && !linked && !(f->merge > 0)))
                continue;
            for (unsigned to = 0; to < s->n; to++)
                for (uint64_t n = grain; n <= groups[from] && to != from && s->device[to].usable;
                     n = n == groups[from]      ? n + 1
                         : 4 * n < groups[from] ? 4 * n
                                                : groups[from]) {
                    groups[from] -= n;
                    groups[to] += n;
                    double other = times_with_rest(s, rest, groups, times);
                    if (other < least) {
                        least = other;
                        best = (struct change){from, to, n};
                    }
                    groups[to] -= n;
                    groups[from] += n;
                }
        }
        if (!best.groups)
            return;
        groups[best.from] -= best.groups;
        groups[best.to] += best.groups;
        ms = times_with_rest(s, rest, groups, done);
    }
}
