#include "shim/core/runtime.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/env.h"
#include "base/log.h"
#include "shim/core/by_name.h"
#include "shim/core/trace.h"
#include "shim/core/unasked.h"

enum yk_mode yk_mode = YK_MODE_UNKNOWN;
struct yk_runtime yk_rt;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread bool starting;

static void read_piping(struct yk_options *o)
{
    const char *text = yk_env_str("YOKE_PIPELINE", "auto");
    char *end;
    unsigned long parts = strtoul(text, &end, 10);
    o->piping = YK_PIPING_AUTO;
    if (!strcmp(text, "off")) {
        o->piping = YK_PIPING_OFF;
    } else if (!strcmp(text, "force")) {
        o->piping = YK_PIPING_FORCED;
    } else if (*text >= '0' && *text <= '9' && !*end && parts >= 2 && parts <= 256) {
        o->piping = YK_PIPING_FORCED;
        o->parts = (unsigned)parts;
    } else if (strcmp(text, "auto")) {
        yk_warn("YOKE_PIPELINE=%s is none of off, auto, force, 2 to 256; using auto", text);
    }
}

/* Who says how launches are to be divided, or has divided ones compared, has none placed otherwise. */
static void read_beside(struct yk_options *o)
{
    const char *beside = yk_env_str("YOKE_BESIDE", "auto");
    o->beside = !strcmp(beside, "off") ? YK_BESIDE_OFF : !strcmp(beside, "force") ? YK_BESIDE_FORCED : YK_BESIDE_AUTO;
    if (o->beside == YK_BESIDE_AUTO && strcmp(beside, "auto"))
        yk_warn("YOKE_BESIDE=%s is none of off, auto, force; using auto", beside);
    bool other = o->force_split || o->reproducible || o->verify || (o->strategy && strcmp(o->strategy, "auto"));
    if (o->beside == YK_BESIDE_AUTO && other)
        o->beside = YK_BESIDE_OFF;
}

static void read_options(struct yk_options *o)
{
    o->strategy = yk_env_str("YOKE_STRATEGY", NULL);
    const char *n = yk_env_str("YOKE_NUMERICS", "strict");
    if (!strcmp(n, "mixed"))
        o->numerics = YK_NUMERICS_MIXED;
    else if (!strcmp(n, "any"))
        o->numerics = YK_NUMERICS_ANY;
    else if (strcmp(n, "strict"))
        yk_warn("YOKE_NUMERICS=%s is none of strict, mixed, any; using strict", n);
    o->force_split = yk_env_bool("YOKE_FORCE_SPLIT", false);
    const char *gather = yk_env_str("YOKE_GATHER", "auto");
    o->gather = !strcmp(gather, "off") ? YK_GATHER_OFF : !strcmp(gather, "force") ? YK_GATHER_FORCED : YK_GATHER_AUTO;
    if (o->gather == YK_GATHER_AUTO && strcmp(gather, "auto"))
        yk_warn("YOKE_GATHER=%s is none of off, auto, force; using auto", gather);
    read_piping(o);
    const char *tail = yk_env_str("YOKE_TAIL", "auto");
    o->tail = !strcmp(tail, "off") ? YK_TAIL_OFF : !strcmp(tail, "force") ? YK_TAIL_FORCED : YK_TAIL_AUTO;
    if (o->tail == YK_TAIL_AUTO && strcmp(tail, "auto"))
        yk_warn("YOKE_TAIL=%s is none of off, auto, force; using auto", tail);
    const char *flight = yk_env_str("YOKE_FLIGHT", "auto");
    o->flying = !strcmp(flight, "off") ? YK_FLYING_OFF : !strcmp(flight, "force") ? YK_FLYING_FORCED : YK_FLYING_AUTO;
    if (o->flying == YK_FLYING_AUTO && strcmp(flight, "auto"))
        yk_warn("YOKE_FLIGHT=%s is none of off, auto, force; using auto", flight);
    const char *evict = yk_env_str("YOKE_EVICT", "auto");
    o->evict = !strcmp(evict, "off") ? YK_EVICT_OFF : !strcmp(evict, "force") ? YK_EVICT_FORCED : YK_EVICT_AUTO;
    if (o->evict == YK_EVICT_AUTO && strcmp(evict, "auto"))
        yk_warn("YOKE_EVICT=%s is none of off, auto, force; using auto", evict);
    o->split = yk_env_bool("YOKE_SPLIT", true);
    o->reproducible = yk_env_bool("YOKE_REPRODUCIBLE", false);
    o->cut = (unsigned)(yk_env_int("YOKE_CUT", -1, -1, 2) + 1);
    const char *merge = yk_env_str("YOKE_MERGE", "auto");
    if (!strcmp(merge, "kernel"))
        o->merge = YK_MERGING_KERNEL;
    else if (!strcmp(merge, "difference"))
        o->merge = YK_MERGING_DIFFERENCE;
    else if (strcmp(merge, "auto"))
        yk_warn("YOKE_MERGE=%s is none of auto, kernel, difference; using auto", merge);
    o->recover = yk_env_bool("YOKE_RECOVER", false);
    o->verify = yk_env_bool("YOKE_VERIFY", false);
    read_beside(o);
    o->verify_ulp = (unsigned)yk_env_int("YOKE_VERIFY_ULP", 0, 0, INT32_MAX);
    o->summary = yk_env_bool("YOKE_SUMMARY", false) && !yk_env_bool("YOKE_QUIET", false);
    o->json = yk_env_str("YOKE_JSON", NULL);
    const char *as = yk_env_str("YOKE_AS", NULL);
    if (as && !strcmp(as, "gpu"))
        o->as = CL_DEVICE_TYPE_GPU;
    else if (as && !strcmp(as, "cpu"))
        o->as = CL_DEVICE_TYPE_CPU;
    else if (as)
        yk_warn("YOKE_AS=%s is neither gpu nor cpu; ignored", as);
    const char *platform = yk_env_str("YOKE_PLATFORM", "auto");
    bool chosen = !strcmp(platform, "primary") || !strcmp(platform, "yoke");
    if (!chosen && strcmp(platform, "auto"))
        yk_warn("YOKE_PLATFORM=%s is none of auto, yoke, primary; auto is used", platform);
    o->as_primary = chosen && platform[0] == 'p';
    o->platform_as_primary = o->as_primary || (!chosen && yk_by_name());
}

/* In a child of an initialised process the threads and the drivers' state are gone. Only the mode is set here: whoever
 * calls hears of it then. */
static void forked(void)
{
    __atomic_store_n(&yk_mode, YK_MODE_FORKED, __ATOMIC_RELEASE);
}

static void start(void)
{
    enum yk_mode mode = YK_MODE_PASS;
    starting = true;
    if (!getauxval(AT_SECURE) && !yk_env_bool("YOKE_DISABLE", false)) {
        yk_status s;
        (void)yk_log_enabled(YK_LOG_WARN);
        read_options(&yk_rt.options);
        if (yk_env_bool("YOKE_PROFILE", true))
            yk_machine_let_sleep(yk_unasked_may_be() ? YK_SLEEP_UNASKED : YK_SLEEP_KEPT);
        yk_rt.machine = yk_machine_get(&s);
        if (yk_rt.machine && yk_rt.machine->n) {
            yk_rt.primary = &yk_rt.machine->device[yk_rt.machine->primary];
            for (unsigned i = 0; i < yk_rt.machine->n; i++)
                if (yk_rt.machine->device[i].usable)
                    yk_rt.device_types |= yk_rt.machine->device[i].type & ~(cl_device_type)CL_DEVICE_TYPE_DEFAULT;
            yk_rt.device_types |= yk_rt.options.as;
            yk_rt.device_type = yk_rt.options.as ? yk_rt.options.as | (yk_rt.primary->type & CL_DEVICE_TYPE_DEFAULT)
                                                 : yk_rt.primary->type;
            /* PoCL runs small launches of a queue back to back without a pause: merged they were 1.6 times as slow
             * (1,000 launches of 1 to 16 groups), since merged kernels are compiled less well. */
            if (yk_rt.options.gather == YK_GATHER_AUTO && yk_rt.primary->type & CL_DEVICE_TYPE_CPU)
                yk_rt.options.gather = YK_GATHER_OFF;
            yk_handle_init(&yk_rt.platform, YK_KIND_PLATFORM, NULL);
            yk_handle_init(&yk_rt.device, YK_KIND_DEVICE, NULL);
            yk_trace_start();
            mode = pthread_atfork(NULL, NULL, forked) ? YK_MODE_PASS : YK_MODE_ON;
        } else if (yk_env_str("YOKE_DEVICES", NULL)) {
            mode = YK_MODE_NONE; /* never bare on devices that the user has excluded */
        }
    }
    starting = false;
    __atomic_store_n(&yk_mode, mode, __ATOMIC_RELEASE);
}

enum yk_mode yk_runtime_start(void)
{
    if (starting) /* reached from inside discovery: the real functions are meant */
        return YK_MODE_PASS;
    enum yk_mode mode = __atomic_load_n(&yk_mode, __ATOMIC_ACQUIRE);
    if (mode == YK_MODE_UNKNOWN) {
        int saved = errno;
        pthread_once(&once, start);
        mode = __atomic_load_n(&yk_mode, __ATOMIC_ACQUIRE);
        errno = saved;
    }
    if (mode == YK_MODE_FORKED) {
        static char said;
        if (!__atomic_test_and_set(&said, __ATOMIC_RELAXED))
            yk_error(
                "OpenCL was in use before fork(): it cannot be used in the child; fork first, or exec in the child");
    }
    return mode;
}

const char *yk_runtime_folder(void)
{
    static char folder[4096];
    static char done;
    if (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        char text[4096] = "";
        Dl_info info;
        if (dladdr((void *)&yk_mode, &info) && info.dli_fname && realpath(info.dli_fname, text)) {
            char *slash = strrchr(text, '/');
            if (slash)
                *slash = 0;
        } else {
            text[0] = 0;
        }
        memcpy(folder, text, sizeof folder);
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
    return folder;
}
