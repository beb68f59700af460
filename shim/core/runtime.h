/* yoke in this process: is it on, with which options, on which machine. Who calls it: all of shim/. Set up by the first
 * OpenCL call; never by the constructor. */
#ifndef YK_SHIM_CORE_RUNTIME_H
#define YK_SHIM_CORE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>
#include "device/device.h"
#include "shim/core/handle.h"

enum yk_mode {
    YK_MODE_UNKNOWN,
    YK_MODE_ON,
    YK_MODE_PASS,   /* the real functions, where there are any */
    YK_MODE_NONE,   /* every call fails: YOKE_DEVICES leaves no device */
    YK_MODE_FORKED, /* every call fails: the parent process had started OpenCL */
    YK_MODE_ENDED   /* every call fails but releases, which do nothing: a driver has ended the process (background.c) */
};
enum yk_merge_choice { YK_MERGING_AUTO, YK_MERGING_KERNEL, YK_MERGING_DIFFERENCE };
enum yk_numerics { YK_NUMERICS_STRICT, YK_NUMERICS_MIXED, YK_NUMERICS_ANY };

enum yk_piping { YK_PIPING_OFF, YK_PIPING_AUTO, YK_PIPING_FORCED };
enum yk_tailing { YK_TAIL_OFF, YK_TAIL_AUTO, YK_TAIL_FORCED };
enum yk_flying { YK_FLYING_OFF, YK_FLYING_AUTO, YK_FLYING_FORCED };
enum yk_besiding { YK_BESIDE_OFF, YK_BESIDE_AUTO, YK_BESIDE_FORCED };
enum yk_evicting { YK_EVICT_OFF, YK_EVICT_AUTO, YK_EVICT_FORCED };
enum yk_gathering { YK_GATHER_OFF, YK_GATHER_AUTO, YK_GATHER_FORCED };

struct yk_options {
    const char *strategy;       /* YOKE_STRATEGY; NULL: yoke decides */
    enum yk_numerics numerics;  /* YOKE_NUMERICS */
    bool force_split;           /* YOKE_FORCE_SPLIT: split whatever may be split, however small */
    bool split;                 /* YOKE_SPLIT=0 runs every launch whole */
    bool reproducible;          /* YOKE_REPRODUCIBLE: shares do not depend on measurements */
    unsigned cut;               /* YOKE_CUT: the dimension to cut along, plus 1; 0: the cheapest */
    enum yk_merge_choice merge; /* YOKE_MERGE: how outputs that are not exact are put together */
    enum yk_gathering
        gather;              /* YOKE_GATHER: off, auto (off on a CPU), force (for tests: what can be merged, at once) */
    enum yk_piping piping;   /* YOKE_PIPELINE: off, auto, force (tests: wherever it can be done) or a number of parts */
    enum yk_tailing tail;    /* YOKE_TAIL: off, auto, force (for tests: however short) */
    enum yk_flying flying;   /* YOKE_FLIGHT: off, auto, force (for tests: on any device, however long) */
    enum yk_besiding beside; /* YOKE_BESIDE: off, auto, force (for tests: all that can be, by turns) */
    enum yk_evicting evict;  /* YOKE_EVICT: off, auto, force (for tests: each buffer comes at once, whoever must go) */
    unsigned parts;          /* that number; 0: none given */
    bool recover;            /* YOKE_RECOVER: keep the bytes before every split launch, to run it again */
    bool verify;             /* YOKE_VERIFY: run every split launch also whole, and compare */
    unsigned verify_ulp;     /* YOKE_VERIFY_ULP: floats may differ by so many units in the last place */
    bool summary;            /* YOKE_SUMMARY, unless YOKE_QUIET */
    cl_device_type as;       /* YOKE_AS: the virtual device is of this type; 0: of the primary's */
    bool as_primary;         /* YOKE_PLATFORM: platform and device have the primary's names */
    bool platform_as_primary; /* the platform has */
    const char *json;         /* YOKE_JSON */
};

struct yk_runtime {
    const struct yk_machine *machine;
    const struct yk_device *primary;
    struct yk_options options;
    struct yk_handle platform, device; /* the virtual ones */
    cl_device_type device_types;       /* of all real devices together: the virtual one is found as any */
    cl_device_type device_type;        /* and says that it is of this one */
};

extern enum yk_mode yk_mode;
extern struct yk_runtime yk_rt;

/** Decide the mode at the first OpenCL call: on, pass-through (AT_SECURE, YOKE_DISABLE, no device), or none.
 * Thread: any; once. errno is kept. */
enum yk_mode yk_runtime_start(void);

/** The virtual handles. */
static inline cl_platform_id yk_platform(void)
{
    return (cl_platform_id)(void *)&yk_rt.platform;
}
static inline cl_device_id yk_device(void)
{
    return (cl_device_id)(void *)&yk_rt.device;
}

/** Folder libyoke.so lies in, without a trailing slash ("" if unknown). Static. */
const char *yk_runtime_folder(void);

#endif
