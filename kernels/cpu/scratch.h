/* Working memory of one thread, kept from call to call (fresh pages cost more than small buckets). */
#ifndef YK_KERNELS_CPU_SCRATCH_H
#define YK_KERNELS_CPU_SCRATCH_H

#include <stddef.h>

/** BYTES aligned to 64, valid until the thread's next call; contents undefined. NULL: no memory. Freed with the thread.
 */
void *yk_scratch(size_t bytes);

#endif
