/* Memory that a driver has mapped for the app, which is pinned already. Who uses it: link.c, which leaves transfers of
 * it to the driver; the entry points that map. Thread: any. */
#ifndef YK_SHIM_MEMORY_PINNED_H
#define YK_SHIM_MEMORY_PINNED_H

#include <stdbool.h>
#include <stddef.h>

/** LEN bytes from PTR are mapped from now on; kept as well as memory allows. */
void yk_pinned_add(const void *ptr, size_t len);

/** What was mapped at PTR is no more; nothing where nothing was. */
void yk_pinned_remove(const void *ptr);

/** Does PTR lie in memory that is mapped? Cost: a look at each that is. */
bool yk_pinned(const void *ptr);

#endif
