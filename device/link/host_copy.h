/* Copying within the host's memory by several threads: one moves 9-12 GB/s where the pages are there, and much less
 * where they are touched for the first time. Who uses it: shim/memory and shim/queue, for devices that work in the
 * host's memory. Never calls a driver.
 *
 * YOKE_COPIERS: `off`, `auto` (default), or for tests `force`: small copies too, in tiny units. */
#ifndef YK_DEVICE_LINK_HOST_COPY_H
#define YK_DEVICE_LINK_HOST_COPY_H

#include <stdbool.h>
#include <stddef.h>

/** Is a copy of LEN bytes one that several threads do faster, a thread's waking included? Thread: any. Cost: a compare
 * where it is short, else a load. */
bool yk_host_copy_shared(size_t len);

/** Threads that such a copy is shared by, the caller's included. Thread: any. */
unsigned yk_host_copy_threads(void);

/** Copies will be wanted: have the other threads begin now, since one that begins when there is work shares its
 * parent's processor at first (shim/queue/crew.h). Thread: any; no lock held. */
void yk_host_copy_ready(void);

/** As memmove, with other threads' help where yk_host_copy_shared, the two do not overlap and the kernel need not tell
 * all of them of each page (pagemap.h). Thread: any; no lock held. */
void yk_host_copy(void *to, const void *from, size_t len);

#endif
