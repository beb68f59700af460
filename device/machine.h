/* How the machine is found out: the pieces behind yk_machine_get. Who uses it: device/ itself, and tests, which
 * discover machines of their own over a stub or a setting. */
#ifndef YK_DEVICE_MACHINE_H
#define YK_DEVICE_MACHINE_H

#include "device/device.h"

/* What the user asked for, as text; NULL: nothing. */
struct yk_machine_settings {
    const char *devices;   /* YOKE_DEVICES: selectors, comma-separated */
    const char *primary;   /* YOKE_PRIMARY: one selector */
    const char *cpu_parts; /* YOKE_CPU_PARTS: a number or "numa" */
    const char *fault;     /* YOKE_FAULT: script of device/fault */
    const char *memory;    /* YOKE_MEMORY_LIMIT: DEV=BYTES, comma-separated: such devices have no more memory */
    enum yk_sleep sleep;
};

/**
 * Fill *M with all devices behind CL. Errors: YK_ENOTFOUND (no device, or none left over; logged). Settings that do not
 * parse are logged and ignored, except that a device list of which nothing matches leaves no device.
 * Owns: sub-devices made here are kept until the process ends. Thread: any; calls drivers.
 */
yk_status yk_machine_discover(const struct yk_cl *cl, const struct yk_machine_settings *s, struct yk_machine *m);

/** Fill D (names, limits, flags) of device ID of PLATFORM; clears D before. False: the driver does not answer. */
bool yk_device_query(const struct yk_cl *cl, cl_platform_id platform, cl_device_id id, struct yk_device *d);

/** Text of one device or platform information string: trimmed, cut to N bytes; "" where the driver does not answer. */
void yk_device_string(const struct yk_cl *cl, cl_device_id id, cl_device_info what, char *out, size_t n);
void yk_platform_string(const struct yk_cl *cl, cl_platform_id id, cl_platform_info what, char *out, size_t n);

/**
 * Cut CPU device ID as PARTS says ("numa" or a number from 2): the parts into OUT (MAX entries). Returns how many; 0:
 * it cannot be cut so (one compute unit, one NUMA node, driver without sub-devices), use it whole.
 */
unsigned yk_device_cut(const struct yk_cl *cl, cl_device_id id, const char *parts, cl_device_id *out, unsigned max);

/**
 * Do buffers with CL_MEM_USE_HOST_PTR on D work in the host's memory itself? Tried with transfers in both directions,
 * in a context of its own that lives for the call; not tried (false) on GPUs with memory of their own, whose contexts
 * cost 0.2 s. *ALIGN: alignment that the pointer needs. A driver that does not finish within 2 s: false; the objects
 * are then left alone.
 */
bool yk_device_host_memory(const struct yk_cl *cl, const struct yk_device *d, size_t *align);

/** Rough rank of D: higher is faster. Pure. */
double yk_device_speed(const struct yk_device *d, bool own_memory);

/** Does selector TEXT name D (whose index is d->index)? See yk_machine_find. Pure. */
bool yk_device_matches(const struct yk_device *d, const char *text);

#endif
