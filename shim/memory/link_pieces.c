#include "shim/memory/link_pieces.h"
#include <limits.h>
#include <stdlib.h>
#include "device/ask.h"
#include "device/opencl/from_host.h"
#include "shim/memory/link.h"

/* A kernel begins on an H200 when all copies are over that the driver was given before, of whichever queue: those under
 * way are to be few and short, but no gap between them: 0.15 ms each, and two of them or as much in shorter ones. */
enum { PIECE = 8 << 20, PIECE_GRAIN = 4096, AHEAD = 2, MOST_AHEAD = 8 };

cl_int yk_link_move(unsigned dev, enum yk_direction way, cl_command_queue q, const struct yk_ring_piece *piece,
                    size_t from, size_t n, const struct yk_ring_steps *steps, const struct yk_inplace *use)
{
    enum { SHORT = 64 << 10 };
    const struct yk_device *d = &yk_rt.machine->device[dev];
    const struct yk_cl *cl = use ? yk_cl_under_from_host(d->cl) : d->cl; /* what is in use need not be asked about */
    const bool gpu = d->type & CL_DEVICE_TYPE_GPU, asks = use && yk_link_asks(dev);
    const size_t ahead = gpu && !use ? 1 : AHEAD;
    cl_event event[MOST_AHEAD] = {NULL};
    size_t issued = from, over = from, flying = 0;
    cl_int err = CL_SUCCESS;
    while (over < n && err == CL_SUCCESS) {
        const struct yk_ring_piece *p = &piece[issued];
        bool more =
            issued < n && (issued < over + ahead || (use && issued < over + MOST_AHEAD && flying + p->len <= PIECE));
        enum yk_ring_gate gate = !more         ? YK_RING_SHUT
                                 : steps->gate ? steps->gate(steps->arg, p->step, issued == over)
                                               : YK_RING_OPEN;
        cl_event *e = &event[(gate == YK_RING_OPEN ? issued : over) % MOST_AHEAD];
        if (gate == YK_RING_STOP) {
            err = CL_OUT_OF_RESOURCES;
        } else if (gate == YK_RING_OPEN) {
            bool pinned = use && yk_inplace_piece(use, p->host), blocks = gpu && !pinned && !(use && p->len <= SHORT);
            const struct yk_cl *by = pinned ? cl : d->cl;
            err = way == YK_IN ? by->EnqueueWriteBuffer(q, p->buffer, blocks, p->off, p->len, p->host, 0, NULL, e)
                               : by->EnqueueReadBuffer(q, p->buffer, blocks, p->off, p->len, p->host, 0, NULL, e);
            err = err == CL_SUCCESS && !blocks ? cl->Flush(q) : err;
            issued++;
            flying += p->len;
        } else {
            if (asks)
                yk_ask_until_over(cl, *e);
            err = yk_ring_await(cl, e);
            flying -= piece[over++].len;
            if (err == CL_SUCCESS && steps->passed)
                steps->passed(steps->arg, over < n ? piece[over].step : UINT_MAX);
        }
    }
    if (err != CL_SUCCESS)
        (void)cl->Finish(q);
    for (size_t i = 0; i < MOST_AHEAD; i++)
        if (event[i])
            cl->ReleaseEvent(event[i]);
    return err;
}

/* How long the next of equal pieces of LEFT bytes is. */
static size_t equal(size_t left)
{
    size_t n = (left + PIECE / 2) / PIECE, len = n > 1 ? (left + n - 1) / n : left;
    return len < left ? (len + PIECE_GRAIN - 1) / PIECE_GRAIN * PIECE_GRAIN : left;
}

/* Cut PIECE into short ones, and where what is pinned of USE ends, into OUT unless that is NULL; returns how many there
 * are. */
static size_t cut(const struct yk_inplace *use, const struct yk_ring_piece *piece, size_t n, struct yk_ring_piece *out)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        struct yk_ring_piece p = piece[i];
        for (size_t left = p.len; left; left -= p.len, p.host += p.len, p.off += p.len) {
            size_t most = yk_inplace_piece(use, p.host), len = equal(left);
            p.len = len < most || !most ? len : most;
            if (out)
                out[made] = p;
            made++;
        }
    }
    return made;
}

cl_int yk_link_move_pinned(const struct yk_inplace *use, unsigned dev, enum yk_direction way, cl_command_queue q,
                           const struct yk_ring_piece *piece, size_t n, const struct yk_ring_steps *steps)
{
    size_t m = cut(use, piece, n, NULL);
    struct yk_ring_piece *all = malloc(m * sizeof *all);
    cl_int err = all ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (all) {
        (void)cut(use, piece, n, all);
        err = yk_link_move(dev, way, q, all, 0, m, steps, use);
    }
    free(all);
    return err;
}
