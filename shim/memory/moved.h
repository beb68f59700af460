/* How often ranges of the program's memory have been moved to or from a device. Who uses it: inplace.c, whose lock
 * guards all of it. */
#ifndef YK_SHIM_MEMORY_MOVED_H
#define YK_SHIM_MEMORY_MOVED_H

#include "device/link/watch.h"

/** R is moved for OWNER. Is it time to pin it: has it been moved LEAST times? What does not stay, or cannot be pinned,
 * is due ever more rarely: at powers of two. Cost: a look at 64 ranges. */
bool yk_moved_is_due(const void *owner, struct yk_watch_range r, unsigned least);

/** OWNER is no more. */
void yk_moved_forget(const void *owner);

#endif
