#include "device/link/ring.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/lock.h"
#include "device/link/copiers.h"
#include "device/link/stream.h"

struct yk_ring {
    const struct yk_cl *cl;
    cl_mem memory;
    unsigned char *base; /* mapped for good */
    size_t bytes;
    struct yk_lock lock; /* guards the next two */
    pthread_cond_t free;
    bool busy;
    bool lost; /* a driver may still be at work in it */
};

/* One transfer. Chunk i lies in slot i % slots. Copiers take chunks in order, those below LIMIT; the caller's thread
 * alone talks to drivers, also in order (PoCL's basic device allows no more than one thread at a queue). */
struct flight {
    struct yk_copy_job job; /* first */
    struct yk_ring *ring;
    const struct yk_ring_piece *piece;
    size_t npieces, *first;            /* the first chunk of each piece, and of one behind the last */
    const struct yk_ring_steps *steps; /* or NULL */
    bool in;                           /* to the device */
    size_t len, chunk, n;
    unsigned slots;
    cl_event event[YK_RING_SLOTS];
    struct yk_lock lock; /* guards the rest */
    pthread_cond_t room, copied;
    size_t taken, limit, ncopied;
    bool done[YK_RING_SLOTS]; /* the chunk in this slot has been copied */
    bool stop;
};

struct yk_ring *yk_ring_create(const struct yk_cl *cl, cl_command_queue queue, size_t bytes, cl_int *err)
{
    struct yk_ring *r = calloc(1, sizeof *r);
    cl_context ctx = NULL;
    *err = r ? cl->GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof ctx, &ctx, NULL) : CL_OUT_OF_HOST_MEMORY;
    if (*err == CL_SUCCESS)
        r->memory = cl->CreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, err);
    if (*err == CL_SUCCESS)
        r->base =
            cl->EnqueueMapBuffer(queue, r->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, err);
    if (*err != CL_SUCCESS || !r->base) {
        if (*err == CL_SUCCESS)
            *err = CL_OUT_OF_RESOURCES;
        if (r && r->memory)
            cl->ReleaseMemObject(r->memory);
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
    if (!r->lost) { /* whatever the device says: nothing of it is under way */
        (void)r->cl->EnqueueUnmapMemObject(queue, r->memory, r->base, 0, NULL, NULL);
        (void)r->cl->Finish(queue);
        r->cl->ReleaseMemObject(r->memory);
    }
    pthread_cond_destroy(&r->free);
    yk_lock_finish(&r->lock);
    free(r);
}

size_t yk_ring_bytes(const struct yk_ring *r)
{
    return r->bytes;
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

/* Where a chunk comes from and goes to. */
struct place {
    const struct yk_ring_piece *piece;
    size_t at, len; /* of the piece */
};

static struct place place(const struct flight *f, size_t i)
{
    size_t low = 0, high = f->npieces; /* the piece is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->first[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    const struct yk_ring_piece *p = &f->piece[low];
    size_t at = (i - f->first[low]) * f->chunk, rest = p->len - at;
    return (struct place){p, at, rest < f->chunk ? rest : f->chunk};
}

static unsigned char *slot(const struct flight *f, size_t i)
{
    return f->ring->base + i % f->slots * f->chunk;
}

/* Copy the next chunk that may be. False: there is none (yet, where not to WAIT for it). */
static bool copy_one(struct flight *f, bool wait)
{
    yk_lock_take(&f->lock);
    while (wait && !f->stop && f->taken < f->n && f->taken >= f->limit)
        yk_lock_wait(&f->lock, &f->room);
    bool some = !f->stop && f->taken < f->n && f->taken < f->limit;
    size_t i = f->taken;
    f->taken += some;
    yk_lock_drop(&f->lock);
    if (!some)
        return false;
    struct place p = place(f, i);
    unsigned char *app = p.piece->host + p.at, *pinned = slot(f, i);
    if (f->in)
        memcpy(pinned, app, p.len);
    else
        yk_copy_streaming(app, pinned, p.len);
    yk_lock_take(&f->lock);
    f->done[i % f->slots] = true;
    f->ncopied++;
    pthread_cond_signal(&f->copied);
    yk_lock_drop(&f->lock);
    return true;
}

static void help(struct yk_copy_job *job)
{
    while (copy_one((struct flight *)job, true))
        ;
}

/* Has chunk I been copied? Then its slot goes on. Where nothing else is to be done (IDLE), copy or wait until it has.
 */
static bool take_copied(struct flight *f, size_t i, bool idle)
{
    bool *done = &f->done[i % f->slots];
    yk_lock_take(&f->lock);
    while (idle && !*done) {
        yk_lock_drop(&f->lock);
        bool did = copy_one(f, false);
        yk_lock_take(&f->lock);
        if (!did && !*done)
            yk_lock_wait(&f->lock, &f->copied);
    }
    bool was = *done;
    *done = false;
    yk_lock_drop(&f->lock);
    return was;
}

static void allow(struct flight *f, size_t limit)
{
    yk_lock_take(&f->lock);
    f->limit = limit;
    pthread_cond_broadcast(&f->room);
    yk_lock_drop(&f->lock);
}

/* Wait for *E, which is then gone. */
static cl_int await(const struct yk_cl *cl, cl_event *e)
{
    cl_int err = cl->WaitForEvents(1, e), status = CL_COMPLETE;
    if (err != CL_SUCCESS &&
        cl->GetEventInfo(*e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS &&
        status < 0)
        err = status;
    cl->ReleaseEvent(*e);
    *e = NULL;
    return err;
}

static cl_int issue_write(struct flight *f, const struct yk_cl *cl, cl_command_queue queue, size_t i, cl_event *e)
{
    struct place p = place(f, i);
    cl_int err =
        cl->EnqueueWriteBuffer(queue, p.piece->buffer, CL_FALSE, p.piece->off + p.at, p.len, slot(f, i), 0, NULL, e);
    return err == CL_SUCCESS ? cl->Flush(queue) : err;
}

static cl_int issue_read(struct flight *f, const struct yk_cl *cl, cl_command_queue queue, size_t i, cl_event *e)
{
    struct place p = place(f, i);
    cl_int err =
        cl->EnqueueReadBuffer(queue, p.piece->buffer, CL_FALSE, p.piece->off + p.at, p.len, slot(f, i), 0, NULL, e);
    return err == CL_SUCCESS ? cl->Flush(queue) : err;
}

/* Chunk I has arrived: say so where a step ends with it. */
static void pass(const struct flight *f, size_t i)
{
    if (!f->steps)
        return;
    unsigned next = i + 1 < f->n ? place(f, i + 1).piece->step : UINT_MAX;
    if (next != place(f, i).piece->step)
        f->steps->passed(f->steps->arg, next);
}

/* May chunk I be read? */
static enum yk_ring_gate gate(const struct flight *f, size_t i, bool wait)
{
    return f->steps ? f->steps->gate(f->steps->arg, place(f, i).piece->step, wait) : YK_RING_OPEN;
}

static cl_int pump_in(struct flight *f, const struct yk_cl *cl, cl_command_queue queue)
{
    cl_int err = CL_SUCCESS;
    size_t issued = 0, over = 0;
    while (over < f->n && err == CL_SUCCESS) {
        while (err == CL_SUCCESS && issued < f->n && issued < over + f->slots &&
               take_copied(f, issued, issued == over)) {
            err = issue_write(f, cl, queue, issued, &f->event[issued % f->slots]);
            issued++;
        }
        if (err == CL_SUCCESS)
            err = await(cl, &f->event[over % f->slots]);
        if (err == CL_SUCCESS)
            pass(f, over);
        allow(f, ++over + f->slots);
    }
    return err;
}

static cl_int pump_out(struct flight *f, const struct yk_cl *cl, cl_command_queue queue)
{
    cl_int err = CL_SUCCESS;
    size_t issued = 0, over = 0;
    while (over < f->n && err == CL_SUCCESS) {
        while (err == CL_SUCCESS && issued < f->n && issued < over + f->slots) {
            enum yk_ring_gate g = gate(f, issued, issued == over);
            if (g == YK_RING_STOP)
                err = CL_OUT_OF_RESOURCES;
            if (g != YK_RING_OPEN || (issued >= f->slots && !take_copied(f, issued, issued == over)))
                break;
            err = issue_read(f, cl, queue, issued, &f->event[issued % f->slots]);
            issued++;
        }
        if (err == CL_SUCCESS)
            err = await(cl, &f->event[over % f->slots]);
        if (err == CL_SUCCESS)
            allow(f, ++over);
    }
    while (err == CL_SUCCESS && copy_one(f, false))
        ;
    yk_lock_take(&f->lock);
    while (err == CL_SUCCESS && f->ncopied < f->n)
        yk_lock_wait(&f->lock, &f->copied);
    yk_lock_drop(&f->lock);
    return err;
}

/* After an error: nothing must be at work in the ring when the next transfer begins. True: that is not sure. */
static bool settle(const struct yk_cl *cl, cl_command_queue queue, cl_event *event, unsigned n)
{
    bool lost = cl->Finish(queue) != CL_SUCCESS;
    for (unsigned i = 0; i < n; i++)
        if (event[i])
            cl->ReleaseEvent(event[i]);
    return lost;
}

/* The shape that SHAPE comes to for LEN bytes: at least two chunks in a ring, and not more slots than are used. */
static void cut(struct flight *f, struct yk_ring_shape shape)
{
    const size_t page = 4096;
    f->slots = shape.slots < 2 ? 2 : shape.slots > YK_RING_SLOTS ? YK_RING_SLOTS : shape.slots;
    size_t most = f->ring->bytes / f->slots;
    f->chunk = shape.chunk < most ? shape.chunk : most;
    if (f->chunk > page)
        f->chunk -= f->chunk % page;
    if (!f->chunk)
        f->chunk = 1;
    f->n = 0;
    for (size_t i = 0; i < f->npieces; i++) {
        f->first[i] = f->n;
        f->n += (f->piece[i].len + f->chunk - 1) / f->chunk;
    }
    f->first[f->npieces] = f->n;
}

/* F: its pieces, FIRST, in, len and steps. */
static cl_int fly(struct flight *f, struct yk_ring_shape shape, const struct yk_cl *cl, cl_command_queue queue)
{
    f->job.run = help;
    if (!begin(f->ring))
        return CL_OUT_OF_RESOURCES;
    cut(f, shape);
    f->limit = f->in ? f->slots : 0;
    yk_lock_init(&f->lock, YK_RANK_LEAF);
    pthread_cond_init(&f->room, NULL);
    pthread_cond_init(&f->copied, NULL);
    yk_copiers_join(&f->job, shape.threads < f->n ? shape.threads : (unsigned)f->n - 1);
    cl_int err = f->in ? pump_in(f, cl, queue) : pump_out(f, cl, queue);
    yk_lock_take(&f->lock);
    f->stop = true;
    pthread_cond_broadcast(&f->room);
    yk_lock_drop(&f->lock);
    yk_copiers_leave(&f->job);
    end(f->ring, err != CL_SUCCESS && settle(cl, queue, f->event, f->slots));
    pthread_cond_destroy(&f->room);
    pthread_cond_destroy(&f->copied);
    yk_lock_finish(&f->lock);
    return err;
}

static cl_int fly_one(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *device,
                      unsigned char *app, bool in, size_t len)
{
    size_t first[2];
    const struct yk_ring_piece piece = {device->buffer, device->off, app, len, 0};
    struct flight f = {.ring = r, .piece = &piece, .npieces = 1, .first = first, .in = in, .len = len};
    return len ? fly(&f, shape, device->cl, device->queue) : CL_SUCCESS;
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
    struct flight f = {.ring = r, .piece = piece, .npieces = n, .in = in, .steps = steps};
    for (size_t i = 0; i < n; i++)
        f.len += piece[i].len;
    if (!n)
        return CL_SUCCESS;
    if (!(f.first = malloc((n + 1) * sizeof *f.first)))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = fly(&f, shape, cl, queue);
    free(f.first);
    return err;
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

cl_int yk_ring_copy(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from,
                    const struct yk_ring_end *to, size_t len)
{
    size_t first[2];
    const struct yk_ring_piece source = {from->buffer, from->off, NULL, len, 0},
                               sink = {to->buffer, to->off, NULL, len, 0};
    struct flight f = {.ring = r, .piece = &source, .npieces = 1, .first = first, .len = len}, g;
    cl_event written[YK_RING_SLOTS] = {NULL};
    size_t read = 0, sent = 0, over = 0; /* chunks: asked for at FROM, given to TO, arrived there */
    cl_int err = CL_SUCCESS;
    if (!len || !begin(r))
        return len ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    cut(&f, shape);
    g = f;
    g.piece = &sink;
    while (over < f.n && err == CL_SUCCESS) {
        while (err == CL_SUCCESS && read < f.n && read < over + f.slots) {
            err = issue_read(&f, from->cl, from->queue, read, &f.event[read % f.slots]);
            read++;
        }
        if (err != CL_SUCCESS)
            break;
        /* Half of the slots each way keeps both links at work. */
        if (sent == read || sent - over >= f.slots / 2) {
            err = await(to->cl, &written[over % f.slots]);
            over++;
        } else {
            err = await(from->cl, &f.event[sent % f.slots]);
            if (err == CL_SUCCESS)
                err = issue_write(&g, to->cl, to->queue, sent, &written[sent % f.slots]);
            sent++;
        }
    }
    bool lost = false;
    if (err != CL_SUCCESS) {
        lost = settle(from->cl, from->queue, f.event, f.slots);
        lost |= settle(to->cl, to->queue, written, f.slots);
    }
    end(r, lost);
    return err;
}
