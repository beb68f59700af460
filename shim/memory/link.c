#include "shim/memory/link.h"
#include <limits.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/memory/link_choice.h"
#include "shim/memory/link_pieces.h"
#include "shim/memory/link_rate.h"
#include "shim/memory/mailbox.h"

static struct yk_ring *ring_of(struct yk_context *ctx, unsigned dev, enum yk_direction way)
{
    struct yk_ring *r = __atomic_load_n(&ctx->ring[way][dev], __ATOMIC_ACQUIRE), *none = NULL;
    if (r)
        return r;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    uint64_t began = yk_now_ns();
    cl_command_queue q = yk_context_link_queue(ctx, dev, way);
    cl_int err = CL_OUT_OF_RESOURCES;
    r = q ? yk_ring_create(d->cl, q, yk_link_ring_bytes(), yk_link_ring_place(dev, way), &err) : NULL;
    if (!r) {
        yk_info("no pinned memory for transfers of device %u: %s", dev, yk_cl_error_name(err));
        yk_link_failed(dev, way);
        return NULL;
    }
    if (!__atomic_compare_exchange_n(&ctx->ring[way][dev], &none, r, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        yk_ring_destroy(r, q);
        return none;
    }
    yk_trace_prepared("pinned ring", dev, began);
    return r;
}

void yk_link_prepare(struct yk_context *ctx, unsigned dev, enum yk_direction way, const void *ptr, size_t len)
{
    if (yk_link_wants(ctx, dev, way, ptr, len))
        (void)ring_of(ctx, dev, way);
}

/* Which devices' rings are to be made. */
struct expected {
    struct yk_context *ctx; /* held */
    uint64_t devs;
};

static void *make_expected(void *arg)
{
    const struct expected e = *(struct expected *)arg;
    free(arg);
    if (!yk_background_enter())
        return NULL; /* the process exits: the hold is not given back, since that may call a driver */
    for (unsigned i = 0; i < yk_rt.machine->n && !yk_background_ending(); i++)
        if (e.devs >> i & 1)
            (void)ring_of(e.ctx, i, YK_OUT);
    yk_drop(&e.ctx->h);
    yk_background_leave();
    return NULL;
}

void yk_link_expect(struct yk_context *ctx, uint64_t devs, size_t len)
{
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (!yk_link_possible(i, len) || !yk_link_pays(ctx, i, YK_OUT, len) ||
            __atomic_load_n(&ctx->ring[YK_OUT][i], __ATOMIC_ACQUIRE))
            devs &= ~(1ull << i);
    struct expected *e = devs ? malloc(sizeof *e) : NULL;
    if (!e)
        return;
    *e = (struct expected){ctx, devs};
    yk_hold(&ctx->h);
    if (yk_thread_start(make_expected, e)) {
        yk_drop(&ctx->h);
        free(e);
    }
}

static struct yk_ring_end end_of(struct yk_context *ctx, unsigned dev, enum yk_direction way, cl_mem real, size_t off)
{
    return (struct yk_ring_end){yk_rt.machine->device[dev].cl, yk_context_link_queue(ctx, dev, way), real, off};
}

static void gave_up(unsigned dev, enum yk_direction way, cl_int err)
{
    yk_info("a transfer of device %u through pinned memory failed: %s; the driver's own way from now on", dev,
            yk_cl_error_name(err));
    yk_link_failed(dev, way);
}

static size_t total(const struct yk_ring_piece *piece, size_t n)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        len += piece[i].len;
    return len;
}

/* How far a transfer in steps has come, for whoever goes on with it. */
struct progress {
    const struct yk_ring_steps *steps;
    unsigned below;
};

static void note_passed(void *arg, unsigned below)
{
    struct progress *p = arg;
    p->below = below;
    if (p->steps->passed)
        p->steps->passed(p->steps->arg, below);
}

static enum yk_ring_gate ask_gate(void *arg, unsigned step, bool wait)
{
    const struct progress *p = arg;
    return p->steps->gate(p->steps->arg, step, wait);
}

/* Does what is pinned for the primary serve DEV? A driver's other devices of that kind: from a context of its own an
 * H200 moves such memory as fast. */
static bool serves(unsigned dev)
{
    const struct yk_device *d = &yk_rt.machine->device[dev], *p = yk_rt.primary;
    return d == p || (d->platform == p->platform && yk_device_same_kind(d, p));
}

/* Have what of the pieces is pinned stay so. False: it is not nearly all (what is too short to be pinned may go along).
 */
static bool begin_pinned(struct yk_inplace *use, struct yk_context *ctx, const struct yk_ring_piece *piece, size_t n)
{
    const size_t part = 16;
    size_t all = total(piece, n), others = 0;
    for (size_t i = 0; i < n && others <= all / part; i++)
        others += yk_inplace_begin(use, ctx, piece[i].host, piece[i].len) ? 0 : piece[i].len;
    return n && others <= all / part;
}

/* Where nearly all pieces are in pinned memory move them: *ERR is what came of it. False: they are not, or that has
 * failed, and those from *FROM on are to be moved another way. */
static bool tried_pinned(struct yk_context *ctx, unsigned dev, enum yk_direction way, cl_command_queue q,
                         const struct yk_ring_piece *piece, size_t n, const struct yk_ring_steps *steps, size_t *from,
                         cl_int *err)
{
    struct yk_inplace use = {0};
    if (!q || !serves(dev) || !begin_pinned(&use, ctx, piece, n)) {
        yk_inplace_end(&use);
        return false;
    }
    struct progress p = {steps, 0};
    const struct yk_ring_steps noted = {steps->gate ? ask_gate : NULL, note_passed, &p};
    *err = yk_link_move_pinned(&use, dev, way, q, piece, n, &noted);
    yk_inplace_end(&use);
    if (*err == CL_SUCCESS) {
        yk_stats_moved_pinned(total(piece, n));
        return true;
    }
    if (steps->gate && steps->gate(steps->arg, 0, false) == YK_RING_STOP)
        return true;
    yk_inplace_failed(*err);
    while (way == YK_IN && *from < n && piece[*from].step < p.below) /* perhaps in use already */
        ++*from;
    return false;
}

/* The same for one piece as a whole. */
static bool tried_whole(struct yk_context *ctx, unsigned dev, enum yk_direction way, cl_mem real, size_t off,
                        void *host, size_t len, cl_int *err)
{
    static const struct yk_ring_steps none = {.gate = NULL};
    struct yk_ring_piece p = {.buffer = real, .off = off, .host = host, .len = len};
    size_t from = 0;
    if (dev != yk_rt.primary->index || !yk_link_possible(dev, len))
        return false;
    yk_inplace_note(ctx, host, len, false);
    return tried_pinned(ctx, dev, way, yk_context_link_queue(ctx, dev, way), &p, 1, &none, &from, err);
}

cl_int yk_link_written(unsigned dev, cl_command_queue q, cl_int err)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    return err == CL_SUCCESS && d->type & CL_DEVICE_TYPE_CPU ? d->cl->Finish(q) : err;
}

/* LEN bytes have been moved since BEGAN. */
static void note(unsigned dev, enum yk_direction way, bool pinned, size_t len, uint64_t began)
{
    uint64_t ns = yk_now_ns() - began;
    yk_link_note_rate(dev, len, ns);
    yk_link_remember(dev, way, pinned, len, ns);
}

cl_int yk_link_write(struct yk_context *ctx, unsigned dev, cl_mem real, size_t off, const void *from, size_t len)
{
    uint64_t began = yk_now_ns();
    cl_int pinned;
    if (tried_whole(ctx, dev, YK_IN, real, off, (void *)(uintptr_t)from, len, &pinned)) {
        note(dev, YK_IN, true, pinned == CL_SUCCESS ? len : 0, began);
        return pinned;
    }
    struct yk_ring *r = yk_link_wants(ctx, dev, YK_IN, from, len) ? ring_of(ctx, dev, YK_IN) : NULL;
    began = yk_now_ns();
    if (r) {
        struct yk_ring_end to = end_of(ctx, dev, YK_IN, real, off);
        cl_int err = yk_ring_write(r, yk_link_shape(YK_IN, len), &to, from, len);
        if (err == CL_SUCCESS) {
            note(dev, YK_IN, false, len, began);
            return err;
        }
        gave_up(dev, YK_IN, err);
    }
    yk_link_plain(dev, YK_IN, len);
    cl_command_queue q = yk_context_transfer_queue(ctx, dev);
    if (!q)
        return CL_OUT_OF_RESOURCES;
    began = yk_now_ns();
    cl_int err = yk_rt.machine->device[dev].cl->EnqueueWriteBuffer(q, real, CL_TRUE, off, len, from, 0, NULL, NULL);
    err = yk_link_written(dev, q, err);
    note(dev, YK_IN, false, err == CL_SUCCESS ? len : 0, began);
    return err;
}

cl_int yk_link_read(struct yk_context *ctx, unsigned dev, cl_mem real, size_t off, void *to, size_t len)
{
    uint64_t began = yk_now_ns();
    cl_int pinned;
    if (tried_whole(ctx, dev, YK_OUT, real, off, to, len, &pinned)) {
        note(dev, YK_OUT, true, pinned == CL_SUCCESS ? len : 0, began);
        return pinned;
    }
    struct yk_ring *r = yk_link_wants(ctx, dev, YK_OUT, to, len) ? ring_of(ctx, dev, YK_OUT) : NULL;
    began = yk_now_ns();
    if (r) {
        struct yk_ring_end from = end_of(ctx, dev, YK_OUT, real, off);
        cl_int err = yk_ring_read(r, yk_link_shape(YK_OUT, len), &from, to, len);
        if (err == CL_SUCCESS) {
            note(dev, YK_OUT, false, len, began);
            return err;
        }
        gave_up(dev, YK_OUT, err);
    }
    yk_link_plain(dev, YK_OUT, len);
    cl_command_queue q = yk_context_transfer_queue(ctx, dev);
    if (!q)
        return CL_OUT_OF_RESOURCES;
    began = yk_now_ns();
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_int err = cl->EnqueueReadBuffer(q, real, CL_TRUE, off, len, to, 0, NULL, NULL);
    if (err != CL_SUCCESS) { /* what cannot be read is lost, where nobody else has it: once more */
        yk_info("a read of %zu bytes from device %u failed: %s; it is tried again", len, dev, yk_cl_error_name(err));
        err = cl->EnqueueReadBuffer(q, real, CL_TRUE, off, len, to, 0, NULL, NULL);
    }
    note(dev, YK_OUT, false, err == CL_SUCCESS ? len : 0, began);
    return err;
}

/* The ring for these pieces; NULL: none. */
static struct yk_ring *ring_for(struct yk_context *ctx, unsigned dev, enum yk_direction way, size_t len)
{
    return yk_link_possible(dev, len) && yk_link_pays(ctx, dev, way, len) ? ring_of(ctx, dev, way) : NULL;
}

cl_int yk_link_write_steps(struct yk_context *ctx, unsigned dev, const struct yk_ring_piece *piece, size_t n,
                           size_t beside, const struct yk_ring_steps *steps)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    size_t from = 0;
    cl_command_queue q = yk_context_link_queue(ctx, dev, YK_IN);
    cl_int err;
    if (tried_pinned(ctx, dev, YK_IN, q, piece, n, steps, &from, &err))
        return err;
    piece += from;
    n -= from;
    from = 0;
    size_t len = total(piece, n);
    struct yk_ring *r = n ? ring_for(ctx, dev, YK_IN, len) : NULL;
    err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    if (r && q) {
        struct progress p = {steps, 0};
        const struct yk_ring_steps noted = {steps->gate ? ask_gate : NULL, note_passed, &p};
        uint64_t began = yk_now_ns();
        err = yk_ring_write_steps(r, yk_link_shape_beside(YK_IN, len, beside), cl, q, piece, n, &noted);
        if (err == CL_SUCCESS) {
            yk_link_note_rate(dev, len, yk_now_ns() - began);
            return err;
        }
        if (steps->gate && steps->gate(steps->arg, 0, false) == YK_RING_STOP)
            return err;
        gave_up(dev, YK_IN, err);
        err = CL_SUCCESS;
        while (from < n && piece[from].step < p.below) /* perhaps in use already */
            from++;
    }
    yk_link_plain(dev, YK_IN, len);
    return err == CL_SUCCESS ? yk_link_move(dev, YK_IN, q, piece, from, n, steps, NULL) : err;
}

cl_int yk_link_read_steps(struct yk_context *ctx, unsigned dev, const struct yk_ring_piece *piece, size_t n,
                          size_t beside, const struct yk_ring_steps *steps)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    size_t len = total(piece, n), from = 0;
    cl_command_queue q = yk_context_link_queue(ctx, dev, YK_OUT);
    cl_int err;
    if (tried_pinned(ctx, dev, YK_OUT, q, piece, n, steps, &from, &err))
        return err;
    struct yk_ring *r = ring_for(ctx, dev, YK_OUT, len);
    err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    if (r && q) {
        err = yk_ring_read_steps(r, yk_link_shape_beside(YK_OUT, len, beside), cl, q, piece, n, steps);
        if (err == CL_SUCCESS || (steps->gate && steps->gate(steps->arg, 0, false) == YK_RING_STOP))
            return err;
        gave_up(dev, YK_OUT, err);
        err = CL_SUCCESS;
    }
    yk_link_plain(dev, YK_OUT, len);
    return err == CL_SUCCESS ? yk_link_move(dev, YK_OUT, q, piece, 0, n, steps, NULL) : err;
}

bool yk_link_rows(struct yk_context *ctx, unsigned dev, enum yk_direction way, const struct yk_ring_piece *piece,
                  size_t n)
{
    static const struct yk_ring_steps none = {.gate = NULL};
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    size_t len = total(piece, n);
    cl_command_queue q = yk_context_link_queue(ctx, dev, way);
    struct yk_ring *r = q ? ring_for(ctx, dev, way, len) : NULL;
    if (!r)
        return false;
    struct yk_ring_shape shape = yk_link_shape(way, len);
    for (size_t i = 0; i < n; i++)
        if (piece[i].row > yk_ring_row_most(shape, yk_ring_bytes(r)))
            return false;
    uint64_t began = yk_now_ns();
    cl_int err = way == YK_IN ? yk_ring_write_steps(r, shape, cl, q, piece, n, &none)
                              : yk_ring_read_steps(r, shape, cl, q, piece, n, &none);
    if (err != CL_SUCCESS) {
        gave_up(dev, way, err);
        return false;
    }
    yk_link_note_rate(dev, len, yk_now_ns() - began);
    return true;
}

bool yk_link_copy(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, size_t off, size_t row,
                  size_t pitch, size_t rows)
{
    /* Without a ring they go out to memory that is touched for the first time, and in again: two H200 take 51 ms for
     * 134 MB, four times what the way out takes. */
    const size_t way_round = 4;
    uint64_t began = yk_now_ns();
    size_t len = row * rows;
    if (yk_mailbox_copy(ctx, a, at_a, b, at_b, off, row, pitch, rows)) {
        yk_link_note_rate(b, len, yk_now_ns() - began);
        return true;
    }
    if (!yk_link_possible(a, len) || !yk_link_possible(b, len) || (rows > 1 && row < yk_link_row_least()))
        return false;
    struct yk_ring *r = yk_link_pays(ctx, a, YK_OUT, way_round * len) ? ring_of(ctx, a, YK_OUT) : NULL;
    struct yk_ring_end from = end_of(ctx, a, YK_OUT, at_a, off), to = end_of(ctx, b, YK_IN, at_b, off);
    struct yk_ring_shape shape = yk_link_shape(YK_OUT, len);
    if (!r || !from.queue || !to.queue || (rows > 1 && row > yk_ring_row_most(shape, yk_ring_bytes(r)))) {
        if (rows > 1) /* of others who moves them notes it */
            yk_link_plain(a, YK_OUT, len);
        return false;
    }
    began = yk_now_ns();
    cl_int err =
        rows > 1 ? yk_ring_copy_rows(r, shape, &from, &to, row, pitch, rows) : yk_ring_copy(r, shape, &from, &to, len);
    if (err != CL_SUCCESS) {
        gave_up(a, YK_OUT, err);
        return false;
    }
    if (rows == 1)
        yk_mailbox_other_way(a, b, len, yk_now_ns() - began);
    yk_link_note_rate(b, len, yk_now_ns() - began);
    return true;
}
