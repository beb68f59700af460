/* Real sub-buffers. NVIDIA's driver (580) crashes where sub-buffers that overlap, and that kernels have written to, are
 * released in another order than the newest first: a program that knows its own order does not know yoke's, which makes
 * those of other devices when a share first needs them, and keeps the primary's as long as launches over them wait
 * (gather.c). So what the program has released stays until it is the newest, or overlaps no other; a new one of the
 * same bytes takes its place. Who uses it: mem.c, store.c. */
#ifndef YK_SHIM_MEMORY_SUBS_H
#define YK_SHIM_MEMORY_SUBS_H

#include "shim/memory/store.h"

/** The primary's first sub-buffer of S, made with FLAGS, is going to be made. What a buffer is made with NVIDIA's
 * driver (580) gives the device when the buffer is first used; where a kernel uses a sub-buffer before, it may do so
 * once more after that kernel, and what the kernel wrote is lost, bare too. So a byte of the buffer itself is read
 * before; transfer.c has it done before such bytes go to another GPU. Cost: once for each such buffer a blocking read;
 * nothing where the primary is a CPU. */
void yk_subs_first(struct yk_store *s, cl_mem_flags flags);

/** DEV's sub-buffer of the bytes R of its buffer WHOLE, S's. NULL: cannot be had, as *ERR says. Thread: any; no lock
 * held. Cost: the driver's, and a look at the others. */
cl_mem yk_subs_make(struct yk_store *s, unsigned dev, cl_mem whole, cl_mem_flags flags, const cl_buffer_region *r,
                    cl_int *err);

/** REAL, from yk_subs_make, is not used any more. NOW: somebody waits for the driver to say that it is gone. Thread,
 * cost: as above. */
void yk_subs_release(struct yk_store *s, unsigned dev, cl_mem real, bool now);

/** All are released, the newest first: S ends. */
void yk_subs_finish(struct yk_store *s);

#endif
