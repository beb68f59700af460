#include "shim/memory/link_choice.h"
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include "base/env.h"
#include "base/log.h"
#include "device/link/stream.h"
#include "shim/memory/link.h"
#include "shim/memory/link_rate.h"
#include "shim/memory/mailbox.h"
#include "shim/memory/pinned.h"

/* Measured on an H200 (bench/transfer --sweep): a ring of 32 MiB with 8 threads reaches 51 of 55 GB/s in and 53 out
 * with chunks of 4 MiB, copied in units of 256 KiB; rings of 8 MiB reach half of it, since the device is then at lines
 * that are still in the caches of the cores that copy. Smaller transfers want smaller chunks, some 16 of them; from 4
 * MiB on the ring beats the driver; and it takes 5.5 ms to make of the host's memory, which 64 MiB in or 128 MiB out
 * repay, and three to four times as long of the driver's (whose own way moves 7 to 9 and 12 to 17 GB/s). */
enum {
    AUTO_LEAST = 4 << 20,
    AUTO_RING = 32 << 20,
    AUTO_PAYS = 64 << 20,
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

struct yk_ring_shape yk_link_shape(enum yk_direction way, size_t len)
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
struct yk_ring_shape yk_link_shape_beside(enum yk_direction way, size_t len, size_t beside)
{
    enum { OTHERS = 3, LEAST = 3, MUCH = 4, IN_MOST = 12, OUT_MOST = 6 };
    struct yk_ring_shape s = yk_link_shape(way, len);
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

size_t yk_link_row_least(void)
{
    const size_t least = 256;
    pthread_once(&link_.once, start);
    return link_.force ? 1 : least;
}

bool yk_link_possible(unsigned dev, size_t len)
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

enum yk_ring_place yk_link_ring_place(unsigned dev, enum yk_direction way)
{
    if (link_.force) /* one of each */
        return way == YK_IN ? YK_RING_OF_HOST : YK_RING_OF_DRIVER;
    return strstr(yk_rt.machine->device[dev].vendor, "NVIDIA") ? YK_RING_OF_HOST : YK_RING_OF_DRIVER;
}

bool yk_link_makes(unsigned dev, size_t size)
{
    return yk_link_possible(dev, size) && yk_link_ring_place(dev, YK_IN) == YK_RING_OF_HOST;
}

/* A ring is there, or has been earned by what was moved without it. */
bool yk_link_pays(const struct yk_context *ctx, unsigned dev, enum yk_direction way, size_t len)
{
    if (__atomic_load_n(&link_.failed[way][dev], __ATOMIC_RELAXED))
        return false;
    return __atomic_load_n(&ctx->ring[way][dev], __ATOMIC_ACQUIRE) ||
           __atomic_load_n(&link_.moved[way][dev], __ATOMIC_RELAXED) + credit(len) >=
               link_.pays * (way == YK_OUT ? 2 : 1) * (yk_link_ring_place(dev, way) == YK_RING_OF_HOST ? 1 : 2);
}

bool yk_link_wants(const struct yk_context *ctx, unsigned dev, enum yk_direction way, const void *ptr, size_t len)
{
    return yk_link_possible(dev, len) && yk_link_pays(ctx, dev, way, len) && !yk_pinned(ptr);
}

/* LEN bytes from or to DEV have taken NS. First ones also touch memory for the first time: the better ones count. */
void yk_link_note_rate(unsigned dev, size_t len, uint64_t ns)
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
    /* A ring has to be made first, and what it moved in other processes says nothing of that. */
    if (yk_link_possible(dev, AUTO_PAYS))
        return bytes >= (double)AUTO_PAYS ? ring : plain;
    double remembered = yk_link_remembered(dev, bytes);
    return remembered > 0 ? remembered : plain;
}

size_t yk_link_ring_bytes(void)
{
    return link_.ring;
}

void yk_link_failed(unsigned dev, enum yk_direction way)
{
    __atomic_store_n(&link_.failed[way][dev], true, __ATOMIC_RELAXED);
}

void yk_link_plain(unsigned dev, enum yk_direction way, size_t len)
{
    if (yk_link_possible(dev, len))
        __atomic_fetch_add(&link_.moved[way][dev], credit(len), __ATOMIC_RELAXED);
}
