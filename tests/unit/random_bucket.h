/* Random buckets for tests: any rank, scope, order, number of inputs; made to meet what is rare in real networks too
 * (scalars, summed variables in no table, outputs in no input, one input, no output). Same seed, same bucket. */
#ifndef YK_TESTS_UNIT_RANDOM_BUCKET_H
#define YK_TESTS_UNIT_RANDOM_BUCKET_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/sumproduct.h"

enum { RANDOM_INPUTS = 6, RANDOM_RANK = 32 };

struct random_bucket {
    struct yk_bucket b;
    uint32_t domain[RANDOM_RANK], sum[RANDOM_RANK], var[RANDOM_INPUTS + 1][RANDOM_RANK];
    struct yk_bucket_table input[RANDOM_INPUTS];
    double *value[RANDOM_INPUTS];
};

static inline uint64_t random_next(uint64_t *s)
{
    /* splitmix64 */
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t random_below(uint64_t *s, uint32_t n)
{
    return (uint32_t)(random_next(s) % n);
}

static inline void random_shuffle(uint64_t *s, uint32_t *v, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = random_below(s, i), t = v[i - 1];
        v[i - 1] = v[j];
        v[j] = t;
    }
}

static inline void random_bucket_finish(struct random_bucket *r)
{
    for (uint32_t i = 0; i < r->b.ninputs; i++)
        free(r->value[i]);
}

/* At most 2^LOG2_STATES joint states. Values are in [0, 1), a tenth of them 0. Aborts without memory. */
static inline void random_bucket_init(struct random_bucket *r, uint64_t seed, double log2_states)
{
    uint64_t s = seed * 0x2545f4914f6cdd1du + 1;
    memset(r, 0, sizeof *r);
    /* Three kinds: many variables of tiny domains, few of large ones, a mixture. */
    uint32_t kind = random_below(&s, 3), want = kind == 1 ? random_below(&s, 7) : random_below(&s, RANDOM_RANK + 1);
    double states = 0, most = log2_states * (0.3 + 0.7 * random_below(&s, 1000) / 999);
    uint32_t rank = 0;
    while (rank < want) {
        uint32_t d = kind == 0 ? 1 + random_below(&s, 2) : kind == 1 ? 1 + random_below(&s, 21) : 2;
        if (kind == 2)
            d = random_below(&s, 4) ? 2 + random_below(&s, 2) : 1 + random_below(&s, 6);
        if (states + log2(d) > most)
            d = 1;
        states += log2(d);
        r->domain[rank++] = d;
    }
    uint32_t order[RANDOM_RANK], nout = 0, nsum = 0;
    for (uint32_t i = 0; i < rank; i++)
        order[i] = i;
    random_shuffle(&s, order, rank);
    uint32_t share = random_below(&s, 5); /* 0: all summed, 4: none */
    for (uint32_t i = 0; i < rank; i++)
        if (random_below(&s, 4) < share)
            r->var[RANDOM_INPUTS][nout++] = order[i];
        else
            r->sum[nsum++] = order[i];
    uint32_t ninputs = 1 + random_below(&s, RANDOM_INPUTS);
    uint32_t in_order = random_below(&s, 2), dense = 1 + random_below(&s, 4);
    for (uint32_t t = 0; t < ninputs; t++) {
        uint32_t n = 0;
        size_t cells = 1;
        for (uint32_t i = 0; i < rank; i++)
            if (random_below(&s, 5) < dense || (t == i % ninputs && random_below(&s, 20))) {
                r->var[t][n++] = i;
                cells *= r->domain[i];
            }
        if (!in_order)
            random_shuffle(&s, r->var[t], n);
        r->input[t] = (struct yk_bucket_table){n, r->var[t], cells};
        if (!(r->value[t] = malloc(cells * sizeof(double))))
            abort();
        for (size_t i = 0; i < cells; i++)
            r->value[t][i] = random_below(&s, 10) ? (double)(random_next(&s) >> 11) * 0x1p-53 : 0;
    }
    if (in_order && nout && random_below(&s, 4)) {
        /* One global order, as the papers have it: outputs as in the inputs. */
        nout = 0;
        for (uint32_t i = 0; i < rank; i++) {
            uint32_t summed = 0;
            for (uint32_t k = 0; k < nsum; k++)
                summed |= r->sum[k] == i;
            if (!summed)
                r->var[RANDOM_INPUTS][nout++] = i;
        }
    }
    size_t cells = 1;
    for (uint32_t i = 0; i < nout; i++)
        cells *= r->domain[r->var[RANDOM_INPUTS][i]];
    r->b = (struct yk_bucket){rank, r->domain, ninputs, r->input, {nout, r->var[RANDOM_INPUTS], cells}, nsum, r->sum};
}

#endif
