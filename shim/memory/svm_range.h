/* Where shared virtual memory lies that the program has allocated: a buffer over it (CL_MEM_USE_HOST_PTR) is seen by
 * the host and the primary at once, as fine-grained memory by both at the same time, so it is the primary's alone. Who
 * uses it: api/svm.c, store.c. Any thread; no lock held. */
#ifndef YK_SHIM_MEMORY_SVM_RANGE_H
#define YK_SHIM_MEMORY_SVM_RANGE_H

#include <stdbool.h>
#include <stddef.h>

/** SIZE bytes at P have been allocated. False: no memory to remember that. Cost: O(log allocations), as below. */
bool yk_svm_range_add(const void *p, size_t size);

/** What lies at P is about to be freed; does nothing for what is not known. */
void yk_svm_range_remove(const void *p);

/** Does P lie in some of it? Cost: a load where there is none. */
bool yk_svm_range_has(const void *p);

#endif
