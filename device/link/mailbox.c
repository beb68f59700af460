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

static bool begin(struct yk_mailboxes *m)
{
    yk_lock_take(&m->lock);
    while (m->busy || m->posted)
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

/* A copy under way, in pieces: piece i by slot i. ROW: 0: LEN bytes in one piece; else of rows of so many. */
struct passage {
    struct yk_mailboxes *m;
    const struct yk_ring_end *place[2];
    size_t len, piece, n, row, pitch;
    bool asks;
    cl_event event[2][YK_MAILBOX_SLOTS];
};

/* Bytes in one piece (ROW 0), or in rows, between a place of a buffer and a mailbox, where they lie one behind the
 * other. */
struct lot {
    size_t off, len, row, pitch;
};

static cl_int copy(const struct yk_ring_end *at, int way, cl_mem box, const struct lot *lot, cl_event *e)
{
    cl_mem from = way ? box : at->buffer, to = way ? at->buffer : box;
    if (!lot->row)
        return at->cl->EnqueueCopyBuffer(at->queue, from, to, way ? 0 : lot->off, way ? lot->off : 0, lot->len, 0, NULL,
                                         e);
    const size_t begin[3] = {0}, place[3] = {lot->off % lot->pitch, lot->off / lot->pitch, 0},
                 size[3] = {lot->row, lot->len / lot->row, 1};
    return at->cl->EnqueueCopyBufferRect(at->queue, from, to, way ? begin : place, way ? place : begin, size,
                                         way ? lot->row : lot->pitch, 0, way ? lot->pitch : lot->row, 0, 0, NULL, e);
}

/* LOT of AT's buffer into SLOT (WAY 0) or out of it (1). */
static cl_int fill(struct yk_mailboxes *m, int way, const struct yk_ring_end *at, unsigned slot, const struct lot *lot,
                   cl_event *e)
{
    const struct yk_mailbox_maker *maker = m->maker;
    const struct yk_device *d = m->end[way].device;
    cl_mem box = m->slot[slot].at[way];
    cl_int err = maker->own ? maker->own(d, at->queue, box, true, NULL) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = copy(at, way, box, lot, maker->own ? NULL : e);
    if (err == CL_SUCCESS && maker->own)
        err = maker->own(d, at->queue, box, false, e);
    return err == CL_SUCCESS ? at->cl->Flush(at->queue) : err;
}

/* Piece I into its mailbox, or out of it. */
static cl_int issue(struct passage *p, int way, size_t i)
{
    unsigned slot = (unsigned)(i % YK_MAILBOX_SLOTS);
    size_t done = i * p->piece, n = p->len - done < p->piece ? p->len - done : p->piece;
    const struct lot lot = {p->place[way]->off + (p->row ? done / p->row * p->pitch : done), n, p->row, p->pitch};
    return fill(p->m, way, p->place[way], slot, &lot, &p->event[way][slot]);
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

static cl_int copy_all(struct passage *p)
{
    struct yk_mailboxes *m = p->m;
    if (!p->len || !begin(m))
        return p->len ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    p->piece = p->len / YK_MAILBOX_SLOTS;
    p->piece = p->piece < PIECE_LEAST ? PIECE_LEAST : p->piece;
    p->piece = p->piece < m->bytes ? p->piece : m->bytes;
    if (p->row) /* whole rows, one at least */
        p->piece = p->piece < p->row ? p->row : p->piece - p->piece % p->row;
    p->n = (p->len + p->piece - 1) / p->piece;
    cl_int err = pass(p);
    bool lost = false;
    if (err != CL_SUCCESS) /* both, whatever the first says */
        for (int way = 0; way < 2; way++)
            lost |= yk_flight_settle(p->place[way]->cl, p->place[way]->queue, p->event[way], YK_MAILBOX_SLOTS);
    end(m, lost);
    return err;
}

cl_int yk_mailboxes_copy(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to,
                         size_t len, bool asks)
{
    struct passage p = {.m = m, .place = {from, to}, .len = len, .asks = asks};
    return copy_all(&p);
}

cl_int yk_mailboxes_copy_rows(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to,
                              size_t row, size_t pitch, size_t rows, bool asks)
{
    struct passage p = {.m = m, .place = {from, to}, .len = row * rows, .asks = asks, .row = row, .pitch = pitch};
    if (!row || row > m->bytes || row > pitch || from->off % pitch > pitch - row || to->off % pitch > pitch - row)
        return CL_INVALID_VALUE;
    return copy_all(&p);
}

/* The slot of L is free again. */
static void give_back(struct yk_letter *l, bool lost)
{
    struct yk_mailboxes *m = l->mailboxes;
    yk_lock_take(&m->lock);
    m->posted &= ~(1u << l->slot);
    m->lost |= lost;
    pthread_cond_signal(&m->free);
    yk_lock_drop(&m->lock);
    l->mailboxes = NULL;
}

/* Nothing of L stays under way. */
static void tear_up(struct yk_letter *l)
{
    bool lost = yk_flight_settle(l->from.cl, l->from.queue, &l->event, l->sent ? 0 : 1);
    lost |= yk_flight_settle(l->to.cl, l->to.queue, &l->event, l->sent ? 1 : 0);
    give_back(l, lost);
}

bool yk_mailboxes_post(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to, size_t len,
                       bool asks, struct yk_letter *l)
{
    *l = (struct yk_letter){.from = *from, .to = *to, .len = len, .asks = asks};
    if (!len || len > PIECE_LEAST || len > m->bytes)
        return false;
    yk_lock_take(&m->lock);
    while (l->slot < YK_MAILBOX_SLOTS && m->posted >> l->slot & 1)
        l->slot++;
    if (!m->busy && !m->lost && l->slot < YK_MAILBOX_SLOTS) {
        m->posted |= 1u << l->slot;
        l->mailboxes = m;
    }
    yk_lock_drop(&m->lock);
    const struct lot lot = {.off = l->from.off, .len = len};
    if (l->mailboxes && fill(m, 0, &l->from, l->slot, &lot, &l->event) != CL_SUCCESS)
        tear_up(l);
    return l->mailboxes;
}

static cl_int arrive(struct yk_letter *l, const struct yk_cl *cl)
{
    if (l->asks)
        yk_ask_until_over(cl, l->event);
    return yk_ring_await(cl, &l->event);
}

cl_int yk_letter_send(struct yk_letter *l)
{
    cl_int err = arrive(l, l->from.cl);
    const struct lot lot = {.off = l->to.off, .len = l->len};
    l->sent = err == CL_SUCCESS;
    if (l->sent)
        err = fill(l->mailboxes, 1, &l->to, l->slot, &lot, &l->event);
    if (err != CL_SUCCESS)
        tear_up(l);
    return err;
}

cl_int yk_letter_receive(struct yk_letter *l)
{
    cl_int err = arrive(l, l->to.cl);
    if (err != CL_SUCCESS)
        tear_up(l);
    else
        give_back(l, false);
    return err;
}
