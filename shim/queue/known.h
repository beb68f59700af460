/* What small launches of a kernel touch, remembered by all that it depends on: the range, the values of scalars and the
 * buffers' sizes. Programs make the same small launches again and again, thousands in a round. Who uses it: gather.c.
 */
#ifndef YK_SHIM_QUEUE_KNOWN_H
#define YK_SHIM_QUEUE_KNOWN_H

#include "shim/queue/gathered.h"

/** L (of GROUPS work-groups, of kernel F) as a key of at most SIZE bytes into KEY, which is aligned as uint64_t. 0: it
 * has more. */
size_t yk_known_key(const struct yk_launch *l, const struct yk_facts_kernel *f, const uint64_t *groups, void *key,
                    size_t size);

/** What was kept for the N bytes of KEY, *ROWS of it; NULL: nothing. Valid until K is used again. K starts zeroed.
 * Thread: one at a time per K. Cost: a hash and a comparison. */
const struct yk_known_row *yk_known_find(const struct yk_known *k, const void *key, size_t n, size_t *rows);

/** Keep ROW[0 .. ROWS) for KEY, for which there is nothing. May forget all else; without memory nothing is kept. */
void yk_known_add(struct yk_known *k, const void *key, size_t n, const struct yk_known_row *row, size_t rows);
void yk_known_finish(struct yk_known *k);

#endif
