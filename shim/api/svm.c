/* Shared virtual memory: the primary's, launches with it run whole there. Commands wait for what is pending in their
 * queue, then go to the primary's. */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/memory/svm_range.h"
#include "shim/queue/command.h"

void *yk_api_SVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    struct yk_context *ctx = yk_context_from(context);
    void *p = ctx ? YK_CL_P->SVMAlloc(ctx->real[YK_P], flags, size, alignment) : NULL;
    if (p && !yk_svm_range_add(p, size)) {
        YK_CL_P->SVMFree(ctx->real[YK_P], p);
        return NULL;
    }
    return p;
}

void yk_api_SVMFree(cl_context context, void *svm_pointer)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx)
        return;
    yk_svm_range_remove(svm_pointer);
    YK_CL_P->SVMFree(ctx->real[YK_P], svm_pointer);
}

/* One structure for all; what the app may free after the call is copied when captured. */
struct svm_command {
    struct yk_command c;
    void *to;
    const void *from;
    size_t size, pattern_size;
    cl_map_flags flags;
    cl_uint n;
    void **pointers;      /* the app's until captured */
    const void **migrate; /* the same */
    const size_t *sizes;
    const void *pattern;
    cl_mem_migration_flags migration;
    void (*free_fn)(cl_command_queue, cl_uint, void **, void *);
    void *data;
    bool captured;
};
#define S ((struct svm_command *)c)
#define Q (c->queue->real)

static void *copy_of(const void *p, size_t n)
{
    void *q = p && n ? malloc(n) : NULL;
    if (q)
        memcpy(q, p, n);
    return q;
}

/* What the driver would say at once of a command that is carried out later. */
static cl_int check(const struct yk_command *c)
{
    const cl_map_flags maps = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const cl_mem_migration_flags ways = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const struct svm_command *s = (const struct svm_command *)c;
    uintptr_t to = (uintptr_t)s->to, from = (uintptr_t)s->from;
    switch (c->kind->type) {
    case CL_COMMAND_SVM_MEMCPY:
        if (!to || !from)
            return CL_INVALID_VALUE;
        return to < from + s->size && from < to + s->size ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
    case CL_COMMAND_SVM_MEMFILL:
        return !to || !s->pattern || !s->pattern_size || s->pattern_size > 128 ||
                       (s->pattern_size & (s->pattern_size - 1)) || s->size % s->pattern_size || to % s->pattern_size
                   ? CL_INVALID_VALUE
                   : CL_SUCCESS;
    case CL_COMMAND_SVM_MAP:
        return !to || !s->size || (s->flags & ~maps) ? CL_INVALID_VALUE : CL_SUCCESS;
    case CL_COMMAND_SVM_UNMAP:
        return to ? CL_SUCCESS : CL_INVALID_VALUE;
    case CL_COMMAND_SVM_MIGRATE_MEM:
        return !s->n || !s->migrate || (s->migration & ~ways) ? CL_INVALID_VALUE : CL_SUCCESS;
    default:
        return CL_SUCCESS;
    }
}

static cl_int svm_capture(struct yk_command *c)
{
    cl_int err = check(c);
    if (err != CL_SUCCESS)
        return err;
    const void *pattern = S->pattern;
    void **pointers = S->pointers;
    const void **migrate = S->migrate;
    const size_t *sizes = S->sizes;
    S->pattern = copy_of(pattern, S->pattern_size);
    S->pointers = copy_of(pointers, S->n * sizeof *pointers);
    S->migrate = copy_of(migrate, S->n * sizeof *migrate);
    S->sizes = copy_of(sizes, S->n * sizeof *sizes);
    S->captured = true;
    return (pattern && !S->pattern) || (pointers && S->n && !S->pointers) || (migrate && S->n && !S->migrate) ||
                   (sizes && S->n && !S->sizes)
               ? CL_OUT_OF_HOST_MEMORY
               : CL_SUCCESS;
}

static void svm_release(struct yk_command *c)
{
    free((void *)(uintptr_t)S->pattern);
    free(S->pointers);
    free(S->migrate);
    free((void *)(uintptr_t)S->sizes);
}

#define SVM_KIND(name, type_)                                                                                          \
    static cl_int name##_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait,               \
                               cl_event *real);                                                                        \
    static const struct yk_command_kind name##_kind = {                                                                \
        .type = (type_), .issue = name##_issue, .capture = svm_capture, .release = svm_release};                       \
    static cl_int name##_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)

SVM_KIND(memcpy, CL_COMMAND_SVM_MEMCPY)
{
    return YK_CL_P->EnqueueSVMMemcpy(Q, blocking, S->to, S->from, S->size, nwait, wait, real);
}

SVM_KIND(fill, CL_COMMAND_SVM_MEMFILL)
{
    (void)blocking;
    return YK_CL_P->EnqueueSVMMemFill(Q, S->to, S->pattern, S->pattern_size, S->size, nwait, wait, real);
}

SVM_KIND(map, CL_COMMAND_SVM_MAP)
{
    return YK_CL_P->EnqueueSVMMap(Q, blocking, S->flags, S->to, S->size, nwait, wait, real);
}

SVM_KIND(unmap, CL_COMMAND_SVM_UNMAP)
{
    (void)blocking;
    return YK_CL_P->EnqueueSVMUnmap(Q, S->to, nwait, wait, real);
}

SVM_KIND(migrate, CL_COMMAND_SVM_MIGRATE_MEM)
{
    (void)blocking;
    return YK_CL_P->EnqueueSVMMigrateMem(Q, S->n, S->migrate, S->sizes, S->migration, nwait, wait, real);
}

static cl_int enqueue(struct svm_command *s, const struct yk_command_kind *kind, cl_command_queue queue,
                      cl_bool blocking, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    s->c = (struct yk_command){.kind = kind, .size = sizeof *s, .queue = yk_queue_from(queue)};
    if (!s->c.queue)
        return CL_INVALID_COMMAND_QUEUE;
    /* A command carried out later could not say so at once. */
    cl_device_svm_capabilities can = 0;
    YK_CL_P->GetDeviceInfo(yk_context_device(s->c.queue->ctx, s->c.queue->device), CL_DEVICE_SVM_CAPABILITIES,
                           sizeof can, &can, NULL);
    return !can ? CL_INVALID_OPERATION : yk_command_enqueue(&s->c, blocking, nwait, wait, event);
}

cl_int yk_api_EnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                               const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    struct svm_command s = {.to = dst_ptr, .from = src_ptr, .size = size};
    return enqueue(&s, &memcpy_kind, command_queue, blocking_copy, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern, size_t pattern_size,
                                size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event)
{
    struct svm_command s = {.to = svm_ptr, .pattern = pattern, .pattern_size = pattern_size, .size = size};
    return enqueue(&s, &fill_kind, command_queue, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags, void *svm_ptr,
                            size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event)
{
    struct svm_command s = {.to = svm_ptr, .flags = flags, .size = size};
    return enqueue(&s, &map_kind, command_queue, blocking_map, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    struct svm_command s = {.to = svm_ptr};
    return enqueue(&s, &unmap_kind, command_queue, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers,
                                   const size_t *sizes, cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    struct svm_command s = {.n = num_svm_pointers, .migrate = svm_pointers, .sizes = sizes, .migration = flags};
    return enqueue(&s, &migrate_kind, command_queue, false, num_events_in_wait_list, event_wait_list, event);
}

/* Freeing is done by yoke's worker, so that the app's function runs on no driver's thread. */
static cl_int free_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    (void)blocking, (void)nwait, (void)wait, (void)real;
    cl_int err = YK_CL_P->Finish(Q);
    if (S->free_fn)
        S->free_fn((cl_command_queue)(void *)c->queue, S->n, S->pointers, S->data);
    else
        for (cl_uint i = 0; i < S->n; i++)
            yk_api_SVMFree((cl_context)(void *)c->queue->ctx, S->pointers[i]);
    return err;
}

static bool never(struct yk_command *c)
{
    (void)c;
    return false;
}

static const struct yk_command_kind free_kind = {.type = CL_COMMAND_SVM_FREE,
                                                 .tidies = true,
                                                 .issue = free_issue,
                                                 .resident = never,
                                                 .capture = svm_capture,
                                                 .release = svm_release};

cl_int yk_api_EnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
                             void (*pfn_free_func)(cl_command_queue queue, cl_uint num_svm_pointers,
                                                   void *svm_pointers[], void *user_data),
                             void *user_data, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event)
{
    if (!num_svm_pointers != !svm_pointers)
        return CL_INVALID_VALUE;
    struct svm_command s = {
        .n = num_svm_pointers, .pointers = svm_pointers, .free_fn = pfn_free_func, .data = user_data};
    return enqueue(&s, &free_kind, command_queue, false, num_events_in_wait_list, event_wait_list, event);
}
