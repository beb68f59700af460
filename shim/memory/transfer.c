#include "shim/memory/transfer.h"
#include "base/clock.h"
#include "base/log.h"
#include "shim/memory/filled.h"
#include "shim/memory/link.h"
#include "shim/memory/link_choice.h"
#include "shim/memory/exclude.h"
#include "shim/memory/post.h"
#include "shim/memory/subs.h"
#include "shim/memory/tenant.h"

enum { BATCH = 64, LONG_ROW = 256 << 10 };

/* Pieces of one length, one after the other at one distance, that one source has. */
struct run {
    size_t off, len, pitch, rows;
    yk_where have;
};

/* Where the search for missing pieces of a region stands. */
struct search {
    const struct yk_region *r;
    uint64_t row;  /* of rows * slices */
    uint64_t done; /* bytes of it */
};

/* The next piece of S's region that AT lacks, as long as one source can serve. With the lock held. */
static bool next_piece(struct yk_store *s, unsigned at, struct search *f, struct yk_piece *p)
{
    const struct yk_region *r = f->r;
    for (; f->row < r->rows * r->slices; f->row++, f->done = 0) {
        uint64_t off = r->offset + f->row / r->rows * r->slice_pitch + f->row % r->rows * r->row_pitch;
        if (f->done < r->bytes && yk_map_missing(&s->map, off + f->done, r->bytes - f->done, at, p)) {
            f->done = p->off + p->len - off;
            return true;
        }
    }
    return false;
}

/* Does P go on with run R? */
static bool goes_on(struct run *r, const struct yk_piece *p)
{
    if (p->have != r->have || p->len != r->len || p->off <= r->off)
        return false;
    size_t apart = (size_t)p->off - (r->off + (r->rows - 1) * r->pitch);
    if (apart < r->len || (r->rows > 1 && apart != r->pitch))
        return false;
    r->pitch = apart;
    r->rows++;
    return true;
}

/* Missing pieces as at most BATCH runs; returns how many. Several runs grow at a time: rows that lie in columns of
 * several devices take turns. */
static unsigned find(struct yk_store *s, unsigned at, struct search *f, struct run run[BATCH])
{
    unsigned n = 0;
    struct yk_piece p;
    const struct yk_region *r = f->r;
    struct search before = *f;
    yk_lock_take(&s->lock);
    bool none =
        r->rows > 1 && !f->row && !f->done && !yk_store_lacks_of(s, yk_at(at), r); /* the steady state of a loop */
    while (!none && next_piece(s, at, f, &p)) {
        unsigned k = n;
        while (k > 0 && !goes_on(&run[k - 1], &p))
            k--;
        if (!k && n == BATCH) {
            *f = before; /* it is found again */
            break;
        }
        if (!k)
            run[n++] = (struct run){.off = (size_t)p.off, .len = (size_t)p.len, .rows = 1, .have = p.have};
        before = *f;
    }
    yk_lock_drop(&s->lock);
    return n;
}

int yk_store_source(const struct yk_store *s, yk_where where)
{
    unsigned p = yk_rt.primary->index;
    if (where >> yk_store_location(s, p) & 1)
        return (int)p;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (yk_store_made(s, i) && where >> yk_store_location(s, i) & 1)
            return (int)i;
    return -1;
}

/* R, which is one rectangle, and HOST, where its first byte goes or comes from. */
static cl_int carry_rows(struct yk_store *s, unsigned dev, const struct run *r, unsigned char *host, bool out)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_command_queue q = yk_context_transfer_queue(s->ctx, dev);
    if (!q)
        return CL_OUT_OF_RESOURCES;
    const size_t at[3] = {r->off % r->pitch, r->off / r->pitch, 0}, first[3] = {0}, size[3] = {r->len, r->rows, 1};
    cl_int err = CL_SUCCESS;
    if (out) {
        err = cl->EnqueueReadBufferRect(q, yk_store_buffer(s, dev), CL_TRUE, at, first, size, r->pitch, 0, r->pitch, 0,
                                        host, 0, NULL, NULL);
        bool failed = err != CL_SUCCESS;
        if (failed) { /* what cannot be read is lost, where nobody else has it: once more, one by one */
            yk_info("a read of %zu rows from device %u failed: %s", r->rows, dev, yk_cl_error_name(err));
            err = CL_SUCCESS;
        }
        for (size_t i = 0; failed && i < r->rows && err == CL_SUCCESS; i++)
            err =
                yk_link_read(s->ctx, dev, yk_store_buffer(s, dev), r->off + i * r->pitch, host + i * r->pitch, r->len);
        return err;
    }
    err = cl->EnqueueWriteBufferRect(q, yk_store_buffer(s, dev), CL_TRUE, at, first, size, r->pitch, 0, r->pitch, 0,
                                     host, 0, NULL, NULL);
    return yk_link_written(dev, q, err);
}

/* The same through a ring, where all of them are worth one. */
static bool ring_rows(struct yk_store *s, unsigned dev, const struct run *r, unsigned char *host, bool out)
{
    const struct yk_ring_piece piece = {.buffer = yk_store_buffer(s, dev),
                                        .off = r->off,
                                        .host = host,
                                        .len = r->len * r->rows,
                                        .row = r->len,
                                        .pitch = r->pitch,
                                        .host_pitch = r->pitch};
    return r->len >= yk_link_row_least() && yk_link_rows(s->ctx, dev, out ? YK_OUT : YK_IN, &piece, 1);
}

/* R, of long rows, as ranges: a ring that all of them are worth carries them one behind the other. */
static cl_int carry_long(struct yk_store *s, unsigned dev, const struct run *r, unsigned char *host, bool out)
{
    static const struct yk_ring_steps none = {.gate = NULL};
    cl_int err = CL_SUCCESS;
    for (size_t row = 0; row < r->rows && err == CL_SUCCESS;) {
        struct yk_ring_piece piece[BATCH];
        size_t n = 0;
        for (; n < BATCH && row < r->rows; n++, row++)
            piece[n] = (struct yk_ring_piece){.buffer = yk_store_buffer(s, dev),
                                              .off = r->off + row * r->pitch,
                                              .host = host + row * r->pitch,
                                              .len = r->len};
        err = out ? yk_link_read_steps(s->ctx, dev, piece, n, 0, &none)
                  : yk_link_write_steps(s->ctx, dev, piece, n, 0, &none);
    }
    return err;
}

/* Is R no one rectangle to drivers? They refuse rows that go on behind their pitch (some) or whose pitch ends behind
 * the buffer (NVIDIA's): the former are two columns, of the latter there is at most one. FIRST (which may have no rows)
 * and REST are its parts. */
static bool in_two(const struct yk_store *s, const struct run *r, struct run *first, struct run *rest)
{
    size_t room = r->pitch - r->off % r->pitch, inside = s->size / r->pitch - r->off / r->pitch;
    *first = *rest = *r;
    if (room < r->len) {
        first->len = room;
        rest->len -= room;
        rest->off += room;
    } else if (inside < r->rows) {
        first->rows = inside;
        rest->rows -= inside;
        rest->off += inside * r->pitch;
    } else {
        return false;
    }
    return true;
}

/* R from DEV's buffer (OUT) or to it; HOST: its first byte there. */
static cl_int carry(struct yk_store *s, unsigned dev, const struct run *r, unsigned char *host, bool out)
{
    struct run first, rest;
    if (r->rows == 1)
        return out ? yk_link_read(s->ctx, dev, yk_store_buffer(s, dev), r->off, host, r->len)
                   : yk_link_write(s->ctx, dev, yk_store_buffer(s, dev), r->off, host, r->len);
    if (in_two(s, r, &first, &rest)) {
        cl_int err = first.rows ? carry(s, dev, &first, host, out) : CL_SUCCESS;
        return err == CL_SUCCESS ? carry(s, dev, &rest, host + (rest.off - r->off), out) : err;
    }
    if (ring_rows(s, dev, r, host, out))
        return CL_SUCCESS;
    return r->len >= LONG_ROW && yk_link_possible(dev, r->len * r->rows) ? carry_long(s, dev, r, host, out)
                                                                         : carry_rows(s, dev, r, host, out);
}

/* R is newest at location AT too. */
static cl_int record(struct yk_store *s, unsigned at, const struct run *r)
{
    yk_lock_take(&s->lock);
    yk_status st = yk_map_copy_rows(&s->map, r->off, r->len, r->pitch, r->rows, at);
    cl_int err = st == YK_OK ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
    return err;
}

cl_int yk_store_arrived(struct yk_store *s, unsigned at, size_t off, size_t len)
{
    const struct run r = {.off = off, .len = len, .rows = 1};
    return record(s, at, &r);
}

/* From device to device without the host, where that is possible. What the primary's buffer over the program's memory
 * is made with goes there first: on an H200 a byte's read has that done in 5 ms for 256 MiB, where a first copy of half
 * of it to a mailbox took 28 to 40. */
static bool straight(struct yk_store *s, int source, unsigned at, int dev, const struct run *r)
{
    const size_t much = 1 << 20;
    if (source < 0 || dev < 0 || at == YK_HOST)
        return false;
    unsigned from = (unsigned)source, to = (unsigned)dev;
    if (s->app_ptr && r->len * r->rows >= much && from == yk_rt.primary->index)
        yk_subs_first(s, CL_MEM_USE_HOST_PTR);
    return yk_link_copy(s->ctx, from, s->real[from], to, s->real[to], r->off, r->len, r->pitch, r->rows);
}

/* Others of this thread's copies may wait for what it has begun (post.h). */
static void deliver(struct yk_post *p)
{
    if (p && p->n)
        (void)yk_post_deliver(p);
}

/* The same, begun only. */
static bool post(struct yk_post *p, struct yk_store *s, unsigned at, int dev, const struct run *r, uint64_t *moved)
{
    int source = p && !(r->have & yk_at(YK_HOST)) && dev >= 0 && at != YK_HOST && r->rows == 1
                     ? yk_store_source(s, r->have)
                     : -1;
    if (source >= 0 && yk_post_add(p, s, (unsigned)source, (unsigned)dev, at, r->off, r->len)) {
        if (moved)
            *moved += r->len;
        return true;
    }
    deliver(p);
    return false;
}

static void say(const struct run *r, unsigned at, bool straight, uint64_t began)
{
    yk_debug("%zu x %zu bytes to location %u%s in %.2f ms", r->rows, r->len, at, straight ? ", straight" : "",
             (double)(yk_now_ns() - began) * 1e-6);
}

static cl_int bring(struct yk_store *s, unsigned at, int dev, const struct run *r, uint64_t *moved)
{
    cl_int err = CL_SUCCESS;
    uint64_t bytes = 0, began = yk_now_ns();
    bool there = false;
    if (at != YK_HOST && r->rows == 1 && r->have >> YK_FILLED & 1 && yk_filled_at(s, (unsigned)dev, r->off, r->len))
        return record(s, at, r);
    if (!(r->have & yk_at(YK_HOST))) { /* not on the host: from device to device, or over the host */
        int source = yk_store_source(s, r->have);
        there = r->rows == 1 && straight(s, source, at, dev, r);
        if (!there && (source < 0 || !yk_store_master(s)))
            return source < 0 ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
        if (!there)
            err = carry(s, (unsigned)source, r, s->master + r->off, true);
        if (!there && err == CL_SUCCESS)
            err = record(s, YK_HOST, r);
        bytes += r->rows * r->len;
    }
    if (err == CL_SUCCESS && at != YK_HOST) {
        if (!there)
            err = carry(s, (unsigned)dev, r, s->master + r->off, false);
        if (err == CL_SUCCESS)
            err = record(s, at, r);
        bytes += r->rows * r->len;
    }
    if (moved)
        *moved += bytes;
    say(r, at, there, began);
    return err;
}

/* How many rows of R, which is one rectangle, have gone straight from SOURCE: all of them together, or, where they are
 * long, some one by one, which is for ranges. */
static size_t straight_rows(struct yk_store *s, int source, unsigned at, int dev, const struct run *r)
{
    struct run one = *r;
    size_t gone = 0;
    if (straight(s, source, at, dev, r))
        return r->rows;
    one.rows = 1;
    while (gone < r->rows && r->len >= LONG_ROW && straight(s, source, at, dev, &one)) {
        one.off += r->pitch;
        gone++;
    }
    return gone;
}

static cl_int bring_rows(struct yk_store *s, unsigned at, int dev, const struct run *r, struct yk_post *p,
                         uint64_t *moved)
{
    bool may = r->rows > 1 && dev >= 0 && at != YK_HOST && !(r->have & yk_at(YK_HOST));
    int source = may ? yk_store_source(s, r->have) : -1;
    struct run first = *r, rest = *r;
    uint64_t began = yk_now_ns();
    cl_int err = CL_SUCCESS;
    if (source >= 0 && in_two(s, r, &first, &rest)) {
        err = first.rows ? bring_rows(s, at, dev, &first, p, moved) : CL_SUCCESS;
        return err == CL_SUCCESS ? bring_rows(s, at, dev, &rest, p, moved) : err;
    }
    if (source >= 0)
        deliver(p);
    if (source >= 0 && (first.rows = straight_rows(s, source, at, dev, r))) {
        err = record(s, at, &first);
        if (moved)
            *moved += first.rows * first.len;
        say(&first, at, true, began);
        rest.rows -= first.rows;
        rest.off += first.rows * first.pitch;
    }
    if (!rest.rows || err != CL_SUCCESS || post(p, s, at, dev, &rest, moved))
        return err;
    return bring(s, at, dev, &rest, moved);
}

cl_int yk_store_transfer(struct yk_store *s, unsigned at, int dev, const struct yk_region *r, struct yk_post *p,
                         uint64_t *moved)
{
    struct search f = {.r = r};
    struct run run[BATCH];
    cl_int err = CL_SUCCESS;
    /* To where the primary works one thread at a time copies: what one has brought, a launch of its queue may change.
     */
    bool alone = at == yk_store_location(s, yk_rt.primary->index) && yk_copy_begin(s);
    yk_tenant_enter(s);
    for (unsigned n = BATCH; n == BATCH && err == CL_SUCCESS;) {
        n = find(s, at, &f, run);
        for (unsigned i = 0; i < n && err == CL_SUCCESS; i++)
            err = bring_rows(s, at, dev, &run[i], p, moved);
    }
    yk_tenant_leave(s);
    yk_copy_end(s, alone);
    return err;
}

cl_int yk_store_fetch(struct yk_store *s, size_t off, size_t len, unsigned char *to, uint64_t *moved)
{
    const struct yk_region r = {.offset = off, .bytes = len, .rows = 1, .slices = 1};
    struct search f = {.r = &r};
    struct run run[BATCH];
    cl_int err = CL_SUCCESS;
    for (unsigned n = BATCH; n == BATCH && err == CL_SUCCESS;) {
        n = find(s, YK_HOST, &f, run);
        for (unsigned i = 0; i < n && err == CL_SUCCESS; i++) {
            int source = yk_store_source(s, run[i].have);
            err = source < 0 ? CL_OUT_OF_RESOURCES : carry(s, (unsigned)source, &run[i], to + (run[i].off - off), true);
            if (moved)
                *moved += run[i].len * run[i].rows;
        }
    }
    return err;
}
