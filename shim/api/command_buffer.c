#include "shim/api/command_buffer.h"
#include <pthread.h>
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/object/command_buffer.h"

struct yk_command_buffer_driver yk_command_buffer_driver;
static bool offered;

/* From this version on every recording function has one more parameter. */
static bool known_version(void)
{
    enum { MOST = 256 };
    cl_name_version *v = calloc(MOST, sizeof *v);
    size_t n = 0;
    bool known = false;
    if (v && YK_CL_P->GetDeviceInfo(yk_rt.primary->id, CL_DEVICE_EXTENSIONS_WITH_VERSION, MOST * sizeof *v, v, &n) ==
                 CL_SUCCESS)
        for (size_t i = 0; i < n / sizeof *v; i++)
            known |=
                !strcmp(v[i].name, CL_KHR_COMMAND_BUFFER_EXTENSION_NAME) && v[i].version < CL_MAKE_VERSION(0, 9, 5);
    free(v);
    return known;
}

static void load(void)
{
    void *p;
    offered = known_version();
#define X(name)                                                                                                        \
    p = YK_CL_P->GetExtensionFunctionAddressForPlatform(yk_rt.primary->platform, "cl" #name);                          \
    offered &= p != NULL;                                                                                              \
    memcpy(&yk_command_buffer_driver.name, &p, sizeof p);
    YK_COMMAND_BUFFER_FUNCTIONS(X)
#undef X
}

bool yk_command_buffer_offered(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return offered;
}

bool yk_command_buffer_on(void)
{
    return __atomic_load_n(&yk_mode, __ATOMIC_ACQUIRE) == YK_MODE_ON && yk_command_buffer_offered();
}

static void release_real(cl_command_buffer_khr real)
{
    YK_ASK_DRIVER(yk_command_buffer_driver.ReleaseCommandBufferKHR(real));
}

static cl_command_buffer_khr CL_API_CALL create(cl_uint num_queues, const cl_command_queue *queues,
                                                const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
    struct yk_queue *q = num_queues == 1 && queues ? yk_queue_from(queues[0]) : NULL;
    struct yk_command_buffer *b = NULL;
    cl_command_buffer_khr real = NULL;
    cl_int err = !yk_command_buffer_on()      ? CL_INVALID_OPERATION
                 : num_queues != 1 || !queues ? CL_INVALID_VALUE
                 : !q                         ? CL_INVALID_COMMAND_QUEUE
                                              : CL_SUCCESS;
    bool simultaneous = false;
    for (const cl_command_buffer_properties_khr *p = properties; p && *p; p += 2)
        simultaneous |= *p == CL_COMMAND_BUFFER_FLAGS_KHR && (p[1] & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    if (err == CL_SUCCESS) {
        yk_driver_depth++;
        real = yk_command_buffer_driver.CreateCommandBufferKHR(1, &q->real, properties, &err);
        yk_driver_depth--;
    }
    if (real && !(b = yk_command_buffer_wrap(q, real, release_real, simultaneous)))
        err = CL_OUT_OF_HOST_MEMORY;
    yk_set_err(errcode_ret, err);
    return (cl_command_buffer_khr)(void *)b;
}

static cl_int CL_API_CALL finalize(cl_command_buffer_khr command_buffer)
{
    struct yk_command_buffer *b = yk_command_buffer_from(command_buffer);
    if (!b || !yk_command_buffer_on())
        return CL_INVALID_COMMAND_BUFFER_KHR;
    cl_int err = YK_ASK_DRIVER(yk_command_buffer_driver.FinalizeCommandBufferKHR(b->real));
    if (err == CL_SUCCESS) {
        yk_lock_take(&b->lock);
        b->finalized = true;
        yk_lock_drop(&b->lock);
    }
    return err;
}

static cl_int CL_API_CALL retain(cl_command_buffer_khr command_buffer)
{
    struct yk_command_buffer *b = yk_command_buffer_from(command_buffer);
    if (!b)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    yk_handle_retain(&b->h);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release(cl_command_buffer_khr command_buffer)
{
    struct yk_command_buffer *b = yk_command_buffer_from(command_buffer);
    if (!b || !yk_handle_owned(&b->h))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    yk_handle_release(&b->h);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL info(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name,
                               size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct yk_command_buffer *b = yk_command_buffer_from(command_buffer);
    if (!b || !yk_command_buffer_on())
        return CL_INVALID_COMMAND_BUFFER_KHR;
    switch (param_name) {
    case CL_COMMAND_BUFFER_QUEUES_KHR:
        YK_INFO(cl_command_queue, (cl_command_queue)(void *)b->queue);
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
        YK_INFO(cl_uint, yk_handle_refs(&b->h));
    case CL_COMMAND_BUFFER_STATE_KHR:
        YK_INFO(cl_command_buffer_state_khr, yk_command_buffer_state(b));
    default:
        return YK_ASK_DRIVER(yk_command_buffer_driver.GetCommandBufferInfoKHR(b->real, param_name, param_value_size,
                                                                              param_value, param_value_size_ret));
    }
}

#define HANDLE(m) ((cl_mem)(void *)(m))

static cl_int issue(const struct yk_recorded *r, cl_command_queue q, cl_uint nwait, const cl_event *wait, cl_event *e)
{
    cl_mem from = HANDLE(r->from), to = HANDLE(r->to);
    switch (r->kind) {
    case YK_RECORDED_BARRIER:
        return yk_api_EnqueueBarrierWithWaitList(q, nwait, wait, e);
    case YK_RECORDED_COPY:
        return yk_api_EnqueueCopyBuffer(q, from, to, r->offset, r->to_offset, r->size, nwait, wait, e);
    case YK_RECORDED_COPY_RECT:
        return yk_api_EnqueueCopyBufferRect(q, from, to, r->origin, r->to_origin, r->region, r->row_pitch,
                                            r->slice_pitch, r->to_row_pitch, r->to_slice_pitch, nwait, wait, e);
    case YK_RECORDED_BUFFER_TO_IMAGE:
        return yk_api_EnqueueCopyBufferToImage(q, from, to, r->offset, r->to_origin, r->region, nwait, wait, e);
    case YK_RECORDED_COPY_IMAGE:
        return yk_api_EnqueueCopyImage(q, from, to, r->origin, r->to_origin, r->region, nwait, wait, e);
    case YK_RECORDED_IMAGE_TO_BUFFER:
        return yk_api_EnqueueCopyImageToBuffer(q, from, to, r->origin, r->region, r->to_offset, nwait, wait, e);
    case YK_RECORDED_FILL:
        return yk_api_EnqueueFillBuffer(q, to, r->pattern, r->pattern_size, r->to_offset, r->size, nwait, wait, e);
    case YK_RECORDED_FILL_IMAGE:
        return yk_api_EnqueueFillImage(q, to, r->pattern, r->to_origin, r->region, nwait, wait, e);
    case YK_RECORDED_LAUNCH:
        break;
    }
    return yk_api_EnqueueNDRangeKernel(q, (cl_kernel)(void *)r->kernel, r->dims,
                                       r->has_offset ? r->global_offset : NULL, r->global,
                                       r->has_local ? r->local : NULL, nwait, wait, e);
}

/* Each command behind the one before it: also where the queue itself would let them overtake one another. */
static cl_int issue_all(const struct yk_command_buffer *b, cl_command_queue q, cl_uint nwait, const cl_event *wait,
                        cl_event *done)
{
    cl_event before = NULL, after = NULL;
    cl_int err = CL_SUCCESS;
    for (size_t i = 0; i < b->command.n && err == CL_SUCCESS; i++) {
        err = issue(&b->command.v[i], q, before ? 1 : nwait, before ? &before : wait, &after);
        if (before)
            yk_api_ReleaseEvent(before);
        before = err == CL_SUCCESS ? after : NULL;
    }
    if (err == CL_SUCCESS)
        err = yk_api_EnqueueMarkerWithWaitList(q, before ? 1 : nwait, before ? &before : wait, done);
    if (before)
        yk_api_ReleaseEvent(before);
    return err;
}

/* May what B has under way wait for the program itself? */
static bool is_held_back(const struct yk_command_buffer *b)
{
    return __atomic_load_n(&b->queue->ctx->open_user_events, __ATOMIC_RELAXED) != 0;
}

/* A driver that is done when it returns (PoCL's basic) takes B again at once: so must we, who may be later. */
static void wait_for_last(struct yk_command_buffer *b)
{
    yk_lock_take(&b->lock);
    struct yk_event *last = b->last;
    if (last)
        yk_hold(&last->h);
    yk_lock_drop(&b->lock);
    if (!last)
        return;
    yk_queue_ask(b->queue);
    (void)yk_event_wait(last);
    yk_drop(&last->h);
}

static cl_int check_enqueue(struct yk_command_buffer *b, cl_uint num_queues, const cl_command_queue *queues,
                            struct yk_queue **q)
{
    if (!num_queues != !queues || num_queues > 1)
        return CL_INVALID_VALUE;
    *q = num_queues ? yk_queue_from(queues[0]) : b->queue;
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    if ((*q)->ctx != b->queue->ctx)
        return CL_INVALID_CONTEXT;
    if ((*q)->device != b->queue->device || (*q)->properties != b->queue->properties)
        return CL_INCOMPATIBLE_COMMAND_QUEUE_KHR;
    cl_command_buffer_state_khr state = yk_command_buffer_state(b);
    if (state == CL_COMMAND_BUFFER_STATE_PENDING_KHR && !b->simultaneous && !is_held_back(b)) {
        wait_for_last(b);
        state = yk_command_buffer_state(b);
    }
    if (state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR ||
        (state == CL_COMMAND_BUFFER_STATE_PENDING_KHR && !b->simultaneous))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL enqueue(cl_uint num_queues, cl_command_queue *queues, cl_command_buffer_khr command_buffer,
                                  cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct yk_command_buffer *b = yk_command_buffer_from(command_buffer);
    struct yk_queue *q;
    cl_event done = NULL;
    if (!b || !yk_command_buffer_on())
        return CL_INVALID_COMMAND_BUFFER_KHR;
    cl_int err = check_enqueue(b, num_queues, queues, &q);
    if (err == CL_SUCCESS)
        err = issue_all(b, (cl_command_queue)(void *)q, nwait, wait, &done);
    if (err != CL_SUCCESS)
        return err;
    struct yk_event *ev = yk_event_from(done), *old;
    ev->type = CL_COMMAND_COMMAND_BUFFER_KHR; /* nobody else has seen it yet */
    yk_hold(&ev->h);
    yk_lock_take(&b->lock);
    old = b->last;
    b->last = ev;
    yk_lock_drop(&b->lock);
    if (old)
        yk_drop(&old->h);
    if (event)
        *event = done;
    else
        yk_api_ReleaseEvent(done);
    return CL_SUCCESS;
}

void *yk_command_buffer_function(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } table[] = {{"clCreateCommandBufferKHR", (void *)create},
                 {"clFinalizeCommandBufferKHR", (void *)finalize},
                 {"clRetainCommandBufferKHR", (void *)retain},
                 {"clReleaseCommandBufferKHR", (void *)release},
                 {"clEnqueueCommandBufferKHR", (void *)enqueue},
                 {"clCommandBarrierWithWaitListKHR", (void *)yk_record_barrier},
                 {"clCommandCopyBufferKHR", (void *)yk_record_copy},
                 {"clCommandCopyBufferRectKHR", (void *)yk_record_copy_rect},
                 {"clCommandCopyBufferToImageKHR", (void *)yk_record_buffer_to_image},
                 {"clCommandCopyImageKHR", (void *)yk_record_copy_image},
                 {"clCommandCopyImageToBufferKHR", (void *)yk_record_image_to_buffer},
                 {"clCommandFillBufferKHR", (void *)yk_record_fill},
                 {"clCommandFillImageKHR", (void *)yk_record_fill_image},
                 {"clCommandNDRangeKernelKHR", (void *)yk_record_launch},
                 {"clGetCommandBufferInfoKHR", (void *)info}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return yk_command_buffer_offered() ? table[i].function : NULL;
    return NULL;
}
