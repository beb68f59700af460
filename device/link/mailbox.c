#include "device/link/mailbox.h"
#include <stdlib.h>
#include "base/lock.h"
#include "device/ask.h"
#include "device/link/flight.h"

/* A copy is cut into so many pieces, but not into smaller ones than this: each costs the host some 25 us, in which two
 * H200 move 8 MiB. */
enum { PIECE_LEAST = 2 << 20 };

struct yk_mailboxes {
    const struct yk_mailbox_maker *maker;
    struct yk_mailbox_end end[2];
    size_t bytes;
    struct yk_mailbox slot[YK_MAILBOX_SLOTS];
    struct yk_lock lock; /* guards the next two */
    pthread_cond_t free;
    bool busy;
    bool lost; /* a driver may still be at work in it */
};

static void drop_all(struct yk_mailboxes *m)
{
    for (int i = 0; i < YK_MAILBOX_SLOTS; i++)
        m->maker->drop(m->end, &m->slot[i]);
}

struct yk_mailboxes *yk_mailboxes_create(const struct yk_mailbox_maker *maker, const struct yk_mailbox_end end[2],
                                         size_t bytes, cl_int *err)
{
    struct yk_mailboxes *m = bytes && bytes <= YK_MAILBOX_MOST ? calloc(1, sizeof *m) : NULL;
    *err = CL_OUT_OF_HOST_MEMORY;
    if (!m)
        return NULL;
    *m = (struct yk_mailboxes){.maker = maker, .end = {end[0], end[1]}, .bytes = bytes};
    *err = CL_SUCCESS;
    for (int i = 0; i < YK_MAILBOX_SLOTS && *err == CL_SUCCESS; i++)
        *err = maker->make(end, bytes, &m->slot[i]);
    if (*err != CL_SUCCESS) {
        drop_all(m);
        free(m);
        return NULL;
    }
    yk_lock_init(&m->lock, YK_RANK_LEAF);
    pthread_cond_init(&m->free, NULL);
    return m;
}

void yk_mailboxes_destroy(struct yk_mailboxes *m)
{
    if (!m->lost)
        drop_all(m);
    pthread_cond_destroy(&m->free);
    yk_lock_finish(&m->lock);
    free(m);
}

static bool begin(struct yk_mailboxes *m)
{
    yk_lock_take(&m->lock);
    while (m->busy)
        yk_lock_wait(&m->lock, &m->free);
    bool ok = m->busy = !m->lost;
    yk_lock_drop(&m->lock);
    return ok;
}

static void end(struct yk_mailboxes *m, bool lost)
{
    yk_lock_take(&m->lock);
    m->busy = false;
    m->lost |= lost;
    pthread_cond_signal(&m->free);
    yk_lock_drop(&m->lock);
}

/* A copy under way, in pieces: piece i by slot i. */
struct passage {
    struct yk_mailboxes *m;
    const struct yk_ring_end *place[2];
    size_t len, piece, n;
    bool asks;
    cl_event event[2][YK_MAILBOX_SLOTS];
};

/* Piece I into its mailbox (WAY 0), or out of it (1). */
static cl_int issue(struct passage *p, int way, size_t i)
{
    const struct yk_ring_end *at = p->place[way];
    const struct yk_mailbox_maker *maker = p->m->maker;
    const struct yk_device *d = p->m->end[way].device;
    unsigned slot = (unsigned)(i % YK_MAILBOX_SLOTS);
    cl_mem box = p->m->slot[slot].at[way];
    size_t done = i * p->piece, n = p->len - done < p->piece ? p->len - done : p->piece;
    cl_event *e = &p->event[way][slot];
    cl_int err = maker->own ? maker->own(d, at->queue, box, true, NULL) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = at->cl->EnqueueCopyBuffer(at->queue, way ? box : at->buffer, way ? at->buffer : box,
                                        way ? 0 : at->off + done, way ? at->off + done : 0, n, 0, NULL,
                                        maker->own ? NULL : e);
    if (err == CL_SUCCESS && maker->own)
        err = maker->own(d, at->queue, box, false, e);
    return err == CL_SUCCESS ? at->cl->Flush(at->queue) : err;
}

static cl_int await(struct passage *p, int way, size_t i)
{
    cl_event *e = &p->event[way][i % YK_MAILBOX_SLOTS];
    if (p->asks)
        yk_ask_until_over(p->place[way]->cl, *e);
    return yk_ring_await(p->place[way]->cl, e);
}

/* Ordered by waiting on the host: the two contexts share no events, and NVIDIA's driver (580) exports no semaphores. */
static cl_int pass(struct passage *p)
{
    size_t put = 0, sent = 0, over = 0; /* pieces given to the sender, to the receiver; arrived */
    cl_int err = CL_SUCCESS;
    while (over < p->n && err == CL_SUCCESS) {
        if (put < p->n && put < over + YK_MAILBOX_SLOTS) {
            err = issue(p, 0, put++);
        } else if (sent < put && sent - over < YK_MAILBOX_SLOTS / 2) {
            err = await(p, 0, sent);
            if (err == CL_SUCCESS)
                err = issue(p, 1, sent);
            sent++;
        } else {
            err = await(p, 1, over++);
        }
    }
    return err;
}

cl_int yk_mailboxes_copy(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to,
                         size_t len, bool asks)
{
    struct passage p = {.m = m, .place = {from, to}, .len = len, .asks = asks};
    if (!len || !begin(m))
        return len ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    p.piece = len / YK_MAILBOX_SLOTS;
    p.piece = p.piece < PIECE_LEAST ? PIECE_LEAST : p.piece;
    p.piece = p.piece < m->bytes ? p.piece : m->bytes;
    p.n = (len + p.piece - 1) / p.piece;
    cl_int err = pass(&p);
    bool lost = false;
    if (err != CL_SUCCESS) /* both, whatever the first says */
        for (int way = 0; way < 2; way++)
            lost |= yk_flight_settle(p.place[way]->cl, p.place[way]->queue, p.event[way], YK_MAILBOX_SLOTS);
    end(m, lost);
    return err;
}
