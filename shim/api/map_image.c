/* Mapping images. The driver's pointer is handed out where the command goes straight to it. A map that is carried out
 * later has to name its pointer at once: it is to memory of yoke's own, which the worker fills from the image, and
 * which its unmap writes back; of an image over the program's memory it is the place there, as the specification says.
 */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/api/image_command.h"

#define I      ((struct yk_image_command *)c)
#define Q      (c->queue->real)
#define A      (yk_mem_real(I->a, YK_P))
#define WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

static cl_int map_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    cl_int err = CL_SUCCESS;
    I->ptr = YK_CL_P->EnqueueMapImage(Q, A, blocking, I->map_flags, I->origin, I->region, &I->row_pitch,
                                      &I->slice_pitch, nwait, wait, real, &err);
    return err;
}

/* The worker: the pointer is promised. */
static cl_int map_carry(struct yk_command *c, cl_event *real)
{
    (void)real;
    cl_int err = CL_SUCCESS;
    if (I->a->host_ptr) {
        size_t row, slice;
        void *p = YK_CL_P->EnqueueMapImage(Q, A, CL_TRUE, I->map_flags, I->origin, I->region, &row, &slice, 0, NULL,
                                           NULL, &err);
        return p == I->ptr ? CL_SUCCESS : err != CL_SUCCESS ? err : CL_MAP_FAILURE;
    }
    if (I->map_flags & CL_MAP_WRITE_INVALIDATE_REGION)
        return YK_CL_P->Finish(Q);
    return YK_CL_P->EnqueueReadImage(Q, A, CL_TRUE, I->origin, I->region, 0, 0, I->ptr, 0, NULL, NULL);
}

/* It was thought to go straight to the driver, but another thread has filled the queue since. */
enum { NOT_PROMISED = -99999 };

static cl_int map_capture(struct yk_command *c)
{
    return I->promised ? yk_image_capture(c) : NOT_PROMISED;
}

const struct yk_command_kind yk_map_image_kind = {.type = CL_COMMAND_MAP_IMAGE,
                                                  .issue = map_issue,
                                                  .resident = yk_image_resident,
                                                  .capture = map_capture,
                                                  .carry = map_carry,
                                                  .release = yk_image_release};

static bool never(struct yk_command *c)
{
    (void)c;
    return false;
}

static cl_int unmap_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    (void)c, (void)blocking, (void)nwait, (void)wait, (void)real;
    return CL_INVALID_OPERATION; /* always captured, then carried */
}

static cl_int unmap_carry(struct yk_command *c, cl_event *real)
{
    (void)real;
    /* Where the map itself may have failed the app has seen nothing that is worth writing. */
    if (!(I->map_flags & WRITES) || yk_queue_failed(c->queue))
        return CL_SUCCESS;
    cl_int err = YK_CL_P->EnqueueWriteImage(Q, A, CL_TRUE, I->origin, I->region, 0, 0, I->ptr, 0, NULL, NULL);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(I->a, 0, I->a->size);
    return err;
}

static cl_int unmap_capture(struct yk_command *c)
{
    yk_hold(&I->a->h);
    __atomic_fetch_add(&I->stage->holds, 1, __ATOMIC_RELAXED);
    return CL_SUCCESS;
}

static void unmap_release(struct yk_command *c)
{
    yk_stage_drop(I->stage);
    yk_drop(&I->a->h);
}

static const struct yk_command_kind unmap_kind = {.type = CL_COMMAND_UNMAP_MEM_OBJECT,
                                                  .tidies = true,
                                                  .issue = unmap_issue,
                                                  .resident = never,
                                                  .capture = unmap_capture,
                                                  .carry = unmap_carry,
                                                  .release = unmap_release};

cl_int yk_image_unmap(struct yk_queue *q, struct yk_mem *m, struct yk_mapping *p, cl_uint nwait, const cl_event *wait,
                      cl_event *event)
{
    struct yk_image_command i = {.c = {.kind = &unmap_kind, .size = sizeof i, .queue = q, .uses = {m, NULL}},
                                 .a = m,
                                 .ptr = p->ptr,
                                 .map_flags = p->flags,
                                 .stage = p->stage};
    yk_copy3(i.origin, p->corner), yk_copy3(i.region, p->region);
    return yk_command_enqueue(&i.c, false, nwait, wait, event);
}

/* Will the command go straight to the driver? Else its pointer must be made now. Wrong lists are the enqueue's affair.
 */
static bool goes_straight(struct yk_queue *q, cl_uint nwait, const cl_event *wait)
{
    if (yk_queue_busy(q))
        return false;
    for (cl_uint k = 0; wait && k < nwait; k++) {
        struct yk_event *ev = yk_event_from(wait[k]);
        if (ev && __atomic_load_n(&ev->status, __ATOMIC_ACQUIRE) != CL_COMPLETE &&
            (!__atomic_load_n(&ev->real, __ATOMIC_ACQUIRE) || yk_event_status(ev) < 0))
            return false;
    }
    return true;
}

static struct yk_stage *stage_of(size_t bytes)
{
    struct yk_stage *s = malloc(sizeof *s);
    void *p = bytes < SIZE_MAX - 128 ? aligned_alloc(128, (bytes + 127) & ~(size_t)127) : NULL;
    if (!s || !p) {
        free(s);
        free(p);
        return NULL;
    }
    *s = (struct yk_stage){1, p};
    return s;
}

/* The pointer of a map that the worker carries out, with its pitches. */
static cl_int promise(struct yk_image_command *i, struct yk_mapping *p)
{
    size_t element = yk_image_size(i->a, CL_IMAGE_ELEMENT_SIZE), bytes;
    bool layers = i->a->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = layers || i->a->type == CL_MEM_OBJECT_IMAGE3D || i->a->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    i->promised = true;
    if (i->a->host_ptr) {
        i->row_pitch = yk_image_size(i->a, CL_IMAGE_ROW_PITCH);
        i->slice_pitch = slices ? yk_image_size(i->a, CL_IMAGE_SLICE_PITCH) : 0;
        size_t rows =
            layers ? i->origin[1] * i->slice_pitch : i->origin[1] * i->row_pitch + i->origin[2] * i->slice_pitch;
        i->ptr = (char *)i->a->host_ptr + rows + i->origin[0] * element;
        return CL_SUCCESS;
    }
    i->row_pitch = i->region[0] * element;
    i->slice_pitch = !slices ? 0 : layers ? i->row_pitch : i->row_pitch * i->region[1];
    if (__builtin_mul_overflow(i->row_pitch * i->region[1], i->region[2], &bytes) || !(p->stage = stage_of(bytes)))
        return CL_OUT_OF_HOST_MEMORY;
    i->ptr = p->stage->bytes;
    return CL_SUCCESS;
}

static void note(struct yk_mem *m, struct yk_mapping *p)
{
    yk_lock_take(&m->lock);
    p->next = m->mappings;
    m->mappings = p;
    __atomic_fetch_add(&m->map_count, 1, __ATOMIC_RELAXED);
    yk_lock_drop(&m->lock);
}

/* What the driver says of a map at once. */
static cl_int check(struct yk_image_command *i)
{
    const cl_map_flags all = CL_MAP_READ | WRITES, flags = i->map_flags;
    if (!yk_image_inside(i->a, i->origin, i->region) || (flags & ~all) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int map(struct yk_image_command *i, struct yk_mapping *p, bool blocking, cl_uint nwait, const cl_event *wait,
                  cl_event *event)
{
    cl_int err = NOT_PROMISED;
    if (goes_straight(i->c.queue, nwait, wait))
        err = yk_command_enqueue(&i->c, blocking, nwait, wait, event);
    if (err == NOT_PROMISED && (err = check(i)) == CL_SUCCESS && (err = promise(i, p)) == CL_SUCCESS)
        err = yk_command_enqueue(&i->c, blocking, nwait, wait, event);
    if (p->stage && (err != CL_SUCCESS || i->ptr != p->stage->bytes)) { /* straight to the driver all the same */
        yk_stage_drop(p->stage);
        p->stage = NULL;
    }
    return err == CL_SUCCESS && !i->ptr ? CL_MAP_FAILURE : err;
}

static bool has_slices(const struct yk_mem *m)
{
    return m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE3D ||
           m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

void *yk_api_EnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map, cl_map_flags map_flags,
                             const size_t *origin, const size_t *region, size_t *image_row_pitch,
                             size_t *image_slice_pitch, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &yk_map_image_kind, command_queue, image, NULL, false);
    if (err == CL_SUCCESS && (!origin || !region || !image_row_pitch || (!image_slice_pitch && has_slices(i.a))))
        err = CL_INVALID_VALUE;
    if (err == CL_SUCCESS && !yk_image_host_may(i.a, map_flags & CL_MAP_READ, map_flags & WRITES))
        err = CL_INVALID_OPERATION;
    /* Whatever may be lacking is asked for before the command is on its way. */
    struct yk_mapping *p = err == CL_SUCCESS ? calloc(1, sizeof *p) : NULL;
    if (err == CL_SUCCESS && !p)
        err = CL_OUT_OF_HOST_MEMORY;
    if (err == CL_SUCCESS) {
        yk_copy3(i.origin, origin), yk_copy3(i.region, region);
        i.map_flags = map_flags;
        err = map(&i, p, blocking_map, num_events_in_wait_list, event_wait_list, event);
    }
    yk_set_err(errcode_ret, err);
    if (err != CL_SUCCESS) {
        free(p);
        return NULL;
    }
    *image_row_pitch = i.row_pitch;
    if (image_slice_pitch)
        *image_slice_pitch = i.slice_pitch;
    p->ptr = i.ptr;
    p->flags = map_flags;
    yk_copy3(p->corner, origin), yk_copy3(p->region, region);
    note(i.a, p);
    return i.ptr;
}
