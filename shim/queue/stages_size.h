/* Into how many parts the chains of a kernel are cut (partitioner/split_size.h): by bytes at first, then as its own
 * launches have shown, which the profile database keeps (samples of kind `parts`). Who uses it: stages.c. */
#ifndef YK_SHIM_QUEUE_STAGES_SIZE_H
#define YK_SHIM_QUEUE_STAGES_SIZE_H

#include "shim/queue/launch.h"

/** Parts for L, for which FIRST would do by its bytes. PINNED: they are moved from and to pinned memory. Thread: any
 * worker; no lock held. Cost: a hash. */
unsigned yk_stages_size(const struct yk_launch *l, unsigned first, bool pinned);

/** L has taken MS in PARTS, with IN and OUT bytes. */
void yk_stages_size_took(const struct yk_launch *l, unsigned parts, bool pinned, double ms, double in, double out);

#endif
