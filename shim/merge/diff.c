#include "shim/merge/diff.h"
#include <stdbool.h>
#include <string.h>
#include "base/least.h"

/* The compiler's own vectors, 16 bytes long: every x86-64 and ARM has registers for them, and memory is the limit. */
enum { BLOCK = 64, LANES = 16, COUNT_MOST = 255 / (BLOCK / LANES) };
typedef uint8_t lanes __attribute__((vector_size(LANES)));
typedef uint64_t words __attribute__((vector_size(LANES)));

static inline words load(const unsigned char *p)
{
    words w;
    memcpy(&w, p, sizeof w);
    return w;
}

static inline bool block_differs(const unsigned char *d, const unsigned char *s)
{
    words a = (load(d) ^ load(s)) | (load(d + 16) ^ load(s + 16));
    words b = (load(d + 32) ^ load(s + 32)) | (load(d + 48) ^ load(s + 48));
    a |= b;
    return (a[0] | a[1]) != 0;
}

/* Blend one block of D into M; COUNT (of bytes, per lane) goes up by at most BLOCK / LANES. */
static inline void merge_block(unsigned char *m, const unsigned char *d, const unsigned char *s, lanes *count)
{
    for (unsigned i = 0; i < BLOCK; i += LANES) {
        lanes x, y, z;
        memcpy(&x, d + i, LANES);
        memcpy(&y, s + i, LANES);
        memcpy(&z, m + i, LANES);
        lanes changed = (lanes)(x != y); /* 0xff where they differ */
        z = (x & changed) | (z & ~changed);
        memcpy(m + i, &z, LANES);
        *count -= changed;
    }
}

size_t yk_diff_merge_slow(void *m, const void *d, const void *s, size_t n)
{
    unsigned char *to = m;
    const unsigned char *from = d, *was = s;
    size_t changed = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i] != was[i]) {
            to[i] = from[i];
            changed++;
        }
    return changed;
}

size_t yk_diff_merge(void *m, const void *d, const void *s, size_t n)
{
    unsigned char *to = m;
    const unsigned char *from = d, *was = s;
    size_t changed = 0, i = 0;
    while (n - i >= BLOCK) {
        lanes count = {0};
        for (unsigned k = 0; k < COUNT_MOST && n - i >= BLOCK; i += BLOCK)
            if (block_differs(from + i, was + i)) {
                merge_block(to + i, from + i, was + i, &count);
                k++;
            }
        for (unsigned k = 0; k < LANES; k++)
            changed += count[k];
    }
    return changed + yk_diff_merge_slow(to + i, from + i, was + i, n - i);
}

static bool add_run(struct yk_diff_runs *r, size_t first, size_t off, size_t len, size_t gap)
{
    if (r->run.n > first) {
        struct yk_diff_run *last = &r->run.v[r->run.n - 1];
        size_t apart = off - (last->off + last->len);
        if (apart == 0 || apart < gap) {
            last->len = off + len - last->off;
            return true;
        }
    }
    struct yk_diff_run run = {off, len};
    return yk_array_push(&r->run, run);
}

yk_status yk_diff_find(const void *d, const void *s, size_t n, size_t base, size_t gap, struct yk_diff_runs *r)
{
    const unsigned char *a = d, *b = s;
    size_t first = r->run.n; /* runs of earlier calls are not joined with ours */
    for (size_t i = 0; i < n;) {
        if (n - i >= BLOCK && !block_differs(a + i, b + i)) {
            i += BLOCK;
            continue;
        }
        size_t stop = YK_MIN(i + BLOCK, n);
        while (i < stop) {
            size_t from = i;
            while (i < stop && a[i] != b[i])
                i++;
            if (i > from && !add_run(r, first, base + from, i - from, gap))
                return YK_ENOMEM;
            while (i < stop && a[i] == b[i])
                i++;
        }
    }
    return YK_OK;
}
