/* Tables and thunks: 32 tables whose thunks note which table they belong to and go on to one common function per entry.
 * So a call knows its device without looking at its handles. */
#include "device/fault/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include "device/fault/slot.h"

__thread struct yk_fault_slot *yk_fault_current __attribute__((tls_model("initial-exec")));

/* Entries by form: PLAIN counts; OWN is a function of event.c or queue.c; ENQ and MAP make an event. */
#define FORM_(a, form, ...)                 form
#define FORM(...)                           FORM_(__VA_ARGS__, PLAIN, PLAIN)
#define THUNK__(form)                       THUNK_##form
#define THUNK_(form)                        THUNK__(form)
#define THUNK(name)                         THUNK_(FORM(IS_##name))
#define IS_GetEventInfo                     ~, OWN
#define IS_WaitForEvents                    ~, OWN
#define IS_SetEventCallback                 ~, OWN
#define IS_GetEventProfilingInfo            ~, OWN
#define IS_RetainEvent                      ~, OWN
#define IS_ReleaseEvent                     ~, OWN
#define IS_Finish                           ~, OWN
#define IS_CreateCommandQueue               ~, OWN
#define IS_CreateCommandQueueWithProperties ~, OWN
#define IS_ReleaseCommandQueue              ~, OWN
#define IS_GetCommandQueueInfo              ~, OWN
#define IS_EnqueueReadBuffer                ~, ENQ
#define IS_EnqueueReadBufferRect            ~, ENQ
#define IS_EnqueueWriteBuffer               ~, ENQ
#define IS_EnqueueWriteBufferRect           ~, ENQ
#define IS_EnqueueFillBuffer                ~, ENQ
#define IS_EnqueueCopyBuffer                ~, ENQ
#define IS_EnqueueCopyBufferRect            ~, ENQ
#define IS_EnqueueReadImage                 ~, ENQ
#define IS_EnqueueWriteImage                ~, ENQ
#define IS_EnqueueFillImage                 ~, ENQ
#define IS_EnqueueCopyImage                 ~, ENQ
#define IS_EnqueueCopyImageToBuffer         ~, ENQ
#define IS_EnqueueCopyBufferToImage         ~, ENQ
#define IS_EnqueueMapBuffer                 ~, MAP
#define IS_EnqueueMapImage                  ~, MAP
#define IS_EnqueueUnmapMemObject            ~, ENQ
#define IS_EnqueueMigrateMemObjects         ~, ENQ
#define IS_EnqueueNDRangeKernel             ~, ENQ
#define IS_EnqueueNativeKernel              ~, ENQ
#define IS_EnqueueMarkerWithWaitList        ~, ENQ
#define IS_EnqueueBarrierWithWaitList       ~, ENQ
#define IS_EnqueueSVMFree                   ~, ENQ
#define IS_EnqueueSVMMemcpy                 ~, ENQ
#define IS_EnqueueSVMMemFill                ~, ENQ
#define IS_EnqueueSVMMap                    ~, ENQ
#define IS_EnqueueSVMUnmap                  ~, ENQ
#define IS_EnqueueSVMMigrateMem             ~, ENQ
#define IS_EnqueueMarker                    ~, ENQ
#define IS_EnqueueTask                      ~, ENQ
#define IS_EnqueueAcquireGLObjects          ~, ENQ
#define IS_EnqueueReleaseGLObjects          ~, ENQ
#define IS_EnqueueAcquireEGLObjectsKHR      ~, ENQ
#define IS_EnqueueReleaseEGLObjectsKHR      ~, ENQ

/* Parameters of these names shadow the constants, so that one text serves entries with and without them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
static cl_int *const errcode_ret = NULL;
static const cl_uint num_events_in_wait_list = 0;
static const cl_event *const event_wait_list = NULL;
static const cl_bool blocking_read = 0, blocking_write = 0, blocking_map = 0, blocking_copy = 0;
static const size_t size = 0;
static const size_t *const region = NULL;

#define FAILED(ret, code) (ret)(intptr_t)(__builtin_types_compatible_p(ret, cl_int) ? (code) : 0)
#define ENTER(ret, name)                                                                                               \
    struct yk_fault_slot *slot = yk_fault_current;                                                                     \
    struct yk_fault_verdict verdict = yk_fault_next(&slot->state, YK_FAULT_ENTRY_##name);                              \
    if (verdict.kind == YK_FAULT_ERROR) {                                                                              \
        if (errcode_ret)                                                                                               \
            *errcode_ret = verdict.code;                                                                               \
        return FAILED(ret, verdict.code);                                                                              \
    }
/* Images count four bytes an element. */
#define BEGIN(name)                                                                                                    \
    struct yk_fault_call call = {.slot = slot,                                                                         \
                                 .entry = YK_FAULT_ENTRY_##name,                                                       \
                                 .queue = command_queue,                                                               \
                                 .waits = num_events_in_wait_list,                                                     \
                                 .wait = event_wait_list,                                                              \
                                 .out = event,                                                                         \
                                 .blocking = blocking_read || blocking_write || blocking_map || blocking_copy,         \
                                 .bytes = region ? 4 * (uint64_t)region[0] * region[1] * region[2] : size};            \
    yk_fault_call_begin(&call, verdict);                                                                               \
    event = call.pass

#define THUNK_PLAIN(ret, name, params, args)                                                                           \
    static __attribute__((noinline)) ret common_##name params                                                          \
    {                                                                                                                  \
        ENTER(ret, name)                                                                                               \
        return slot->below->name args;                                                                                 \
    }
#define THUNK_OWN(ret, name, params, args)                                                                             \
    static __attribute__((noinline)) ret common_##name params                                                          \
    {                                                                                                                  \
        ENTER(ret, name)                                                                                               \
        return slot->follow ? yk_fault_##name args : slot->below->name args;                                           \
    }
#define THUNK_ENQ(ret, name, params, args)                                                                             \
    static __attribute__((noinline)) ret common_##name params                                                          \
    {                                                                                                                  \
        ENTER(ret, name)                                                                                               \
        if (!slot->follow)                                                                                             \
            return slot->below->name args;                                                                             \
        BEGIN(name);                                                                                                   \
        return yk_fault_call_end(&call, call.skip ? slot->below->EnqueueMarkerWithWaitList(command_queue,              \
                                                                                           num_events_in_wait_list,    \
                                                                                           event_wait_list, event)     \
                                                  : slot->below->name args);                                           \
    }
#define THUNK_MAP(ret, name, params, args)                                                                             \
    static __attribute__((noinline)) ret common_##name params                                                          \
    {                                                                                                                  \
        ENTER(ret, name)                                                                                               \
        if (!slot->follow)                                                                                             \
            return slot->below->name args;                                                                             \
        BEGIN(name);                                                                                                   \
        cl_int result = CL_SUCCESS, *to = errcode_ret;                                                                 \
        errcode_ret = &result;                                                                                         \
        ret mapped = slot->below->name args;                                                                           \
        result = yk_fault_call_end(&call, result);                                                                     \
        if (to)                                                                                                        \
            *to = result;                                                                                              \
        return result == CL_SUCCESS ? mapped : NULL;                                                                   \
    }
#define YK_CL(ret, name, version, params, args) THUNK(name)(ret, name, params, args)
#include "device/opencl/api.def"

#define EACH(X, ...)                                                                                                   \
    X(0, __VA_ARGS__)                                                                                                  \
    X(1, __VA_ARGS__)                                                                                                  \
    X(2, __VA_ARGS__)                                                                                                  \
    X(3, __VA_ARGS__)                                                                                                  \
    X(4, __VA_ARGS__)                                                                                                  \
    X(5, __VA_ARGS__)                                                                                                  \
    X(6, __VA_ARGS__)                                                                                                  \
    X(7, __VA_ARGS__)                                                                                                  \
    X(8, __VA_ARGS__)                                                                                                  \
    X(9, __VA_ARGS__)                                                                                                  \
    X(10, __VA_ARGS__)                                                                                                 \
    X(11, __VA_ARGS__)                                                                                                 \
    X(12, __VA_ARGS__)                                                                                                 \
    X(13, __VA_ARGS__)                                                                                                 \
    X(14, __VA_ARGS__)                                                                                                 \
    X(15, __VA_ARGS__)                                                                                                 \
    X(16, __VA_ARGS__)                                                                                                 \
    X(17, __VA_ARGS__)                                                                                                 \
    X(18, __VA_ARGS__)                                                                                                 \
    X(19, __VA_ARGS__)                                                                                                 \
    X(20, __VA_ARGS__)                                                                                                 \
    X(21, __VA_ARGS__)                                                                                                 \
    X(22, __VA_ARGS__)                                                                                                 \
    X(23, __VA_ARGS__)                                                                                                 \
    X(24, __VA_ARGS__)                                                                                                 \
    X(25, __VA_ARGS__)                                                                                                 \
    X(26, __VA_ARGS__)                                                                                                 \
    X(27, __VA_ARGS__)                                                                                                 \
    X(28, __VA_ARGS__)                                                                                                 \
    X(29, __VA_ARGS__)                                                                                                 \
    X(30, __VA_ARGS__)                                                                                                 \
    X(31, __VA_ARGS__)

static struct yk_fault_slot *slots[YK_FAULT_DEVICES];

#define ENTRY(slot, ret, name, params, args)                                                                           \
    static ret s##slot##_##name params                                                                                 \
    {                                                                                                                  \
        yk_fault_current = slots[slot];                                                                                \
        return common_##name args;                                                                                     \
    }
#define YK_CL(ret, name, version, params, args) EACH(ENTRY, ret, name, params, args)
#include "device/opencl/api.def"
#pragma GCC diagnostic pop

#define MEMBER(slot, name) [slot].name = s##slot##_##name,
static const struct yk_cl tables[YK_FAULT_DEVICES] = {
#define YK_CL(ret, name, version, params, args) EACH(MEMBER, name)
#include "device/opencl/api.def"
};

const struct yk_cl *yk_cl_fault(unsigned device, const struct yk_cl *below, const char *script, char *err, size_t n)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    static unsigned used;
    if (n)
        *err = 0;
    if (!script || !*script)
        return below;
    struct yk_fault_slot *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(err, n, "fault script: no memory");
        return NULL;
    }
    const struct yk_cl *made = NULL;
    if (yk_fault_parse(script, &s->script, err, n) != YK_OK)
        goto done;
    if (device >= YK_FAULT_DEVICES || !yk_fault_touches(&s->script, device)) {
        made = below;
        goto done;
    }
    s->below = below;
    s->model = s->script.model[device];
    s->timed = s->model.slow > 1 || s->model.bytes_per_ns > 0;
    s->follow = yk_fault_follows_events(&s->script, device);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->timer_lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->timer_wake, &attr);
    pthread_condattr_destroy(&attr);
    yk_fault_start(&s->state, &s->script, device);
    pthread_mutex_lock(&making);
    if (used < YK_FAULT_DEVICES) {
        slots[used] = s;
        s = NULL;
        made = &tables[used++];
    } else {
        snprintf(err, n, "fault script: more than %d wrapped devices", YK_FAULT_DEVICES);
    }
    pthread_mutex_unlock(&making);
done:
    free(s);
    return made;
}

bool yk_cl_fault_own_memory(unsigned device, const char *script, bool *gpu)
{
    struct yk_fault_script s;
    char err[256];
    bool good = device < YK_FAULT_DEVICES && yk_fault_parse(script, &s, err, sizeof err) == YK_OK;
    *gpu = good && s.gpu[device];
    return good && s.own_memory[device];
}

unsigned yk_cl_fault_fired(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < YK_FAULT_DEVICES; i++)
        n += slots[i] ? atomic_load(&slots[i]->state.fired) : 0;
    return n;
}
