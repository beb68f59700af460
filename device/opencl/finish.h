/* clFinish that waits for what was flushed before. Mesa's rusticl (22.3) remembers a queue's last command when a
 * clFlush or clFinish hands commands on, and forgets it when there are none to hand on: clFinish behind clFlush returns
 * at once, while the commands run. Programs rarely flush before they finish; yoke flushes for them. Who calls it:
 * machine.c, for drivers of which yk_cl_finish_forgets is true. */
#ifndef YK_DEVICE_OPENCL_FINISH_H
#define YK_DEVICE_OPENCL_FINISH_H

#include <stdbool.h>
#include "device/opencl/cl.h"

/** Does the driver of this platform forget? */
bool yk_cl_finish_forgets(const char *platform_name);

/** BELOW, whose clFinish has a marker behind all commands to wait for. For one driver per process; of another, BELOW
 * itself is returned. Thread: discovery only. Cost: a marker (microseconds) per clFinish, nothing for other calls. */
const struct yk_cl *yk_cl_finish(const struct yk_cl *below);

#endif
