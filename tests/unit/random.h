/* Random numbers of a test: xorshift (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003). */
#ifndef YK_TESTS_UNIT_RANDOM_H
#define YK_TESTS_UNIT_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 1;

static inline void random_begin(uint64_t seed)
{
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
}

static inline uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/** 0 to N - 1. */
static inline unsigned below(unsigned n)
{
    return (unsigned)(random_next() >> 11) % n;
}

#endif
