/* The images that a launch reads, for devices other than the primary. Who uses it: decide.c, takers.c, divide.c,
 * part.c, operand.c. Thread: any; no lock held. */
#ifndef YK_SHIM_QUEUE_IMAGES_H
#define YK_SHIM_QUEUE_IMAGES_H

#include "shim/queue/launch.h"

/** Could DEV have copies of all of them, as far as is known? */
bool yk_images_possible(const struct yk_launch *l, unsigned dev);

/** Bytes to be brought to DEV before it can read them. */
double yk_images_lack(const struct yk_launch *l, unsigned dev);

/** Bring what the devices in TAKES lack; what has been given to drivers before is complete. *MOVED grows by the bytes.
 * Errors: the driver's, CL_MEM_OBJECT_ALLOCATION_FAILURE; the device that failed in *BAD. */
cl_int yk_images_bring(const struct yk_launch *l, const bool *takes, unsigned *bad, uint64_t *moved);

#endif
