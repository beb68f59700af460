/* The fault backend: a device's table wrapped so that a script (script.h) makes calls err, hang, end their events with
 * an error or lose the device, and makes kernels and the link slower. Who calls it: whoever fills struct yk_device.cl,
 * for every device, from YOKE_FAULT; tests. It never changes what a call does that the script does not name. */
#ifndef YK_DEVICE_FAULT_FAULT_H
#define YK_DEVICE_FAULT_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include "device/opencl/cl.h"

/**
 * The table of device number DEVICE (as scripts count them) over BELOW: BELOW itself where SCRIPT says nothing about
 * it. Owns: the result lives until the process ends; BELOW must too. SCRIPT is read, not kept; may be NULL. Thread:
 * any. Errors: NULL with one line in ERR (N bytes) for a malformed script, no memory or more than 32 tables.
 */
const struct yk_cl *yk_cl_fault(unsigned device, const struct yk_cl *below, const char *script, char *err, size_t n);

/** Does SCRIPT say that DEVICE has memory of its own, and is a GPU (*GPU)? Neither where it does not parse. */
bool yk_cl_fault_own_memory(unsigned device, const char *script, bool *gpu);

/** Calls so far, of all tables, that a script was about: a sweep sees by it whether its n-th call was reached. Thread:
 * any. */
unsigned yk_cl_fault_fired(void);

#endif
