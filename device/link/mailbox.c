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
    struct yk_lock lock; /* guards the rest */
    pthread_cond_t free;
    bool busy;       /* a copy has them all */
    unsigned posted; /* slots of letters, a bit each */
    bool lost;       /* a driver may still be at work in it */
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

/* L's copy, cut into pieces. */
static void cut(const struct yk_mailboxes *m, struct yk_letter *l)
{
    l->piece = l->len / YK_MAILBOX_SLOTS;
    l->piece = l->piece < PIECE_LEAST ? PIECE_LEAST : l->piece;
    l->piece = l->piece < m->bytes ? l->piece : m->bytes;
    l->n = (l->len + l->piece - 1) / l->piece;
}

/* All mailboxes for L. WAIT: for others, who have some. False: not now, or no more. */
static bool take_all(struct yk_mailboxes *m, struct yk_letter *l, bool wait)
{
    yk_lock_take(&m->lock);
    while (wait && (m->busy || m->posted))
        yk_lock_wait(&m->lock, &m->free);
    l->all = !m->busy && !m->posted && !m->lost;
    m->busy |= l->all;
    yk_lock_drop(&m->lock);
    l->mailboxes = l->all ? m : NULL;
    return l->all;
}

/* One mailbox for L. False: not now, or no more. */
static bool take_one(struct yk_mailboxes *m, struct yk_letter *l)
{
    yk_lock_take(&m->lock);
    while (l->slot < YK_MAILBOX_SLOTS && m->posted >> l->slot & 1)
        l->slot++;
    if (!m->busy && !m->lost && l->slot < YK_MAILBOX_SLOTS) {
        m->posted |= 1u << l->slot;
        l->mailboxes = m;
    }
    yk_lock_drop(&m->lock);
    return l->mailboxes;
}

/* L has ended. LOST: a driver may still be at work in its mailboxes. */
static void give_back(struct yk_letter *l, bool lost)
{
    struct yk_mailboxes *m = l->mailboxes;
    yk_lock_take(&m->lock);
    m->busy &= !l->all;
    m->posted &= l->all ? ~0u : ~(1u << l->slot);
    m->lost |= lost;
    pthread_cond_signal(&m->free);
    yk_lock_drop(&m->lock);
    l->mailboxes = NULL;
}

/* N bytes, DONE behind AT, into SLOT (WAY 0) or out of it (1). */
static cl_int fill(struct yk_mailboxes *m, int way, const struct yk_ring_end *at, unsigned slot, size_t done, size_t n,
                   cl_event *e)
{
    const struct yk_mailbox_maker *maker = m->maker;
    const struct yk_device *d = m->end[way].device;
    cl_mem box = m->slot[slot].at[way];
    cl_int err = maker->own ? maker->own(d, at->queue, box, true, NULL) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = at->cl->EnqueueCopyBuffer(at->queue, way ? box : at->buffer, way ? at->buffer : box,
                                        way ? 0 : at->off + done, way ? at->off + done : 0, n, 0, NULL,
                                        maker->own ? NULL : e);
    if (err == CL_SUCCESS && maker->own)
        err = maker->own(d, at->queue, box, false, e);
    return err == CL_SUCCESS ? at->cl->Flush(at->queue) : err;
}

/* Piece I of L goes by this mailbox. */
static unsigned slot_of(const struct yk_letter *l, size_t i)
{
    return l->all ? (unsigned)(i % YK_MAILBOX_SLOTS) : l->slot;
}

/* Piece I into its mailbox, or out of it. */
static cl_int issue(struct yk_letter *l, int way, size_t i)
{
    unsigned slot = slot_of(l, i);
    size_t done = i * l->piece, n = l->len - done < l->piece ? l->len - done : l->piece;
    return fill(l->mailboxes, way, way ? &l->to : &l->from, slot, done, n, &l->event[way][slot]);
}

static cl_int await(struct yk_letter *l, int way, size_t i)
{
    cl_event *e = &l->event[way][slot_of(l, i)];
    const struct yk_cl *cl = way ? l->to.cl : l->from.cl;
    if (l->asks)
        yk_ask_until_over(cl, *e);
    return yk_ring_await(cl, e);
}

/* To the sender whatever there is a mailbox for. */
static cl_int put(struct yk_letter *l)
{
    cl_int err = CL_SUCCESS;
    while (l->put < l->n && l->put < l->over + YK_MAILBOX_SLOTS && err == CL_SUCCESS)
        err = issue(l, 0, l->put++);
    return err;
}

/* Ordered by waiting on the host: the two contexts share no events, and NVIDIA's driver (580) exports no semaphores. */
static cl_int pass(struct yk_letter *l, bool until_over)
{
    cl_int err = CL_SUCCESS;
    while ((until_over ? l->over : l->sent) < l->n && err == CL_SUCCESS) {
        if (l->sent < l->put && l->sent - l->over < YK_MAILBOX_SLOTS / 2) {
            err = await(l, 0, l->sent);
            if (err == CL_SUCCESS)
                err = issue(l, 1, l->sent);
            l->sent++;
        } else {
            err = await(l, 1, l->over++);
            if (err == CL_SUCCESS)
                err = put(l);
        }
    }
    return err;
}

/* L has come to ERR, so far or (OVER) for good. An error: nothing of it stays under way, whatever the first says. */
static cl_int settle(struct yk_letter *l, cl_int err, bool over)
{
    bool lost = false;
    if (err != CL_SUCCESS) {
        lost = yk_flight_settle(l->from.cl, l->from.queue, l->event[0], YK_MAILBOX_SLOTS);
        lost |= yk_flight_settle(l->to.cl, l->to.queue, l->event[1], YK_MAILBOX_SLOTS);
    }
    if (over || err != CL_SUCCESS)
        give_back(l, lost);
    return err;
}

cl_int yk_mailboxes_copy(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to,
                         size_t len, bool asks)
{
    struct yk_letter l = {.from = *from, .to = *to, .len = len, .asks = asks};
    cut(m, &l);
    if (!len || !take_all(m, &l, true))
        return len ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    cl_int err = put(&l);
    return settle(&l, err == CL_SUCCESS ? pass(&l, true) : err, true);
}

bool yk_mailboxes_post(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to, size_t len,
                       bool asks, struct yk_letter *l)
{
    *l = (struct yk_letter){.from = *from, .to = *to, .len = len, .asks = asks};
    cut(m, l);
    bool taken = len && (l->n > 1 ? take_all(m, l, false) : take_one(m, l));
    return taken && settle(l, put(l), false) == CL_SUCCESS;
}

cl_int yk_letter_send(struct yk_letter *l)
{
    return settle(l, pass(l, false), false);
}

cl_int yk_letter_receive(struct yk_letter *l)
{
    return settle(l, pass(l, true), true);
}
