#include "shim/memory/link.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "device/link/stream.h"
#include "shim/memory/mailbox.h"
#include "shim/memory/pinned.h"

/* Measured on an H200 (bench/transfer --sweep): a ring of 32 MiB with 8 threads reaches 51 of 55 GB/s in and 53 out
 * with chunks of 4 MiB, copied in units of 256 KiB; rings of 8 MiB reach half of it, since the device is then at lines
 * that are still in the caches of the cores that copy. Smaller transfers want smaller chunks, some 16 of them; from 4
 * MiB on the ring beats the driver; and it takes 17 ms to make, which 128 MiB in or 256 MiB out repay (the driver's own
 * way: 7 to 9 and 12 to 17 GB/s). */
enum {
    AUTO_LEAST = 4 << 20,
    AUTO_RING = 32 << 20,
    AUTO_PAYS = 128 << 20,
    LONG = 32 << 20,
    AUTO_THREADS = 8,
    OUT_THREADS = 4, /* with wide stores, see stream.h; as many as reach the link's rate, for a way in beside it */
    CHUNK_LEAST = 256 << 10,
    CHUNK_MOST = 4 << 20,
    UNIT = 256 << 10,
    SLOTS = 16
};
/* Tests: many chunks in small transfers, slots that are used again. */
enum {
    FORCE_LEAST = 64,
    FORCE_RING = 16 << 10,
    FORCE_CHUNK = 4096,
    FORCE_SLOTS = 4,
    FORCE_THREADS = 3,
    FORCE_UNIT = 1500
};

size_t yk_link_least;

static struct {
    pthread_once_t once;
    bool on, force, asks;
    size_t least, ring, pays;
    unsigned threads;
    size_t moved[YK_WAYS][YK_MAX_DEVICES]; /* by transfers that a ring could have carried; atomic */
    bool failed[YK_WAYS][YK_MAX_DEVICES];  /* no ring could be had, or it failed; atomic */
    double rate[YK_MAX_DEVICES];           /* bytes per ms of large transfers lately, either way; 0: none yet; atomic */
} link_ = {.once = PTHREAD_ONCE_INIT};

static unsigned cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static void start(void)
{
    const char *mode = yk_env_str("YOKE_RING", "auto");
    unsigned half = cores() / 2;
    link_.on = strcmp(mode, "off") != 0;
    link_.asks = !strcmp(mode, "ask");
    link_.force = link_.asks || !strcmp(mode, "force");
    if (link_.on && !link_.force && strcmp(mode, "auto"))
        yk_warn("YOKE_RING=%s is not off, auto, force or ask; auto is used", mode);
    link_.least = link_.force ? FORCE_LEAST : AUTO_LEAST;
    link_.ring = link_.force ? FORCE_RING : AUTO_RING;
    link_.pays = link_.force ? 0 : AUTO_PAYS;
    __atomic_store_n(&yk_link_least, link_.on ? link_.least : SIZE_MAX, __ATOMIC_RELAXED);
    link_.threads = link_.force ? FORCE_THREADS : half < AUTO_THREADS ? half : AUTO_THREADS;
}

static struct yk_ring_shape shape_for(enum yk_direction way, size_t len)
{
    if (link_.force)
        return (struct yk_ring_shape){FORCE_CHUNK, FORCE_SLOTS, FORCE_THREADS, FORCE_UNIT, link_.asks};
    size_t chunk = len / SLOTS;
    chunk = chunk < CHUNK_LEAST ? CHUNK_LEAST : chunk > CHUNK_MOST ? CHUNK_MOST : chunk;
    unsigned threads =
        way == YK_OUT && yk_copy_streams_wide() && link_.threads > OUT_THREADS ? OUT_THREADS : link_.threads;
    return (struct yk_ring_shape){chunk, AUTO_RING / CHUNK_MOST, threads, UNIT, true};
}

/* BESIDE: bytes that go the other way meanwhile. Each way also has a thread that talks to the driver, and the kernels
 * between have one; all three ask again and again. A thread copies 6 GB/s in, where the ring's lines are still in some
 * other core's cache, and 13 out. On 16 cores 9 in and 4 out carried 45 GB/s each way; equal shares, or more threads
 * than cores, half of that: threads that are too slow for the link follow so closely on its heels that each line they
 * write is taken from another core. */
static struct yk_ring_shape shape_beside(enum yk_direction way, size_t len, size_t beside)
{
    enum { OTHERS = 3, LEAST = 3, MUCH = 4, IN_MOST = 12, OUT_MOST = 6 };
    struct yk_ring_shape s = shape_for(way, len);
    if (link_.force || beside <= len / MUCH)
        return s;
    unsigned n = cores(), rest = n > OTHERS + LEAST ? n - OTHERS : LEAST, out = rest / 3;
    if (way == YK_IN)
        s.threads = rest - out < IN_MOST ? rest - out : IN_MOST;
    else
        s.threads = out < OUT_MOST ? out : OUT_MOST;
    return s;
}

bool yk_link_asks(unsigned dev)
{
    pthread_once(&link_.once, start);
    return link_.asks || yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_GPU;
}

static bool possible(unsigned dev, size_t len)
{
    if (len < FORCE_LEAST)
        return false;
    pthread_once(&link_.once, start);
    const struct yk_device *d = &yk_rt.machine->device[dev];
    return len >= link_.least && link_.on &&
           (link_.force || ((d->type & CL_DEVICE_TYPE_GPU) && !d->host_memory && link_.threads > 1));
}

void yk_link_mapped(const void *ptr, size_t len)
{
    pthread_once(&link_.once, start);
    if (len >= link_.least && link_.on)
        yk_pinned_add(ptr, len);
}

/* Shorter transfers gain little by a ring, so they earn it slowly. */
static size_t credit(size_t len)
{
    return len < LONG ? len / 4 : len;
}

/* A ring is there, or has been earned by what was moved without it. */
static bool pays(const struct yk_context *ctx, unsigned dev, enum yk_direction way, size_t len)
{
    if (__atomic_load_n(&link_.failed[way][dev], __ATOMIC_RELAXED))
        return false;
    return __atomic_load_n(&ctx->ring[way][dev], __ATOMIC_ACQUIRE) ||
           __atomic_load_n(&link_.moved[way][dev], __ATOMIC_RELAXED) + credit(len) >=
               link_.pays * (way == YK_OUT ? 2 : 1);
}

bool yk_link_wants(const struct yk_context *ctx, unsigned dev, enum yk_direction way, const void *ptr, size_t len)
{
    return possible(dev, len) && pays(ctx, dev, way, len) && !yk_pinned(ptr);
}

/* LEN bytes from or to DEV have taken NS. First ones also touch memory for the first time: the better ones count. */
static void note_rate(unsigned dev, size_t len, uint64_t ns)
{
    const size_t least = 1 << 20;
    double *at = &link_.rate[dev], rate = (double)len * 1e6 / (double)(ns ? ns : 1), last;
    if (len < least)
        return;
    __atomic_load(at, &last, __ATOMIC_RELAXED);
    double mean = 0.7 * last + 0.3 * rate;
    rate = rate > mean ? rate : mean;
    __atomic_store(at, &rate, __ATOMIC_RELAXED);
}

/* Are mailboxes to DEV being made? */
static bool coming_to(unsigned dev)
{
    const struct yk_machine *m = yk_rt.machine;
    for (unsigned i = 0; i < m->n; i++)
        if (i != dev && (i == m->primary || dev == m->primary) && yk_mailbox_coming(i, dev))
            return true;
    return false;
}

double yk_link_bandwidth(unsigned dev, double bytes)
{
    double seen;
    /* Two H200 send each other 300 GB/s straight. Through the host: a way in and a way out at 40 to 50 GB/s each. */
    const double plain = 5e6, coming = 10e6, ring = 20e6, straight = 100e6;
    const struct yk_machine *m = yk_rt.machine;
    if (coming_to(dev))
        return coming;
    __atomic_load(&link_.rate[dev], &seen, __ATOMIC_RELAXED);
    if (seen > 0)
        return seen;
    for (unsigned i = 0; i < m->n; i++)
        if (i != dev && (i == m->primary || dev == m->primary) && yk_mailbox_works(i, dev))
            return straight;
    return bytes >= (double)AUTO_PAYS && possible(dev, AUTO_PAYS) ? ring : plain;
}

void yk_link_plain(unsigned dev, enum yk_direction way, size_t len)
{
    if (possible(dev, len))
        __atomic_fetch_add(&link_.moved[way][dev], credit(len), __ATOMIC_RELAXED);
}

static struct yk_ring *ring_of(struct yk_context *ctx, unsigned dev, enum yk_direction way)
{
    struct yk_ring *r = __atomic_load_n(&ctx->ring[way][dev], __ATOMIC_ACQUIRE), *none = NULL;
    if (r)
        return r;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_command_queue q = yk_context_link_queue(ctx, dev, way);
    cl_int err = CL_OUT_OF_RESOURCES;
    r = q ? yk_ring_create(d->cl, q, link_.ring, &err) : NULL;
    if (!r) {
        yk_info("no pinned memory for transfers of device %u: %s", dev, yk_cl_error_name(err));
        __atomic_store_n(&link_.failed[way][dev], true, __ATOMIC_RELAXED);
        return NULL;
    }
    if (!__atomic_compare_exchange_n(&ctx->ring[way][dev], &none, r, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        yk_ring_destroy(r, q);
        return none;
    }
    return r;
}

void yk_link_prepare(struct yk_context *ctx, unsigned dev, enum yk_direction way, const void *ptr, size_t len)
{
    if (yk_link_wants(ctx, dev, way, ptr, len))
        (void)ring_of(ctx, dev, way);
}

static struct yk_ring_end end_of(struct yk_context *ctx, unsigned dev, enum yk_direction way, cl_mem real, size_t off)
{
    return (struct yk_ring_end){yk_rt.machine->device[dev].cl, yk_context_link_queue(ctx, dev, way), real, off};
}

static void gave_up(unsigned dev, enum yk_direction way, cl_int err)
{
    yk_info("a transfer of device %u through pinned memory failed: %s; the driver's own way from now on", dev,
            yk_cl_error_name(err));
    __atomic_store_n(&link_.failed[way][dev], true, __ATOMIC_RELAXED);
}

cl_int yk_link_write(struct yk_context *ctx, unsigned dev, cl_mem real, size_t off, const void *from, size_t len)
{
    struct yk_ring *r = yk_link_wants(ctx, dev, YK_IN, from, len) ? ring_of(ctx, dev, YK_IN) : NULL;
    uint64_t began = yk_now_ns();
    if (r) {
        struct yk_ring_end to = end_of(ctx, dev, YK_IN, real, off);
        cl_int err = yk_ring_write(r, shape_for(YK_IN, len), &to, from, len);
        if (err == CL_SUCCESS) {
            note_rate(dev, len, yk_now_ns() - began);
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
    note_rate(dev, len, yk_now_ns() - began);
    return err;
}

cl_int yk_link_read(struct yk_context *ctx, unsigned dev, cl_mem real, size_t off, void *to, size_t len)
{
    struct yk_ring *r = yk_link_wants(ctx, dev, YK_OUT, to, len) ? ring_of(ctx, dev, YK_OUT) : NULL;
    uint64_t began = yk_now_ns();
    if (r) {
        struct yk_ring_end from = end_of(ctx, dev, YK_OUT, real, off);
        cl_int err = yk_ring_read(r, shape_for(YK_OUT, len), &from, to, len);
        if (err == CL_SUCCESS) {
            note_rate(dev, len, yk_now_ns() - began);
            return err;
        }
        gave_up(dev, YK_OUT, err);
    }
    yk_link_plain(dev, YK_OUT, len);
    cl_command_queue q = yk_context_transfer_queue(ctx, dev);
    if (!q)
        return CL_OUT_OF_RESOURCES;
    began = yk_now_ns();
    cl_int err = yk_rt.machine->device[dev].cl->EnqueueReadBuffer(q, real, CL_TRUE, off, len, to, 0, NULL, NULL);
    note_rate(dev, len, yk_now_ns() - began);
    return err;
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

/* Pieces FROM ... N without a ring. Two are under way at a time, so that the link need not wait until a thread has
 * woken; one where the driver would keep ordinary memory waiting for a thread of its own (NVIDIA's). */
static cl_int move_plain(unsigned dev, enum yk_direction way, cl_command_queue q, const struct yk_ring_piece *piece,
                         size_t from, size_t n, const struct yk_ring_steps *steps)
{
    enum { AHEAD = 2 };
    const struct yk_device *d = &yk_rt.machine->device[dev];
    const bool blocks = d->type & CL_DEVICE_TYPE_GPU;
    cl_event event[AHEAD] = {NULL};
    size_t issued = from, over = from;
    cl_int err = CL_SUCCESS;
    while (over < n && err == CL_SUCCESS) {
        const struct yk_ring_piece *p = &piece[issued];
        bool more = issued < n && issued < over + (blocks ? 1 : AHEAD);
        enum yk_ring_gate gate = !more         ? YK_RING_SHUT
                                 : steps->gate ? steps->gate(steps->arg, p->step, issued == over)
                                               : YK_RING_OPEN;
        cl_event *e = &event[(gate == YK_RING_OPEN ? issued : over) % AHEAD];
        if (gate == YK_RING_STOP) {
            err = CL_OUT_OF_RESOURCES;
        } else if (gate == YK_RING_OPEN) {
            err = way == YK_IN ? d->cl->EnqueueWriteBuffer(q, p->buffer, blocks, p->off, p->len, p->host, 0, NULL, e)
                               : d->cl->EnqueueReadBuffer(q, p->buffer, blocks, p->off, p->len, p->host, 0, NULL, e);
            err = err == CL_SUCCESS && !blocks ? d->cl->Flush(q) : err;
            issued++;
        } else {
            err = yk_ring_await(d->cl, e);
            over++;
            if (err == CL_SUCCESS && steps->passed)
                steps->passed(steps->arg, over < n ? piece[over].step : UINT_MAX);
        }
    }
    if (err != CL_SUCCESS)
        (void)d->cl->Finish(q);
    for (int i = 0; i < AHEAD; i++)
        if (event[i])
            d->cl->ReleaseEvent(event[i]);
    return err;
}

/* The ring for these pieces; NULL: none. */
static struct yk_ring *ring_for(struct yk_context *ctx, unsigned dev, enum yk_direction way, size_t len)
{
    return possible(dev, len) && pays(ctx, dev, way, len) ? ring_of(ctx, dev, way) : NULL;
}

cl_int yk_link_write_steps(struct yk_context *ctx, unsigned dev, const struct yk_ring_piece *piece, size_t n,
                           size_t beside, const struct yk_ring_steps *steps)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    size_t len = total(piece, n), from = 0;
    struct yk_ring *r = ring_for(ctx, dev, YK_IN, len);
    cl_command_queue q = yk_context_link_queue(ctx, dev, YK_IN);
    cl_int err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    if (r && q) {
        struct progress p = {steps, 0};
        const struct yk_ring_steps noted = {steps->gate ? ask_gate : NULL, note_passed, &p};
        uint64_t began = yk_now_ns();
        err = yk_ring_write_steps(r, shape_beside(YK_IN, len, beside), cl, q, piece, n, &noted);
        if (err == CL_SUCCESS) {
            note_rate(dev, len, yk_now_ns() - began);
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
    return err == CL_SUCCESS ? move_plain(dev, YK_IN, q, piece, from, n, steps) : err;
}

cl_int yk_link_read_steps(struct yk_context *ctx, unsigned dev, const struct yk_ring_piece *piece, size_t n,
                          size_t beside, const struct yk_ring_steps *steps)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    size_t len = total(piece, n);
    struct yk_ring *r = ring_for(ctx, dev, YK_OUT, len);
    cl_command_queue q = yk_context_link_queue(ctx, dev, YK_OUT);
    cl_int err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    if (r && q) {
        err = yk_ring_read_steps(r, shape_beside(YK_OUT, len, beside), cl, q, piece, n, steps);
        if (err == CL_SUCCESS || (steps->gate && steps->gate(steps->arg, 0, false) == YK_RING_STOP))
            return err;
        gave_up(dev, YK_OUT, err);
        err = CL_SUCCESS;
    }
    yk_link_plain(dev, YK_OUT, len);
    return err == CL_SUCCESS ? move_plain(dev, YK_OUT, q, piece, 0, n, steps) : err;
}

bool yk_link_copy(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, size_t off, size_t len)
{
    uint64_t began = yk_now_ns();
    if (yk_mailbox_copy(ctx, a, at_a, b, at_b, off, len)) {
        note_rate(b, len, yk_now_ns() - began);
        return true;
    }
    if (!possible(a, len) || !possible(b, len) || !pays(ctx, a, YK_OUT, len))
        return false;
    struct yk_ring *r = ring_of(ctx, a, YK_OUT);
    struct yk_ring_end from = end_of(ctx, a, YK_OUT, at_a, off), to = end_of(ctx, b, YK_IN, at_b, off);
    if (!r || !from.queue || !to.queue)
        return false;
    began = yk_now_ns();
    cl_int err = yk_ring_copy(r, shape_for(YK_OUT, len), &from, &to, len);
    if (err != CL_SUCCESS)
        gave_up(a, YK_OUT, err);
    else
        yk_mailbox_other_way(a, b, len, yk_now_ns() - began);
    if (err == CL_SUCCESS)
        note_rate(b, len, yk_now_ns() - began);
    return err == CL_SUCCESS;
}
