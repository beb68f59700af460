/* The exported functions: log, scripted fault, implementation. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/env.h"
#include "tests/stub/stub.h"

__thread const char *stub_entry __attribute__((tls_model("initial-exec"))) = "?";
__thread struct yk_fault_verdict stub_verdict __attribute__((tls_model("initial-exec")));

static int log_file = -1;
static const char *exits_in; /* YOKE_STUB_EXIT: a call in which the process ends, as some drivers end it */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
    const char *path = yk_env_str("YOKE_STUB_LOG", NULL);
    if (path)
        log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (path && log_file < 0) {
        perror(path);
        abort();
    }
    exits_in = yk_env_str("YOKE_STUB_EXIT", NULL);
    stub_configure();
}

static void begin(const char *name)
{
    pthread_once(&once, start);
    if (exits_in && !strcmp(name, exits_in))
        exit(3);
}

/* "PID THREAD clFinish DEVICE RESULT", DEVICE "-" for calls of none; RESULT a code, or ok/null for handles. */
static void note(const char *name, unsigned device, bool code, cl_int result)
{
    if (log_file < 0)
        return;
    char line[128], dev[12] = "-", out[16];
    if (device < STUB_DEVICES)
        snprintf(dev, sizeof dev, "%u", device);
    if (code)
        snprintf(out, sizeof out, "%d", result);
    else
        snprintf(out, sizeof out, "%s", result ? "ok" : "null");
    int n = snprintf(line, sizeof line, "%d %d cl%s %s %s\n", getpid(), gettid(), name, dev, out);
    if (write(log_file, line, (size_t)n) != n)
        abort();
}

/* Which device a call concerns: by its first argument, where that is a handle. */
#define BY_HANDLE(x)                                                                                                   \
    _Generic((x), cl_device_id                                                                                         \
             : stub_device_of((const void *)(uintptr_t)(x)), cl_context                                                \
             : stub_device_of((const void *)(uintptr_t)(x)), cl_command_queue                                          \
             : stub_device_of((const void *)(uintptr_t)(x)), cl_mem                                                    \
             : stub_device_of((const void *)(uintptr_t)(x)), cl_program                                                \
             : stub_device_of((const void *)(uintptr_t)(x)), cl_kernel                                                 \
             : stub_device_of((const void *)(uintptr_t)(x)), cl_event                                                  \
             : stub_device_of((const void *)(uintptr_t)(x)), default                                                   \
             : STUB_DEVICES)
#define FIRST_(x, ...)        BY_HANDLE(x)
#define FIRST(...)            FIRST_(__VA_ARGS__, 0)
#define CHOOSE_(a, b, ...)    b
#define CHOOSE(...)           CHOOSE_(__VA_ARGS__)
#define OF_CreateContext      ~, (devices && num_devices ? stub_device_of(devices[0]) : STUB_DEVICES)
#define OF_WaitForEvents      ~, (event_list && num_events ? stub_device_of(event_list[0]) : STUB_DEVICES)
#define OF_UnloadCompiler     ~, STUB_DEVICES
#define DEVICE_OF(name, args) CHOOSE(OF_##name, FIRST args, ~)

#pragma GCC diagnostic ignored "-Wshadow"
static cl_int *const errcode_ret = NULL;

#define IS_CODE(ret)           __builtin_types_compatible_p(ret, cl_int)
#define stub_impl_SVMFree(...) (stub_impl_SVMFree(__VA_ARGS__), 0) /* the one entry without a value */

#define YK_CL(ret, name, version, params, args)                                                                        \
    __attribute__((visibility("default"))) ret cl##name params                                                         \
    {                                                                                                                  \
        begin(#name);                                                                                                  \
        const char *outer = stub_entry;                                                                                \
        stub_entry = "cl" #name;                                                                                       \
        unsigned owner = DEVICE_OF(name, args);                                                                        \
        struct yk_fault_verdict v = yk_fault_next(&stub_state[owner], YK_FAULT_ENTRY_##name);                          \
        intptr_t result;                                                                                               \
        stub_verdict = v;                                                                                              \
        if (v.kind == YK_FAULT_ERROR) {                                                                                \
            if (errcode_ret)                                                                                           \
                *errcode_ret = v.code;                                                                                 \
            result = IS_CODE(ret) ? v.code : 0;                                                                        \
        } else {                                                                                                       \
            result = (intptr_t)(stub_impl_##name args);                                                                \
        }                                                                                                              \
        note(#name, owner, IS_CODE(ret), IS_CODE(ret) ? (cl_int)result : result != 0);                                 \
        stub_entry = outer;                                                                                            \
        return (ret)result;                                                                                            \
    }
#include "device/opencl/api.def"
