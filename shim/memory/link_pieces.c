#include "shim/memory/link_pieces.h"
#include <limits.h>
#include <stdlib.h>
#include "device/ask.h"
#include "device/opencl/from_host.h"
#include "shim/memory/link.h"

cl_int yk_link_move(unsigned dev, enum yk_direction way, cl_command_queue q, const struct yk_ring_piece *piece,
                    size_t from, size_t n, const struct yk_ring_steps *steps, const struct yk_inplace *use)
{
    enum { AHEAD = 2, PINNED_AHEAD = 4, SHORT = 64 << 10 };
    const struct yk_device *d = &yk_rt.machine->device[dev];
    const struct yk_cl *cl = use ? yk_cl_under_from_host(d->cl) : d->cl; /* what is in use need not be asked about */
    const bool gpu = d->type & CL_DEVICE_TYPE_GPU, asks = use && yk_link_asks(dev);
    const size_t ahead = use ? PINNED_AHEAD : gpu ? 1 : AHEAD;
    cl_event event[PINNED_AHEAD] = {NULL};
    size_t issued = from, over = from;
    cl_int err = CL_SUCCESS;
    while (over < n && err == CL_SUCCESS) {
        const struct yk_ring_piece *p = &piece[issued];
        bool more = issued < n && issued < over + ahead;
        enum yk_ring_gate gate = !more         ? YK_RING_SHUT
                                 : steps->gate ? steps->gate(steps->arg, p->step, issued == over)
                                               : YK_RING_OPEN;
        cl_event *e = &event[(gate == YK_RING_OPEN ? issued : over) % ahead];
        if (gate == YK_RING_STOP) {
            err = CL_OUT_OF_RESOURCES;
        } else if (gate == YK_RING_OPEN) {
            bool pinned = use && yk_inplace_piece(use, p->host), blocks = gpu && !pinned && !(use && p->len <= SHORT);
            const struct yk_cl *by = pinned ? cl : d->cl;
            err = way == YK_IN ? by->EnqueueWriteBuffer(q, p->buffer, blocks, p->off, p->len, p->host, 0, NULL, e)
                               : by->EnqueueReadBuffer(q, p->buffer, blocks, p->off, p->len, p->host, 0, NULL, e);
            err = err == CL_SUCCESS && !blocks ? cl->Flush(q) : err;
            issued++;
        } else {
            if (asks)
                yk_ask_until_over(cl, *e);
            err = yk_ring_await(cl, e);
            over++;
            if (err == CL_SUCCESS && steps->passed)
                steps->passed(steps->arg, over < n ? piece[over].step : UINT_MAX);
        }
    }
    if (err != CL_SUCCESS)
        (void)cl->Finish(q);
    for (size_t i = 0; i < ahead; i++)
        if (event[i])
            cl->ReleaseEvent(event[i]);
    return err;
}

/* Cut PIECE where what is pinned of USE ends, into OUT unless that is NULL; returns how many there are. */
static size_t cut(const struct yk_inplace *use, const struct yk_ring_piece *piece, size_t n, struct yk_ring_piece *out)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        struct yk_ring_piece p = piece[i];
        for (size_t left = p.len; left; left -= p.len, p.host += p.len, p.off += p.len) {
            size_t most = yk_inplace_piece(use, p.host);
            p.len = left < most || !most ? left : most;
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
