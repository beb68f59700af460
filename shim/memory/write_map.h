/* Parts of a store's master in which the program is writing through a map. Meanwhile these bytes are newest on the
 * host, and nothing is copied over them: kernels may not touch them (OpenCL 3.0, 5.4.2), so that what a launch is
 * recorded to have written does not count there. Kept of stores that live on the host (tenant.h), of those whose
 * master is the program's memory, in which the driver may work itself, and of those whose maps always lie in it. Who
 * uses it: queue/, mem.h. */
#ifndef YK_SHIM_MEMORY_WRITE_MAP_H
#define YK_SHIM_MEMORY_WRITE_MAP_H

#include "shim/memory/store.h"

/** The program is given [off, off+len) of S's master to write in, and gives it back. The former waits for a tenant that
 * is on its way. Errors: CL_OUT_OF_HOST_MEMORY. Thread: the worker's. */
cl_int yk_write_map_begin(struct yk_store *s, size_t off, size_t len);
void yk_write_map_end(struct yk_store *s, size_t off, size_t len);

/** The first part of [*FROM, END) in which the program is not writing: [*FROM, *TO). False: there is none. */
bool yk_write_map_beside(struct yk_store *s, size_t *from, size_t end, size_t *to);

/** S ends: a program need not unmap. */
void yk_write_map_finish(struct yk_store *s);

#endif
