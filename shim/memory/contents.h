/* Large buffers that NVIDIA's driver is not to keep memory on the host for: those that are made with contents
 * (CL_MEM_COPY_HOST_PTR) or over the program's memory (CL_MEM_USE_HOST_PTR), and those that are mapped. For contents
 * the driver takes pinned memory for a copy on the host first, whose pages the system has to find and clear, and moves
 * that at the first command: 210 to 520 ms and 60 more for 256 MiB on an H200. Made empty and written through a ring
 * (link.h) the bytes are there after 11 ms. A first map and its release takes the driver 108 ms, in a master
 * (store.h) 30. Who uses it: store.c. */
#ifndef YK_SHIM_MEMORY_CONTENTS_H
#define YK_SHIM_MEMORY_CONTENTS_H

#include "shim/core/context.h"

/** Is a buffer of SIZE bytes with FLAGS better made without the program's memory and mapped in yoke's? Shorter ones, of
 * which a program may map one often, are not: the driver's memory for maps is pinned. Thread: any. Cost: some loads. */
bool yk_contents_mapped_here(cl_mem_flags flags, size_t size);

/** The primary's buffer of SIZE bytes in CTX with the bytes FROM, where that is the better way. FLAGS: with
 * CL_MEM_COPY_HOST_PTR, for the driver. NULL: it is not, or something failed: the driver is to make it, and its errors
 * count. Thread: any; no lock held. */
cl_mem yk_contents_create(struct yk_context *ctx, cl_mem_flags flags, size_t size, const void *from);

/** Such a buffer of SIZE bytes has been released. Thread: any. */
void yk_contents_gone(size_t size);

/** The primary's buffer in CTX of the SIZE bytes at PTR, the program's memory, has been made without them: where that
 * is the shorter way, they are pinned where they lie, as the driver would have done. Thread: any; no lock held. Cost:
 * 30 us per MiB that is pinned. */
void yk_contents_over(struct yk_context *ctx, const void *ptr, size_t size);

#endif
