/* The host clock of all yoke's times: CLOCK_MONOTONIC in nanoseconds. Pure modules do not include this. */
#ifndef YK_BASE_CLOCK_H
#define YK_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t yk_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
