#include "device/link/ring.h"
#include <stdlib.h>
#include "base/lock.h"
#include "device/link/flight.h"
#include "device/link/ring_memory.h"

struct yk_ring {
    const struct yk_cl *cl;
    struct yk_ring_memory memory;
    size_t bytes;
    struct yk_lock lock; /* guards the next two */
    pthread_cond_t free;
    bool busy;
    bool lost; /* a driver may still be at work in it */
};

struct yk_ring *yk_ring_create(const struct yk_cl *cl, cl_command_queue queue, size_t bytes, enum yk_ring_place place,
                               cl_int *err)
{
    struct yk_ring *r = calloc(1, sizeof *r);
    *err = r ? yk_ring_memory_make(&r->memory, cl, queue, bytes, place) : CL_OUT_OF_HOST_MEMORY;
    if (*err != CL_SUCCESS) {
        free(r);
        return NULL;
    }
    r->cl = cl;
    r->bytes = bytes;
    yk_lock_init(&r->lock, YK_RANK_LEAF);
    pthread_cond_init(&r->free, NULL);
    return r;
}

void yk_ring_destroy(struct yk_ring *r, cl_command_queue queue)
{
    if (!r->lost) /* whatever the device says: nothing of it is under way */
        yk_ring_memory_free(&r->memory, r->cl, queue);
    pthread_cond_destroy(&r->free);
    yk_lock_finish(&r->lock);
    free(r);
}

size_t yk_ring_bytes(const struct yk_ring *r)
{
    return r->bytes;
}

size_t yk_ring_row_most(struct yk_ring_shape shape, size_t bytes)
{
    struct yk_flight f;
    yk_flight_shape(&f, shape, bytes);
    return f.chunk;
}

static bool begin(struct yk_ring *r)
{
    yk_lock_take(&r->lock);
    while (r->busy)
        yk_lock_wait(&r->lock, &r->free);
    bool ok = r->busy = !r->lost;
    yk_lock_drop(&r->lock);
    return ok;
}

static void end(struct yk_ring *r, bool lost)
{
    yk_lock_take(&r->lock);
    r->busy = false;
    r->lost |= lost;
    pthread_cond_signal(&r->free);
    yk_lock_drop(&r->lock);
}

/* F: its pieces, queue, in and steps. */
static cl_int fly(struct yk_ring *r, struct yk_flight *f, struct yk_ring_shape shape)
{
    if (!begin(r))
        return CL_OUT_OF_RESOURCES;
    f->base = r->memory.base;
    bool cut = yk_flight_cut(f, shape, r->bytes);
    cl_int err = cut ? yk_flight_run(f, shape.threads) : CL_OUT_OF_HOST_MEMORY;
    end(r, cut && err != CL_SUCCESS && yk_flight_settle(f->cl, f->queue, f->event, f->slots));
    yk_flight_finish(f);
    return err;
}

static cl_int fly_one(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *device,
                      unsigned char *app, bool in, size_t len)
{
    const struct yk_ring_piece piece = {.buffer = device->buffer, .off = device->off, .host = app, .len = len};
    struct yk_flight f = {.cl = device->cl, .queue = device->queue, .piece = &piece, .npieces = 1, .in = in};
    return len ? fly(r, &f, shape) : CL_SUCCESS;
}

cl_int yk_ring_write(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *to, const void *from,
                     size_t len)
{
    return fly_one(r, shape, to, (unsigned char *)(uintptr_t)from, true, len);
}

cl_int yk_ring_read(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from, void *to, size_t len)
{
    return fly_one(r, shape, from, to, false, len);
}

static cl_int fly_steps(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_cl *cl, cl_command_queue queue,
                        bool in, const struct yk_ring_piece *piece, size_t n, const struct yk_ring_steps *steps)
{
    struct yk_flight f = {.cl = cl, .queue = queue, .piece = piece, .npieces = n, .in = in, .steps = steps};
    return n ? fly(r, &f, shape) : CL_SUCCESS;
}

cl_int yk_ring_write_steps(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_cl *cl,
                           cl_command_queue queue, const struct yk_ring_piece *piece, size_t n,
                           const struct yk_ring_steps *steps)
{
    return fly_steps(r, shape, cl, queue, true, piece, n, steps);
}

cl_int yk_ring_read_steps(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_cl *cl, cl_command_queue queue,
                          const struct yk_ring_piece *piece, size_t n, const struct yk_ring_steps *steps)
{
    return fly_steps(r, shape, cl, queue, false, piece, n, steps);
}

/* G: as F, but to SINK. False: no memory. */
static bool sink_of(const struct yk_flight *f, const struct yk_ring_piece *sink, struct yk_flight *g)
{
    *g = *f;
    if (!(g->at = malloc(f->n * sizeof *g->at)))
        return false;
    for (size_t i = 0; i < f->n; i++)
        g->at[i] = (struct yk_flight_chunk){sink, f->at[i].at, f->at[i].len};
    return true;
}

/* LEN bytes; ROW: 0: in one piece; else in rows of so many, PITCH from one to the next. */
static cl_int copy(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from,
                   const struct yk_ring_end *to, size_t len, size_t row, size_t pitch)
{
    const struct yk_ring_piece source = {from->buffer, from->off, NULL, len, .row = row, .pitch = pitch},
                               sink = {to->buffer, to->off, NULL, len, .row = row, .pitch = pitch};
    struct yk_flight f = {.base = r->memory.base, .cl = from->cl, .queue = from->queue, .piece = &source, .npieces = 1},
                     g;
    cl_event written[YK_RING_SLOTS] = {NULL};
    size_t read = 0, sent = 0, over = 0; /* chunks: asked for at FROM, given to TO, arrived there */
    cl_int err = CL_SUCCESS;
    if (!len || !begin(r))
        return len ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    if (!yk_flight_cut(&f, shape, r->bytes) || !sink_of(&f, &sink, &g)) {
        end(r, false);
        yk_flight_finish(&f);
        return CL_OUT_OF_HOST_MEMORY;
    }
    g.in = true;
    g.cl = to->cl;
    g.queue = to->queue;
    while (over < f.n && err == CL_SUCCESS) {
        while (err == CL_SUCCESS && read < f.n && read < over + f.slots) {
            err = yk_flight_issue(&f, read, &f.event[read % f.slots]);
            read++;
        }
        if (err != CL_SUCCESS)
            break;
        /* Half of the slots each way keeps both links at work. */
        if (sent == read || sent - over >= f.slots / 2) {
            err = yk_ring_await(to->cl, &written[over % f.slots]);
            over++;
        } else {
            err = yk_ring_await(from->cl, &f.event[sent % f.slots]);
            if (err == CL_SUCCESS)
                err = yk_flight_issue(&g, sent, &written[sent % f.slots]);
            sent++;
        }
    }
    bool lost = false;
    if (err != CL_SUCCESS) {
        lost = yk_flight_settle(from->cl, from->queue, f.event, f.slots);
        lost |= yk_flight_settle(to->cl, to->queue, written, f.slots);
    }
    yk_flight_finish(&f);
    yk_flight_finish(&g);
    end(r, lost);
    return err;
}

cl_int yk_ring_copy(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from,
                    const struct yk_ring_end *to, size_t len)
{
    return copy(r, shape, from, to, len, 0, 0);
}

cl_int yk_ring_copy_rows(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from,
                         const struct yk_ring_end *to, size_t row, size_t pitch, size_t rows)
{
    if (!row || row > yk_ring_row_most(shape, r->bytes))
        return CL_INVALID_VALUE;
    return copy(r, shape, from, to, row * rows, row, pitch);
}
