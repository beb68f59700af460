/* Pseudo-random numbers of the search: xorshift64*, one state per thread or trial, reproducible from the seed. */
#ifndef YK_SOLVER_SEARCH_RNG_H
#define YK_SOLVER_SEARCH_RNG_H

#include <math.h>
#include <stdint.h>

struct rng {
    uint64_t s;
};

static inline struct rng rng_make(uint64_t seed, uint64_t stream)
{
    /* splitmix64's finaliser spreads neighbouring seeds and streams */
    uint64_t z = seed * UINT64_C(0x9E3779B97F4A7C15) + stream * UINT64_C(0xD1342543DE82EF95) + 1;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (struct rng){z ? z : 1};
}
static inline uint64_t rng_next(struct rng *r)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return r->s * UINT64_C(2685821657736338717);
}
/* In [0, n), n > 0 */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}
/* In (0, 1) */
static inline double rng_unit(struct rng *r)
{
    return ((double)(rng_next(r) >> 12) + 0.5) * 0x1p-52;
}
static inline double rng_exponential(struct rng *r)
{
    return -log(rng_unit(r));
}
static inline double rng_gumbel(struct rng *r)
{
    return -log(-log(rng_unit(r)));
}

#endif
