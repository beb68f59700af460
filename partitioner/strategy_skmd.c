/* The partitioner of the SKMD paper (Algorithm 1) as the text of its section III.C means it: all work-groups begin on
 * the fastest device, and each step offloads some of them to the device for which that balances best, until no step
 * makes the whole faster. Kept beside waterfill to compare with.
 *
 * Where the printed listing and the text part, the text is followed:
 * - line 13: OffloadedCnt is 1 before the first step only so that the loop begins; here the loop tests at its end.
 * - line 16: Diff = MAX_VALUE for everyone lets argmax (line 38) pick a device that is no candidate; non-candidates
 * have no factor here.
 * - line 17: the loop includes the base device, for which offloading changes nothing; it is left out.
 * - lines 30: the minimum of the devices' times is no execution time. The text: the maximum, plus the merge cost; the
 *   index range 0..k-1 there is 1..k everywhere else.
 * - line 33: the factor is the difference to the device that is offloaded to; the text has it between the parent's
 *   overall time and that device's time, which is what is used (the base device's own time says nothing while another
 *   device is last).
 * - line 39: reads OffloadingTrial of a candidate, which is stored as TrialCnt (line 32).
 * - PrevExeTime is never updated in the loop; the text compares with the parent node, so it is.
 * - TolerateCnt: trials grow by 2^TolerateCnt; after ten steps without a candidate the walk ends.
 * - Partition granularity is Ceil(TotalWGs / 2048), so that there are at most 2,048 steps of it. */
#include "partitioner/cost.h"
#include <string.h>

enum { STEPS = 2048, TOLERANCE = 10 };

struct walk {
    const struct yk_split *s;
    uint64_t granularity, first; /* of a step; of the first one to a device, which also has to pay for the merge */
    unsigned base;
    double ms; /* of the parent node */
};

/* The least multiple of the granularity whose leaving saves the base device more than its merge costs. */
static uint64_t offset_merge(const struct walk *w)
{
    const struct yk_split *s = w->s;
    double merge = 0, all, rest;
    for (unsigned i = 0; i < s->n; i++)
        if (s->device[i].usable && s->device[i].merge > merge)
            merge = s->device[i].merge;
    yk_split_time(&s->device[w->base], s->total, &all);
    uint64_t low = 1, high = s->total / w->granularity;
    while (low < high) {
        uint64_t mid = (low + high) / 2;
        yk_split_time(&s->device[w->base], s->total - mid * w->granularity, &rest);
        if (all - rest > merge)
            high = mid;
        else
            low = mid + 1;
    }
    return low * w->granularity;
}

/* The child that offloads to the device of the highest balancing factor; false: none is faster than its parent. */
static bool descend(struct walk *w, unsigned tolerated, uint64_t *groups)
{
    const struct yk_split *s = w->s;
    unsigned to = YK_SPLIT_NONE;
    uint64_t most = 0;
    double factor = 0, least = 0, done[YK_SPLIT_MAX], ms;
    for (unsigned i = 0; i < s->n; i++) {
        uint64_t trial = (groups[i] ? w->granularity : w->first) << tolerated;
        if (i == w->base || !s->device[i].usable || trial > groups[w->base])
            continue;
        groups[w->base] -= trial;
        groups[i] += trial;
        if (yk_split_times(s, groups, done, &ms) && ms < w->ms && (to == YK_SPLIT_NONE || w->ms - done[i] > factor)) {
            factor = w->ms - done[i];
            to = i;
            most = trial;
            least = ms;
        }
        groups[w->base] += trial;
        groups[i] -= trial;
    }
    if (to == YK_SPLIT_NONE)
        return false;
    groups[w->base] -= most;
    groups[to] += most;
    w->ms = least;
    return true;
}

void yk_divide_skmd(const struct yk_strategy *strategy, const struct yk_split *split, uint64_t *groups)
{
    struct yk_split_device d[YK_SPLIT_MAX];
    struct yk_split s = *split;
    struct walk w = {.s = &s};
    (void)strategy;
    if (!yk_split_presume(split, d)) {
        struct yk_strategy even;
        if (yk_strategy_parse("even", &even, NULL, 0) == YK_OK)
            yk_strategy_divide(&even, split, groups);
        return;
    }
    s.device = d;
    memset(groups, 0, s.n * sizeof *groups);
    yk_split_best_single(&s, &w.base, &w.ms);
    groups[w.base] = s.total;
    uint64_t grain = s.grain ? s.grain : 1, units = s.total / grain;
    w.granularity = (units + STEPS - 1) / STEPS * grain;
    if (units < 2)
        return;
    w.first = offset_merge(&w);
    unsigned steps = 0, tolerated = 0;
    while (tolerated < TOLERANCE && steps < STEPS)
        if (descend(&w, tolerated, groups)) {
            tolerated = 0;
            steps++;
        } else {
            tolerated++;
        }
    /* The remainder by grain lies at the end of the range. */
    uint64_t rest = s.total % grain;
    unsigned last = w.base;
    for (unsigned i = 0; i < s.n; i++)
        last = groups[i] ? i : last;
    if (groups[w.base] >= rest && last != w.base) {
        groups[w.base] -= rest;
        groups[last] += rest;
    }
}
