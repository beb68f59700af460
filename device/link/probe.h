/* How long a device's link takes for so many bytes, by the driver's own way: measured on purpose, with transfers of no
 * program. Who uses it: `yoke profile links`. What real transfers take is noted where they are made (shim/memory). */
#ifndef YK_DEVICE_LINK_PROBE_H
#define YK_DEVICE_LINK_PROBE_H

#include "device/device.h"

enum yk_probe_way { YK_PROBE_IN, YK_PROBE_OUT, YK_PROBE_WAYS };

/* Objects of a device's own context; the caller's until it is closed. */
struct yk_probe {
    const struct yk_device *device;
    cl_context context;
    cl_command_queue queue[YK_PROBE_WAYS];
    cl_mem mem[YK_PROBE_WAYS], pinned_mem[YK_PROBE_WAYS]; /* on the device; the host's, made by the driver */
    void *pinned[YK_PROBE_WAYS];                          /* that, mapped */
    unsigned char *ordinary;
    size_t bytes; /* of each */
};

/** Make P for transfers of up to BYTES with D: two buffers there, two in pinned memory, one in ordinary memory; the
 * host's are touched, the device's by the transfers that repeat. Errors: the driver's, CL_OUT_OF_HOST_MEMORY; P is
 * closed then. Thread: any; calls the driver. */
cl_int yk_probe_open(struct yk_probe *p, const struct yk_device *d, size_t bytes);

/** Nothing happens where it is closed already. */
void yk_probe_close(struct yk_probe *p);

/** *MS: the median time of moving BYTES one WAY, of at least three transfers, and of as many more (99 at most) as take
 * LIMIT_MS together, after one that does not count. Errors: the driver's. Thread: any, one per P. */
cl_int yk_probe_time(struct yk_probe *p, enum yk_probe_way way, bool pinned, size_t bytes, double limit_ms, double *ms);

/** The same of BYTES of pinned memory each way of one device at once. */
cl_int yk_probe_both(struct yk_probe *p, size_t bytes, double limit_ms, double *ms);

/** The same of BYTES of pinned memory to A and as many to B at once: far more than the longer of both takes alone says
 * that they share a link. */
cl_int yk_probe_together(struct yk_probe *a, struct yk_probe *b, size_t bytes, double limit_ms, double *ms);

#endif
