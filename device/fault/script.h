/* Scripts of failures: which call of which entry point on which device errs, hangs, breaks its event or loses the
 * device, and how slow a device and its link are. Read by the fault backend and by the stub libOpenCL. Pure but for the
 * counters; it never calls OpenCL.
 *
 *     script  = item { ";" item }
 *     item    = entry "@" device [":" count] "=" action     clEnqueueNDRangeKernel@1:3=error(-5)
 *             | "@" device [":" count] ("=" | ":") action   @1:lost; any entry but clGet*, clRetain*, clRelease*
 *             | "slow@" device "=" factor                   slow@1=4; kernels take so many times as long, 1 to 1000
 *             | "link@" device "=" bytes/s ["," latency]    link@1=1G,20us; 1000000 and more; ns, us, ms, s up to 1s
 *             | "own@" device                               it is taken for a device with memory of its own
 *             | "gpu@" device                               and for a GPU
 *     device  = number | "*"
 *     count   = number | number "+" | "*"     that call only, from 1; from that call on; every call (also left out)
 *     action  = "error(" code ")"             the call returns CODE: negative, or a name as CL_OUT_OF_RESOURCES
 *             | "event(" code [",ran"] ")"    the call succeeds, its event ends with CODE; the command did not run,
 *                                             or with "ran" did
 *             | "hang"                        the call does not return before YOKE_FAULT_HANG_MS (unset: never)
 *             | "lost"                        this and all later calls on the device fail
 */
#ifndef YK_DEVICE_FAULT_SCRIPT_H
#define YK_DEVICE_FAULT_SCRIPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "device/opencl/cl.h"

enum { YK_FAULT_DEVICES = 32, YK_FAULT_RULES = 64 };

/* Entry points by number: YK_FAULT_ENTRY_EnqueueNDRangeKernel and so on. */
enum yk_fault_entry {
#define YK_CL(ret, name, version, params, args) YK_FAULT_ENTRY_##name,
#include "device/opencl/api.def"
    YK_FAULT_ENTRIES
};

enum yk_fault_kind { YK_FAULT_NONE, YK_FAULT_ERROR, YK_FAULT_EVENT, YK_FAULT_EVENT_RAN, YK_FAULT_HANG, YK_FAULT_LOST };

struct yk_fault_rule {
    int entry;       /* -1: any failable */
    unsigned device; /* UINT_MAX: any */
    uint32_t first;  /* the n-th call, from 1 */
    bool onwards;    /* and every later one */
    enum yk_fault_kind kind;
    cl_int code;
};

struct yk_fault_model {
    double slow;           /* factor of kernel times; 1: as they are */
    double bytes_per_ns;   /* of the link; 0: as it is */
    uint64_t link_wait_ns; /* latency of a transfer */
};

struct yk_fault_script {
    unsigned n;
    struct yk_fault_rule rule[YK_FAULT_RULES];
    struct yk_fault_model model[YK_FAULT_DEVICES];
    bool own_memory[YK_FAULT_DEVICES], gpu[YK_FAULT_DEVICES];
};

/* What a call shall do: return CODE at once (kind ERROR), end its event with CODE (EVENT, EVENT_RAN), or go on (NONE).
 */
struct yk_fault_verdict {
    enum yk_fault_kind kind;
    cl_int code;
};

/* Counters of one device. */
struct yk_fault_state {
    const struct yk_fault_script *script;
    unsigned device;
    atomic_uint calls[YK_FAULT_ENTRIES], failable_calls, fired; /* fired: calls that a rule was about */
    atomic_bool lost;
};

/** Read TEXT into S. Errors: YK_EFORMAT, YK_ELIMIT with one line in ERR (N bytes) that quotes the item; S is undefined.
 * NULL or empty TEXT: a script that does nothing. Thread: any. */
yk_status yk_fault_parse(const char *text, struct yk_fault_script *s, char *err, size_t n);

/** Does S say anything about DEVICE? */
bool yk_fault_touches(const struct yk_fault_script *s, unsigned device);

/** Does S end events of DEVICE with an error, or stretch its times? Then its events must be followed. */
bool yk_fault_follows_events(const struct yk_fault_script *s, unsigned device);

/** Counters of DEVICE from zero. S is borrowed and must outlive ST. */
void yk_fault_start(struct yk_fault_state *st, const struct yk_fault_script *s, unsigned device);

/** Count one call of ENTRY and say what it shall do; a "hang" is spent inside. Thread: any. Cost: O(rules). */
struct yk_fault_verdict yk_fault_next(struct yk_fault_state *st, enum yk_fault_entry entry);

/** Name of ENTRY ("clFinish"). */
const char *yk_fault_entry_name(enum yk_fault_entry entry);

#endif
