/* Into how many parts the chains of a kernel are cut (partitioner/split_size.h): by bytes at first, then as its own
 * launches have shown, which the profile database keeps (samples of the kinds `parts` and `apart`). Who uses it:
 * stages.c. */
#ifndef YK_SHIM_QUEUE_STAGES_SIZE_H
#define YK_SHIM_QUEUE_STAGES_SIZE_H

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

#endif
