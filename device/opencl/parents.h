/* No sub-buffer is made or released beside a command. NVIDIA's driver (580.159) keeps a list of each buffer's
 * sub-buffers that nothing guards: a thread that launches a kernel on a buffer, writes, fills or migrates it crashes
 * while another makes or releases a sub-buffer of it, as a program and yoke's workers do (a launch in 10^5 to 10^6). A
 * file of its own beside serial.h's: what every command passes there is to cost 3 ns. Who calls it: machine.c, for
 * drivers of which yk_cl_serial_wanted says YK_SERIAL_PARENTS. */
#ifndef YK_DEVICE_OPENCL_PARENTS_H
#define YK_DEVICE_OPENCL_PARENTS_H

#include "device/opencl/cl.h"

/** BELOW, whose devices share one lock: sub-buffers are made, and memory objects released, while no command that writes
 * is being enqueued; such commands may be enqueued side by side (blocking writes with a wait list are left out: what
 * they wait for may be this thread's to do). For one driver per process; of another, BELOW itself is returned. Thread:
 * discovery only. Cost of a call: 20 ns. */
const struct yk_cl *yk_cl_parents(const struct yk_cl *below);

#endif
