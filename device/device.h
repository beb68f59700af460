/* The machine: every real OpenCL device yoke may use, and what it is. Made once per process by yk_machine_get; constant
 * afterwards. Who reads it: shim, solver, profiler, cli. It never creates a context longer than a probe takes, never
 * enqueues work of an app, and knows nothing of virtual objects. */
#ifndef YK_DEVICE_DEVICE_H
#define YK_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/hash.h"
#include "base/status.h"
#include "device/opencl/cl.h"

enum { YK_MAX_DEVICES = 32, YK_NAME_MAX = 128 };

struct yk_device {
    unsigned index; /* in yk_machine.device; the primary is yk_machine.primary */
    const struct yk_cl *cl;
    const struct yk_cl
        *trial; /* for yoke's own trials: cl without the faults that a script makes for the app's calls */
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    unsigned version; /* OpenCL version x 100: 120, 200, 300 */
    char name[YK_NAME_MAX], vendor[YK_NAME_MAX], platform_name[YK_NAME_MAX], driver[YK_NAME_MAX];
    uint32_t compute_units, address_bits, clock_mhz, mem_align_bits;
    bool little_endian, fp64, out_of_order, images;
    uint64_t global_mem, max_alloc, local_mem, constant_mem;
    size_t max_group, max_item[3];
    /* True: a buffer made over host memory with CL_MEM_USE_HOST_PTR is that memory, both ways, without a map (tested
     * with real transfers, never assumed). Such devices share the location "host" (shim/memory). */
    bool host_memory;
    bool in_host;      /* the same, whatever YOKE_FAULT makes of it */
    size_t host_align; /* alignment the host pointer needs for that, bytes; kernels of a driver that takes any compute
                          on what the program gave them, as wide vectors too */
    /* Among the devices of one driver the n-th, from 0: build options of n > 0 get a define of their own, since
     * PoCL 3.1 aborts when two devices run kernels of one source and options. */
    unsigned twin;
    unsigned
        numeric_class; /* equal: same bits from the same kernel (see device/numeric.h); valid after yk_numeric_probe */
    double speed;      /* rough rank: higher is faster */
    bool asleep;       /* its driver had not been asked for it at discovery (device/asleep.h) */
    bool untried;      /* asleep, and nobody has tried whether it works in the host's memory */
    bool usable;       /* may take shares; false: see why_not */
    bool unnamed;      /* not usable for no other reason than that YOKE_DEVICES does not name it */
    char why_not[YK_NAME_MAX];
};

/** Have A and B one name and driver? They are taken for equally fast while nothing else is known. Thread: any. */
static inline bool yk_device_same_kind(const struct yk_device *a, const struct yk_device *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->driver, b->driver);
}

struct yk_machine {
    unsigned n;       /* usable and unusable devices */
    unsigned primary; /* index; meaningless when n == 0 */
    bool unasked;     /* a CPU's driver is left alone in this process: yoke-warm is to ask it */
    struct yk_device device[YK_MAX_DEVICES];
    struct yk_hash id; /* of all device names, drivers and settings: keys caches, shown in CL_DRIVER_VERSION */
};

/**
 * The machine of this process, discovered at the first call: all platforms and devices of the loader, cut into parts
 * where YOKE_CPU_PARTS asks, restricted by YOKE_DEVICES, primary by YOKE_PRIMARY or the fastest. Returns NULL with
 * *STATUS = YK_ENOTFOUND (no loader, no device; logged once) or another error. Owns: static. Thread: any. Cost:
 * milliseconds once; then a load.
 */
const struct yk_machine *yk_machine_get(yk_status *status);

/* Beside a GPU, where the user has not had any cut into parts, a CPU's devices may be asleep (device/asleep.h), */
enum yk_sleep {
    YK_SLEEP_NONE,
    YK_SLEEP_KEPT,    /* where an earlier process has kept what they are */
    YK_SLEEP_UNASKED, /* and where none has and the user names no devices, they may be missing, once: see `unasked` */
};

/** To be called before the first yk_machine_get, by who needs other devices than the primary late or never. */
void yk_machine_let_sleep(enum yk_sleep how);

/** Index of the device that TEXT names: a number; "cpu", "gpu", "accelerator"; a part (any case) of its name or
 * platform's name; PLATFORM:NAME, a part of each; platform:PART. Usable devices come before those left out; of several
 * with the same name the first is meant. Errors: YK_ENOTFOUND, YK_EINVAL (different devices); MSG (N bytes) says which
 * there are. */
yk_status yk_machine_find(const struct yk_machine *m, const char *text, unsigned *index, char *msg, size_t n);

#endif
