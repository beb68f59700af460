/* What small launches touch, remembered by all that it depends on: the kernel, the range, the values of scalars and the
 * buffers' sizes. Programs make the same small launches again and again, thousands in a round and mostly in the same
 * order: so what followed the last one is looked at first. Who uses it: gather.c, one per queue. */
#ifndef YK_SHIM_QUEUE_KNOWN_H
#define YK_SHIM_QUEUE_KNOWN_H

#include "shim/queue/gathered.h"

struct yk_known {
    YK_ARRAY(unsigned char) bytes; /* entries, one after the other */
    uint32_t *slot;                /* a hash table of them */
    size_t nslots, n;
    size_t next; /* byte of the entry behind the last one that was asked for */
};

/** L (of GROUPS work-groups, of kernel M) as a key of at most SIZE bytes into KEY, which is aligned as uint64_t; *N of
 * them, 0: it has more. False: L has values that a merged launch cannot be given. */
bool yk_known_key(const struct yk_launch *l, const struct yk_merged *m, const uint64_t *groups, void *key, size_t size,
                  size_t *n);

/** What was kept for the N bytes of KEY, *ROWS of it; NULL: nothing. Valid until K is used again. K starts zeroed.
 * Thread: one at a time per K. Cost: a comparison, where it is not the next one a hash too. */
const struct yk_known_row *yk_known_find(struct yk_known *k, const void *key, size_t n, size_t *rows);

/** Keep ROW[0 .. ROWS) for KEY, for which there is nothing. May forget all else; without memory nothing is kept. */
void yk_known_add(struct yk_known *k, const void *key, size_t n, const struct yk_known_row *row, size_t rows);
void yk_known_finish(struct yk_known *k);

#endif
