/* 128-bit content keys (xxHash's XXH3), as 32 hexadecimal digits. Everyone may use it. Not a security boundary: what is
 * found under a key is checked as untrusted input. */
#ifndef YK_BASE_HASH_H
#define YK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct yk_hash {
    uint64_t lo, hi;
};

/** Hash of N bytes at P, chained onto SEED ({0,0} to start). Thread: any. */
struct yk_hash yk_hash_bytes(struct yk_hash seed, const void *p, size_t n);
/** The same over a string and its terminating NUL, so that "ab","c" differs from "a","bc". NULL counts as "". */
struct yk_hash yk_hash_str(struct yk_hash seed, const char *s);
/** 32 digits and a NUL into OUT. */
void yk_hash_hex(struct yk_hash h, char out[33]);

#endif
