/* What a driver's ICD table lacks. A loader jumps through the table that every handle of a driver begins with, also
 * where the driver has left an entry empty: PoCL has none for clSetCommandQueueProperty, and a program that calls it
 * crashes. Who calls it: the shim, where it would crash in turn. */
#ifndef YK_DEVICE_OPENCL_ICD_H
#define YK_DEVICE_OPENCL_ICD_H

#include <stdbool.h>
#include "device/opencl/cl.h"

/** May clSetCommandQueueProperty be called on the real QUEUE, of a device of PLATFORM? Thread: any. */
bool yk_icd_sets_queue_property(const struct yk_cl *cl, cl_platform_id platform, cl_command_queue queue);

#endif
