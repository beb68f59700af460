#include "device/link/flight.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "device/ask.h"
#include "device/link/stream.h"

/* Waking a thread takes as long as copying some units, so beside a GPU it looks again for this long before it sleeps;
 * and so often the driver is asked before it is waited for. */
enum { LOOK_NS = 500000, ASK_MOST = 1000000 };

static unsigned char *slot(const struct yk_flight *f, size_t i)
{
    return f->base + i % f->slots * f->chunk;
}

/* Is there nothing to wait for: a unit that may be taken, or the end? */
static bool may_go_on(const struct yk_flight *f)
{
    size_t next = __atomic_load_n(&f->next, __ATOMIC_RELAXED);
    return next < __atomic_load_n(&f->limit, __ATOMIC_SEQ_CST) || next >= f->n * f->per ||
           __atomic_load_n(&f->stop, __ATOMIC_SEQ_CST);
}

static void wait_for_room(struct yk_flight *f)
{
    uint64_t until = f->asks ? yk_now_ns() + LOOK_NS : 0;
    while (!may_go_on(f)) {
        yk_ask_pause();
        if (until && yk_now_ns() < until)
            continue;
        yk_lock_take(&f->lock);
        __atomic_fetch_add(&f->asleep, 1, __ATOMIC_SEQ_CST);
        while (!may_go_on(f))
            yk_lock_wait(&f->lock, &f->room);
        __atomic_fetch_sub(&f->asleep, 1, __ATOMIC_SEQ_CST);
        yk_lock_drop(&f->lock);
    }
}

/* The next unit into *U. False: none may be taken (yet). */
static bool take(struct yk_flight *f, size_t *u)
{
    *u = __atomic_load_n(&f->next, __ATOMIC_RELAXED);
    do {
        if (*u >= __atomic_load_n(&f->limit, __ATOMIC_ACQUIRE) || __atomic_load_n(&f->stop, __ATOMIC_RELAXED))
            return false;
    } while (!__atomic_compare_exchange_n(&f->next, u, *u + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return true;
}

/* Copy what of the LEN bytes from AT on of P lies together in the host's memory: how many there were. */
static size_t copy_run(const struct yk_flight *f, const struct yk_ring_piece *p, size_t at, unsigned char *pinned,
                       size_t len)
{
    unsigned char *app = p->host + at;
    if (p->row) {
        app = p->host + at / p->row * p->host_pitch + at % p->row;
        len = p->row - at % p->row < len ? p->row - at % p->row : len;
    }
    if (f->in)
        memcpy(pinned, app, len);
    else
        yk_copy_streaming(app, pinned, len);
    return len;
}

static bool copy_one(struct yk_flight *f)
{
    size_t u;
    if (!take(f, &u))
        return false;
    size_t i = u / f->per, from = u % f->per * f->unit;
    const struct yk_flight_chunk *p = &f->at[i];
    if (from < p->len) {
        size_t len = p->len - from < f->unit ? p->len - from : f->unit;
        unsigned char *pinned = slot(f, i) + from;
        for (size_t at = p->at + from, n; len; at += n, pinned += n, len -= n)
            n = copy_run(f, p->piece, at, pinned, len);
    }
    if (__atomic_sub_fetch(&f->left[i % f->slots], 1, __ATOMIC_SEQ_CST) == 0 &&
        __atomic_load_n(&f->caller_sleeps, __ATOMIC_SEQ_CST)) {
        yk_lock_take(&f->lock);
        pthread_cond_signal(&f->copied);
        yk_lock_drop(&f->lock);
    }
    return true;
}

static void help(struct yk_copy_job *job)
{
    struct yk_flight *f = (struct yk_flight *)job;
    for (;;) {
        while (copy_one(f))
            ;
        if (__atomic_load_n(&f->stop, __ATOMIC_RELAXED) || __atomic_load_n(&f->next, __ATOMIC_RELAXED) >= f->n * f->per)
            return;
        wait_for_room(f);
    }
}

static bool is_copied(const struct yk_flight *f, size_t i)
{
    return __atomic_load_n(&f->left[i % f->slots], __ATOMIC_SEQ_CST) == 0;
}

/* Copy, or wait, until chunk I has been copied. */
static void await_copied(struct yk_flight *f, size_t i)
{
    uint64_t until = 0;
    while (!is_copied(f, i)) {
        if (copy_one(f))
            continue;
        uint64_t now = yk_now_ns();
        until = until ? until : now + LOOK_NS;
        if (f->asks && now < until) {
            yk_ask_pause();
            continue;
        }
        yk_lock_take(&f->lock);
        __atomic_store_n(&f->caller_sleeps, true, __ATOMIC_SEQ_CST);
        while (!is_copied(f, i))
            yk_lock_wait(&f->lock, &f->copied);
        __atomic_store_n(&f->caller_sleeps, false, __ATOMIC_SEQ_CST);
        yk_lock_drop(&f->lock);
    }
}

/* Chunks below CHUNKS may be copied. */
static void allow(struct yk_flight *f, size_t chunks)
{
    chunks = chunks < f->n ? chunks : f->n;
    __atomic_store_n(&f->limit, chunks * f->per, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&f->asleep, __ATOMIC_SEQ_CST))
        return;
    yk_lock_take(&f->lock);
    pthread_cond_broadcast(&f->room);
    yk_lock_drop(&f->lock);
}

/* Chunk I is going to need its slot. */
static void claim(struct yk_flight *f, size_t i)
{
    if (i < f->n)
        __atomic_store_n(&f->left[i % f->slots], f->per, __ATOMIC_RELAXED);
}

cl_int yk_ring_await(const struct yk_cl *cl, cl_event *e)
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

static cl_int issue_rows(struct yk_flight *f, size_t i, cl_event *e)
{
    const struct yk_flight_chunk *c = &f->at[i];
    const struct yk_ring_piece *p = c->piece;
    size_t off = p->off + c->at / p->row * p->pitch, origin[3] = {off % p->pitch, off / p->pitch, 0},
           packed[3] = {0, 0, 0}, region[3] = {p->row, c->len / p->row, 1};
    cl_int err = f->in ? f->cl->EnqueueWriteBufferRect(f->queue, p->buffer, CL_FALSE, origin, packed, region, p->pitch,
                                                       0, p->row, 0, slot(f, i), 0, NULL, e)
                       : f->cl->EnqueueReadBufferRect(f->queue, p->buffer, CL_FALSE, origin, packed, region, p->pitch,
                                                      0, p->row, 0, slot(f, i), 0, NULL, e);
    return err == CL_SUCCESS ? f->cl->Flush(f->queue) : err;
}

cl_int yk_flight_issue(struct yk_flight *f, size_t i, cl_event *e)
{
    const struct yk_flight_chunk *p = &f->at[i];
    if (p->piece->row)
        return issue_rows(f, i, e);
    size_t off = p->piece->off + p->at;
    cl_int err =
        f->in ? f->cl->EnqueueWriteBuffer(f->queue, p->piece->buffer, CL_FALSE, off, p->len, slot(f, i), 0, NULL, e)
              : f->cl->EnqueueReadBuffer(f->queue, p->piece->buffer, CL_FALSE, off, p->len, slot(f, i), 0, NULL, e);
    return err == CL_SUCCESS ? f->cl->Flush(f->queue) : err;
}

/* Chunk I has arrived: say so where a step ends with it. */
static void pass(const struct yk_flight *f, size_t i)
{
    if (!f->steps || !f->steps->passed)
        return;
    unsigned next = i + 1 < f->n ? f->at[i + 1].piece->step : UINT_MAX;
    if (next != f->at[i].piece->step)
        f->steps->passed(f->steps->arg, next);
}

/* May chunk I be given to the driver now? WAIT: when it may. */
static enum yk_ring_gate ready(struct yk_flight *f, size_t i, bool wait)
{
    if (f->steps && f->steps->gate) {
        enum yk_ring_gate g = f->steps->gate(f->steps->arg, f->at[i].piece->step, wait);
        if (g != YK_RING_OPEN)
            return g;
    }
    if (!f->in && i < f->slots)
        return YK_RING_OPEN;
    if (wait)
        await_copied(f, i);
    return is_copied(f, i) ? YK_RING_OPEN : YK_RING_SHUT;
}

static cl_int pump(struct yk_flight *f)
{
    cl_int err = CL_SUCCESS;
    size_t issued = 0, over = 0;
    unsigned asked = 0; /* about chunk OVER */
    while (over < f->n && err == CL_SUCCESS) {
        bool more = issued < f->n && issued < over + f->slots;
        enum yk_ring_gate g = more ? ready(f, issued, issued == over) : YK_RING_SHUT;
        if (g == YK_RING_STOP)
            return CL_OUT_OF_RESOURCES;
        if (g == YK_RING_OPEN) {
            if (!f->in)
                claim(f, issued);
            err = yk_flight_issue(f, issued, &f->event[issued % f->slots]);
            issued++;
            continue;
        }
        cl_event *e = &f->event[over % f->slots];
        if (f->asks && asked < ASK_MOST && !yk_ask_over(f->cl, *e)) { /* meanwhile the next may have been copied */
            asked++;
            yk_ask_pause();
            continue;
        }
        asked = 0;
        err = yk_ring_await(f->cl, e);
        if (err == CL_SUCCESS)
            pass(f, over);
        if (err == CL_SUCCESS && f->in)
            claim(f, over + f->slots);
        over++;
        if (err == CL_SUCCESS)
            allow(f, f->in ? over + f->slots : over);
    }
    for (size_t i = f->n < f->slots ? 0 : f->n - f->slots; i < f->n && !f->in && err == CL_SUCCESS; i++)
        await_copied(f, i);
    return err;
}

bool yk_flight_settle(const struct yk_cl *cl, cl_command_queue queue, cl_event *event, unsigned n)
{
    bool lost = cl->Finish(queue) != CL_SUCCESS;
    for (unsigned i = 0; i < n; i++)
        if (event[i])
            cl->ReleaseEvent(event[i]);
    return lost;
}

static size_t total(const struct yk_flight *f)
{
    size_t bytes = 0;
    for (size_t i = 0; i < f->npieces; i++)
        bytes += f->piece[i].len;
    return bytes;
}

/* The first of the chunks that REST bytes of a piece are cut into, of at most LEN each: none much shorter than the
 * others, since a short one takes a slot as well. */
static size_t even(const struct yk_flight *f, size_t rest, size_t len)
{
    if (rest <= len)
        return rest;
    size_t n = (rest + len - 1) / len, each = (rest + n - 1) / n;
    each += (f->unit - each % f->unit) % f->unit;
    return each < len ? each : len;
}

/* The bytes of the chunk that begins behind DONE bytes of ALL. */
static size_t length(const struct yk_flight *f, size_t done, size_t all)
{
    size_t least = f->chunk / 8, n = f->in ? done : (all - done) / 2;
    if (least < f->unit)
        least = f->unit;
    n = n < least ? least : n;
    return n < f->chunk ? n : f->chunk;
}

void yk_flight_shape(struct yk_flight *f, struct yk_ring_shape shape, size_t bytes)
{
    const size_t page = 4096;
    f->slots = shape.slots < 2 ? 2 : shape.slots > YK_RING_SLOTS ? YK_RING_SLOTS : shape.slots;
    size_t most = bytes / f->slots;
    f->chunk = shape.chunk < most ? shape.chunk : most;
    if (f->chunk > page)
        f->chunk -= f->chunk % page;
    if (!f->chunk)
        f->chunk = 1;
    f->asks = shape.asks;
    f->unit = shape.unit && shape.unit < f->chunk ? shape.unit : f->chunk;
    f->per = (unsigned)((f->chunk + f->unit - 1) / f->unit);
}

/* Of LEN bytes of P, which fit a slot, what ends with a row. */
static size_t whole_rows(const struct yk_ring_piece *p, size_t len)
{
    return !p->row ? len : len < p->row ? p->row : len - len % p->row;
}

bool yk_flight_cut(struct yk_flight *f, struct yk_ring_shape shape, size_t bytes)
{
    yk_flight_shape(f, shape, bytes);
    f->n = 0;
    for (int make = 0; make < 2; make++) {
        size_t n = 0, done = 0, all = total(f);
        for (size_t i = 0; i < f->npieces; i++)
            for (size_t at = 0, len; at < f->piece[i].len; at += len, done += len, n++) {
                size_t rest = f->piece[i].len - at;
                len = whole_rows(&f->piece[i], even(f, rest, length(f, done, all)));
                if (make)
                    f->at[n] = (struct yk_flight_chunk){&f->piece[i], at, len};
            }
        f->n = n;
        if (!make && !(f->at = malloc(n * sizeof *f->at)))
            return false;
    }
    return true;
}

void yk_flight_finish(struct yk_flight *f)
{
    free(f->at);
}

cl_int yk_flight_run(struct yk_flight *f, unsigned threads)
{
    size_t busy = total(f) / f->unit / 2; /* threads with two units each */
    f->job.run = help;
    for (size_t i = 0; i < f->slots && f->in; i++)
        claim(f, i);
    f->limit = f->in ? (f->n < f->slots ? f->n : f->slots) * f->per : 0;
    yk_lock_init(&f->lock, YK_RANK_LEAF);
    pthread_cond_init(&f->room, NULL);
    pthread_cond_init(&f->copied, NULL);
    yk_copiers_join(&f->job, threads < busy ? threads : (unsigned)busy);
    cl_int err = pump(f);
    yk_lock_take(&f->lock);
    __atomic_store_n(&f->stop, true, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&f->room);
    yk_lock_drop(&f->lock);
    yk_copiers_leave(&f->job);
    pthread_cond_destroy(&f->room);
    pthread_cond_destroy(&f->copied);
    yk_lock_finish(&f->lock);
    return err;
}
