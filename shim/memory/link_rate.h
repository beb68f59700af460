/* How long a link takes for how many bytes: measured at transfers that programs needed, remembered between processes
 * (profiler/profile.h, kinds `in`, `out`, `pinned_in`, `pinned_out`). Who uses it: link.c notes, link_choice.c asks. */
#ifndef YK_SHIM_MEMORY_LINK_RATE_H
#define YK_SHIM_MEMORY_LINK_RATE_H

#include "shim/core/context.h"

/** LEN bytes have gone to (YK_IN) or from DEV in NS, alone as far as is known; PINNED: the host's were in pinned
 * memory. The first few of a process and then one in sixteen are remembered, of 64 KiB and more. Thread: any; no driver
 * call. Cost: an atomic addition; for those a few microseconds. */
void yk_link_remember(unsigned dev, enum yk_direction way, bool pinned, size_t len, uint64_t ns);

/** Bytes per ms that LEN bytes of ordinary memory came to DEV at before, by the table over sizes; 0: nobody knows.
 * Thread: any. Cost: a hash and a lock. */
double yk_link_remembered(unsigned dev, double len);

#endif
