/* Byte difference: how the outputs of several devices become one where it is not known which bytes each has written.
 * Always right for a kernel without races between work-groups: a byte that a device changed is its own, all others are
 * somebody else's. (A device that wrote a byte's old value again need not be heard.) Who calls it: the merge steps of
 * the plan executor. Pure: memory in, memory out; no OpenCL, no lock.
 *
 * S is a snapshot of exactly the bytes the device received, D what it has after its share, M where all shares come
 * together. Any alignment. D and S are read only; M overlaps neither of them, except that M == S is allowed (then S is
 * lost). M's bytes are written back in blocks, also those that do not change: nobody else may write them meanwhile.
 * Thread: any, on ranges of M that are disjoint. */
#ifndef YK_SHIM_MERGE_DIFF_H
#define YK_SHIM_MERGE_DIFF_H

#include <stddef.h>
#include <stdint.h>
#include "base/array.h"
#include "base/status.h"

/** M[i] = D[i] wherever D[i] != S[i], for N bytes. Returns how many bytes that are. Cost: about that of a copy. */
size_t yk_diff_merge(void *m, const void *d, const void *s, size_t n);

/** The same, one byte after the other: what yk_diff_merge is tested against. */
size_t yk_diff_merge_slow(void *m, const void *d, const void *s, size_t n);

/* Changed bytes [off, off + len). */
struct yk_diff_run {
    size_t off, len;
};
struct yk_diff_runs {
    YK_ARRAY(struct yk_diff_run) run;
};

/**
 * Append to R the runs of bytes that differ between D and S, offsets counted from D plus BASE. Runs with fewer than GAP
 * equal bytes between them become one (GAP 0 or 1: exact runs). Joined runs contain unchanged bytes: good to say what
 * to look at or to transfer, not what to write. The caller ends with yk_array_finish(&r->run). Errors: YK_ENOMEM, R
 * holds the runs found so far.
 */
yk_status yk_diff_find(const void *d, const void *s, size_t n, size_t base, size_t gap, struct yk_diff_runs *r);

#endif
