/* Launches over buffers that live in host memory because the primary has no room for them (memory/room.h): part after
 * part, each over windows of those buffers (windows_plan.h), by a variant of the kernel whose pointers are moved back
 * by where the windows begin (transform/windows.h). Bytes come in for one part and go out for another while a third is
 * computed. Where that cannot be done, because what the kernel touches is not known, it runs as it is over copies of
 * the whole buffers, if these fit. The slow twin is the same program on a device that has room. Who uses it: launch.c.
 */
#ifndef YK_SHIM_QUEUE_WINDOWS_H
#define YK_SHIM_QUEUE_WINDOWS_H

#include "shim/queue/launch.h"

/** Does L use a buffer that lives in host memory? Cost: a load per argument. */
bool yk_windows_wanted(const struct yk_launch *l);

/**
 * What is to be said of L, whose range is valid, when it is enqueued. Errors: CL_MEM_OBJECT_ALLOCATION_FAILURE (it can
 * be run in no windows that fit, whatever else leaves; one warning says why). Thread: any; no lock held. Cost: a load
 * per argument; where one lives in host memory that of a plan, and the first launch of a program waits for the
 * transformer and a build.
 */
cl_int yk_windows_check(const struct yk_launch *l);

/**
 * Run L; returns when its bytes are back. Errors: CL_MEM_OBJECT_ALLOCATION_FAILURE (it can be run in no windows that
 * fit; one warning per kernel says why), the driver's own; what it may have written is lost then.
 * Thread: the worker's; no lock held. The first launch of a program waits for the transformer and a build.
 */
cl_int yk_windows_run(struct yk_launch *l);

/* What a program needs for that; made by its first such launch. For build.c. */
struct yk_windows_code;
void yk_windows_code_finish(struct yk_windows_code *w);

#endif
