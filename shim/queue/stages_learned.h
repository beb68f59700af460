/* What the chains of a kernel have shown, in this process and, by the profile database, in others (samples of the kinds
 * `parts`, `apart` and `often`): into how many parts they are best cut (partitioner/split_size.h), by bytes at first;
 * whether several devices carry them out faster than the primary alone; whether there are so many of them that their
 * memory is worth pinning before the first. Who uses it: stages.c. */
#ifndef YK_SHIM_QUEUE_STAGES_LEARNED_H
#define YK_SHIM_QUEUE_STAGES_LEARNED_H

#include "shim/queue/launch.h"

/** Parts for L, for which FIRST would do by its bytes. PINNED: they are moved from and to pinned memory. Thread: any
 * worker; no lock held. Cost: a hash. */
unsigned yk_stages_size(const struct yk_launch *l, unsigned first, bool pinned);

/** L has taken MS in PARTS, with IN and OUT bytes. */
void yk_stages_size_took(const struct yk_launch *l, unsigned parts, bool pinned, double ms, double in, double out);

/** Over several devices of a kind, or on the primary alone? Both are tried on real chains, each a few times, once
 * memory is PINNED or has not been for long; the better one stays, and the profile keeps which. True: over all, if they
 * are ready. Thread: any; cheap. */
bool yk_stages_apart_next(const struct yk_launch *l, bool pinned);

/** May that be, as far as is known? Then others of the kind are of use for what its transfers take, too. */
bool yk_stages_apart_hopeful(const struct yk_launch *l);

/** Such a chain took MS, APART or not: how many it took less than on the primary alone, as far as that is known. */
double yk_stages_apart_took(const struct yk_launch *l, bool pinned, bool apart, double ms);

/** L is about to be carried out, of memory that is not pinned. Is that worth pinning at once, since earlier processes
 * made as many such chains as repay it? One that then makes fewer leaves half of their number behind. Thread: any
 * worker; no lock held. Cost: two hashes. */
bool yk_stages_often(const struct yk_launch *l);

/** L has taken MS, of pinned memory. */
void yk_stages_often_took(const struct yk_launch *l, double ms);

#endif
