/* Memory for the masters of stores: what the bytes of a buffer live in where devices compute in the host's memory, or
 * no device has room. Who uses it: store.c. */
#ifndef YK_SHIM_MEMORY_MASTER_H
#define YK_SHIM_MEMORY_MASTER_H

#include <stddef.h>

/** SIZE bytes, as far aligned as every device in use wants; *BASE is to be freed. NULL: no memory; *BASE is left alone.
 * Thread: any. Cost: some system calls; the pages come as they are touched. */
unsigned char *yk_master_new(size_t size, void **base);

#endif
