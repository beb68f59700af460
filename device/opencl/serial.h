/* One command at a time on a device whose driver cannot bear more. PoCL 3.1's basic device runs kernels on the thread
 * that enqueues or waits; two threads in it at once, on queues of their own, deadlock or trip its assertion on the
 * kernel cache. Oclgrind 21.10 has no locks at all: its programs share what LLVM keeps per context, its buffers one
 * table that a kernel reads while it runs, its objects count references without atomic operations (helgrind names
 * clCreateBuffer beside clFinish; one in 300 runs ended in a damaged heap). Who calls it: machine.c. Other devices
 * never see it. */
#ifndef YK_DEVICE_OPENCL_SERIAL_H
#define YK_DEVICE_OPENCL_SERIAL_H

#include "device/opencl/cl.h"

enum { YK_SERIAL_MAX = 8 };

enum yk_serial_kind { YK_SERIAL_NONE, YK_SERIAL_COMMANDS, YK_SERIAL_ALL, YK_SERIAL_PARENTS };

/** What the driver of a device with these names needs. */
enum yk_serial_kind yk_cl_serial_wanted(const char *platform_name, const char *device_name);

/** BELOW with a lock of its own around every enqueue, flush, finish and wait, with YK_SERIAL_ALL around every entry
 * but queries and clSetUserEventStatus. KIND is one of these two; YK_SERIAL_PARENTS is parents.h's. SLOT <
 * YK_SERIAL_MAX: one per device; beyond that BELOW itself is returned. Thread: discovery only. Cost of a call: a load
 * in a process of one thread, 11 ns in others. */
const struct yk_cl *yk_cl_serial(unsigned slot, enum yk_serial_kind kind, const struct yk_cl *below);

#endif
