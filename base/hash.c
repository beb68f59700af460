#include "base/hash.h"
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#include <xxhash.h>
#pragma GCC diagnostic pop

struct yk_hash yk_hash_bytes(struct yk_hash seed, const void *p, size_t n)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(p, n, seed.lo ^ (seed.hi * 0x9E3779B97F4A7C15u));
    return (struct yk_hash){h.low64, h.high64};
}

struct yk_hash yk_hash_str(struct yk_hash seed, const char *s)
{
    if (!s)
        s = "";
    return yk_hash_bytes(seed, s, strlen(s) + 1);
}

void yk_hash_hex(struct yk_hash h, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
}
