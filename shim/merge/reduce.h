/* Numbers that atomics of several devices have made, combined as if all had worked on one. Called by queue/reduction.c.
 * Pure. KIND is of enum yk_access_kind, from YK_ACCESS_ADD on; SIZE is 4 or 8; any alignment; numbers in the machine's
 * byte order, which the devices share. Thread: any. */
#ifndef YK_SHIM_MERGE_REDUCE_H
#define YK_SHIM_MERGE_REDUCE_H

#include <stddef.h>

/** TO[i] = TO[i] KIND FROM[i], N numbers of SIZE bytes. Cost: O(N). */
void yk_reduce(unsigned kind, unsigned size, void *to, const void *from, size_t n);
/** N numbers that change nothing under KIND. */
void yk_reduce_neutral(unsigned kind, unsigned size, void *to, size_t n);

#endif
