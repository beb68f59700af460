#include "partitioner/split_size.h"

/* Times scatter: the best of so many counts, and a candidate that is no good at first is not tried again. What is
 * hardly better than the one to start from is no better. */
enum { TRIES = 3 };
static const double hopeless = 1.1, better = 0.99, bound = 0.8;

struct yk_split_size yk_split_size_start(unsigned first, unsigned most)
{
    struct yk_split_size s = {.n = 1, .most = most};
    s.splits[0] = first < most ? first : most;
    return s;
}

static unsigned best_of(const struct yk_split_size *s)
{
    unsigned best = 0;
    for (unsigned i = 1; i < s->n; i++)
        if (s->best_ms[i] > 0 && s->best_ms[i] < s->best_ms[best] && s->best_ms[i] < better * s->best_ms[0])
            best = i;
    return best;
}

unsigned yk_split_size_next(const struct yk_split_size *s)
{
    return s->splits[s->at < s->n ? s->at : best_of(s)];
}

double yk_split_size_ms(const struct yk_split_size *s)
{
    return s->best_ms[s->at < s->n ? s->at : best_of(s)];
}

static void add(struct yk_split_size *s, unsigned splits)
{
    bool there = splits < 2 || splits > s->most || s->n == YK_SPLIT_SIZES;
    for (unsigned i = 0; i < s->n; i++)
        there |= s->splits[i] == splits;
    if (!there)
        s->splits[s->n++] = splits;
}

/* What else to try, now that the first is known. */
static void choose(struct yk_split_size *s, double copy_ms, double kernel_ms)
{
    unsigned first = s->splits[0];
    bool by_copies = copy_ms >= bound * s->best_ms[0], by_kernel = kernel_ms >= bound * s->best_ms[0];
    if (by_copies || !by_kernel) {
        add(s, first / 2);
        add(s, first / 4);
    }
    if (by_kernel || !by_copies)
        add(s, 2 * first);
}

bool yk_split_size_took(struct yk_split_size *s, unsigned splits, double ms, double copy_ms, double kernel_ms)
{
    if (s->at < s->n && splits == s->splits[s->at]) {
        double *best = &s->best_ms[s->at];
        *best = *best > 0 && *best < ms ? *best : ms;
        if (++s->tries[s->at] == TRIES || (s->at && *best > hopeless * s->best_ms[0])) {
            if (!s->at++)
                choose(s, copy_ms, kernel_ms);
        }
    }
    return s->at >= s->n;
}
