/* Memory of the program that its large transfers use again and again, pinned where it lies: a buffer of the driver's
 * over it (CL_MEM_USE_HOST_PTR), by which no command ever goes, has NVIDIA's driver move its bytes at the link's full
 * speed both ways at once, without a copy on the host. On an H100 that takes 35 us per MiB, once.
 *
 * The driver then holds on to physical pages. What the program does with addresses is its own affair: so the memory is
 * watched (device/link/watch.h), and before any memory of the host is given to a driver, buffers over memory that has
 * gone are released (device/opencl/from_host.h). Where it cannot be watched nothing is pinned. A ring
 * (device/link/ring.h) serves until then, and whatever is not used so often.
 *
 * YOKE_PIN: `off`; `auto` (default), on NVIDIA's GPUs; `force`, for tests: any GPU, however small and at once. Who uses
 * it: link.c. */
#ifndef YK_SHIM_MEMORY_INPLACE_H
#define YK_SHIM_MEMORY_INPLACE_H

#include "shim/core/context.h"

/* Memory in use by a transfer: it stays pinned. All zero: none. */
struct yk_inplace {
    uint64_t pins; /* a bit each */
};

/** LEN bytes at PTR are about to be moved from or to the primary in CTX: after some times they will be pinned, by a
 * thread of its own. AT_ONCE: they are known to be moved again and again, and are pinned when this returns, if they can
 * be. Thread: any; no lock held. Cost: loads; a look at what is pinned where LEN is large; 30 to 60 us per MiB that is
 * pinned at once. */
void yk_inplace_note(struct yk_context *ctx, const void *ptr, size_t len, bool at_once);

/** Is LEN too short to be pinned, by itself? Thread: any. Cost: loads. */
bool yk_inplace_short(size_t len);

/** Is all of [ptr, ptr+len) pinned for CTX's primary? Then it stays so until yk_inplace_end. Thread: any; no lock held.
 */
bool yk_inplace_begin(struct yk_inplace *use, struct yk_context *ctx, const void *ptr, size_t len);
void yk_inplace_end(struct yk_inplace *use);

/** Bytes from PTR on, which is in USE, that can be moved by one command; 0: it is not. Cost: a look at what is pinned.
 */
size_t yk_inplace_piece(const struct yk_inplace *use, const void *ptr);

/** A transfer of pinned memory has failed: nothing is pinned any more. Nothing is in use by the caller. */
void yk_inplace_failed(cl_int err);

#endif
