#include "shim/memory/inplace.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/link/watch.h"
#include "device/opencl/from_host.h"
#include "shim/core/background.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/memory/moved.h"

/* A ring moves 45 of 55 GB/s one way, and 50 of 85 both ways; pinning costs what some eight transfers lose one way. A
 * driver is kept from others while it pins: 2 ms for a piece. */
enum { AUTO_LEAST = 16 << 20, AUTO_PIECE = 64 << 20, AUTO_USES = 8 };
enum { FORCE_LEAST = 4096, FORCE_PIECE = 8192, FORCE_USES = 2 };
/* Pins are not given up for others while they have been used within so many transfers. */
enum { PINS = 64, PIECES = 64, LATELY = 64, MOST_WAIT_S = 2 };
static const uintptr_t page = 4096;

enum state {
    NONE,
    COMING, /* a thread is at it */
    LIVE,
    GONE,    /* the memory is no longer what was pinned */
    LEAVING, /* somebody is releasing it */
};

struct pin {
    enum state state;
    bool gone; /* while it is coming */
    struct yk_watch_range at;
    struct yk_context *ctx;
    size_t piece;
    unsigned n, users;
    uint64_t used; /* the last transfer */
    cl_mem mem[PIECES];
};

static struct {
    pthread_once_t once;
    bool on, force; /* atomic: on */
    size_t least, piece, most;
    unsigned uses;
    const struct yk_cl *cl;
} mode = {.once = PTHREAD_ONCE_INIT};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned alive; /* pins that are not NONE; atomic to read */
/* Guarded by lock. */
static struct pin pins[PINS];
static uint64_t now;
static size_t pinned;

static bool meets(struct yk_watch_range a, struct yk_watch_range b)
{
    return a.from < b.to && b.from < a.to;
}

static bool within(struct yk_watch_range a, struct yk_watch_range b)
{
    return b.from <= a.from && a.to <= b.to;
}

static struct yk_watch_range pages_of(const void *ptr, size_t len)
{
    uintptr_t from = (uintptr_t)ptr, to = from + len;
    return (struct yk_watch_range){from & ~(page - 1), (to + page - 1) & ~(page - 1)};
}

static void set_state(struct pin *p, enum state s)
{
    if ((p->state == NONE) != (s == NONE))
        __atomic_store_n(&alive, alive + (s != NONE ? 1 : -1u), __ATOMIC_RELEASE);
    p->state = s;
    pthread_cond_broadcast(&changed);
}

/* What is pinned of R is no longer to be. With the lock held. */
static void give_up(struct yk_watch_range r)
{
    for (int i = 0; i < PINS; i++) {
        struct pin *p = &pins[i];
        if (!meets(p->at, r))
            continue;
        p->gone |= p->state == COMING;
        if (p->state == LIVE)
            set_state(p, GONE);
    }
}

/* Take note of memory that has gone. With the lock held. */
static void hear(void)
{
    struct yk_watch_range r;
    while (yk_watch_next(&r))
        give_up(r);
}

static void release(struct pin *p)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->mem[i])
            mode.cl->ReleaseMemObject(p->mem[i]);
}

/* Have drivers let go of what is no longer to be pinned. WAIT: also of what is in use, or being pinned; but not for
 * ever, since a program may unmap what it has not waited for. With the lock held, which is dropped meanwhile. */
static void settle(bool wait)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOST_WAIT_S;
    for (int i = 0; i < PINS;) {
        struct pin *p = &pins[i];
        if (p->state == GONE && !p->users) {
            set_state(p, LEAVING);
            yk_lock_drop(&lock);
            release(p);
            yk_lock_take(&lock);
            pinned -= p->at.to - p->at.from;
            set_state(p, NONE);
        } else if (wait && (p->state == GONE || p->state == LEAVING || (p->state == COMING && p->gone))) {
            struct timespec t;
            yk_lock_timedwait(&lock, &changed, &until);
            clock_gettime(CLOCK_REALTIME, &t);
            wait = t.tv_sec < until.tv_sec;
            i = 0;
            continue;
        }
        i++;
    }
}

static const struct yk_watch_range everything = {0, UINTPTR_MAX};

/* Before a driver is given memory of the host, LEN > 0 bytes of it to keep. */
static void before(const void *ptr, size_t len)
{
    if (!__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
        return;
    yk_lock_take(&lock);
    hear();
    if (len)
        give_up(len == SIZE_MAX ? everything : pages_of(ptr, len));
    settle(true);
    yk_lock_drop(&lock);
}

/* Whoever unmaps memory that is watched waits for this. */
static void *listen(void *nothing)
{
    struct pollfd p = {.fd = yk_watch_fd(), .events = POLLIN};
    (void)nothing;
    while (poll(&p, 1, -1) >= 0 || errno == EINTR) {
        yk_lock_take(&lock);
        hear();
        yk_lock_drop(&lock);
        if (!yk_background_enter()) /* the process ends, and programs unmap on */
            continue;
        yk_lock_take(&lock);
        settle(false);
        yk_lock_drop(&lock);
        yk_background_leave();
    }
    return NULL;
}

/* A child may get the very pages, and its parent copies of them: before Linux 5.12. */
static void forking(void)
{
    if (!__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
        return;
    yk_lock_take(&lock);
    give_up(everything);
    settle(true);
    yk_lock_drop(&lock);
}

/* CTX is about to end, and nothing uses it. */
static void forget(struct yk_context *ctx)
{
    if (!__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
        return;
    yk_lock_take(&lock);
    for (int i = 0; i < PINS; i++)
        if (pins[i].state == LIVE && pins[i].ctx == ctx)
            set_state(&pins[i], GONE);
    settle(true);
    yk_moved_forget(ctx);
    yk_lock_drop(&lock);
}

static bool is_wanted(bool force)
{
    const struct yk_device *d = yk_rt.primary;
    char vendor[64] = "";
    if (!(d->type & CL_DEVICE_TYPE_GPU) || d->host_memory)
        return false;
    if (!force)
        d->cl->GetDeviceInfo(d->id, CL_DEVICE_VENDOR, sizeof vendor - 1, vendor, NULL);
    return force || strstr(vendor, "NVIDIA");
}

static void start(void)
{
    const char *text = yk_env_str("YOKE_PIN", "auto");
    bool force = !strcmp(text, "force");
    if (!force && strcmp(text, "off") && strcmp(text, "auto"))
        yk_warn("YOKE_PIN=%s is not off, auto or force; auto is used", text);
    mode.force = force;
    mode.least = force ? FORCE_LEAST : AUTO_LEAST;
    mode.piece = force ? FORCE_PIECE : AUTO_PIECE;
    mode.uses = force ? FORCE_USES : AUTO_USES;
    mode.most = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
    mode.cl = yk_cl_under_from_host(yk_rt.primary->cl);
    bool on = strcmp(text, "off") && is_wanted(force) && mode.cl != yk_rt.primary->cl;
    if (on && !yk_watch_able()) {
        yk_info("no memory of the program is pinned: the system does not let it be watched (userfaultfd)");
        on = false;
    }
    if (on && (pthread_atfork(forking, NULL, NULL) || yk_thread_start(listen, NULL)))
        on = false;
    if (on) {
        yk_from_host_call(before);
        __atomic_store_n(&yk_context_end, forget, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&mode.on, on, __ATOMIC_RELAXED);
}

/* The pinning of ARG. */
static void *pin(void *arg)
{
    struct pin *p = arg;
    struct yk_context *ctx = p->ctx;
    cl_int err = CL_SUCCESS;
    bool watched = yk_watch_add(p->at), entered = watched && yk_background_enter(), ok = entered;
    size_t bytes = p->at.to - p->at.from;
    uint64_t began = yk_now_ns();
    for (unsigned i = 0; i < p->n && ok; i++) {
        size_t off = i * p->piece, n = bytes - off < p->piece ? bytes - off : p->piece;
        p->mem[i] = mode.cl->CreateBuffer(ctx->real[yk_rt.primary->index], CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, n,
                                          (void *)(p->at.from + off), &err);
        yk_lock_take(&lock);
        hear();
        ok = p->mem[i] && !p->gone;
        yk_lock_drop(&lock);
    }
    if (err != CL_SUCCESS) {
        yk_info("memory of the program cannot be pinned: %s", yk_cl_error_name(err));
        __atomic_store_n(&mode.on, false, __ATOMIC_RELAXED);
    }
    if (!ok && entered)
        release(p);
    if (ok) {
        yk_trace_prepared("pinned memory of the program", yk_rt.primary->index, began);
        yk_stats_pinned();
    }
    yk_lock_take(&lock);
    pinned -= ok ? 0 : bytes;
    set_state(p, !ok ? NONE : p->gone ? GONE : LIVE);
    yk_lock_drop(&lock);
    if (watched && !entered)
        return NULL; /* the process exits: the hold is not given back, since that may call a driver */
    yk_drop(&ctx->h);
    if (entered)
        yk_background_leave();
    return NULL;
}

/* Room for R beside what is pinned and used: a pin that is free. With the lock held. */
static struct pin *room_for(struct yk_watch_range r)
{
    struct pin *none = NULL, *oldest = NULL;
    for (int i = 0; i < PINS; i++) {
        struct pin *p = &pins[i];
        if (p->state != NONE && meets(p->at, r))
            return NULL;
        if (p->state == NONE)
            none = p;
        else if (p->state == LIVE && !p->users && now - p->used > LATELY && (!oldest || p->used < oldest->used))
            oldest = p;
    }
    bool fits = pinned + (r.to - r.from) <= mode.most;
    if ((!fits || !none) && oldest)
        set_state(oldest, GONE); /* there will be room then */
    return fits ? none : NULL;
}

static struct pin *find(struct yk_context *ctx, struct yk_watch_range r)
{
    for (int i = 0; i < PINS; i++)
        if (pins[i].state == LIVE && pins[i].ctx == ctx && within(r, pins[i].at))
            return &pins[i];
    return NULL;
}

void yk_inplace_note(struct yk_context *ctx, const void *ptr, size_t len, bool at_once)
{
    if (len < FORCE_LEAST)
        return;
    pthread_once(&mode.once, start);
    if (!__atomic_load_n(&mode.on, __ATOMIC_RELAXED) || len < mode.least)
        return;
    struct yk_watch_range r = pages_of(ptr, len);
    size_t piece = mode.piece;
    struct pin *p = NULL;
    while ((r.to - r.from + piece - 1) / piece > PIECES)
        piece *= 2;
    yk_lock_take(&lock);
    now++;
    if ((p = find(ctx, r)))
        p->used = now;
    bool wanted = !p && yk_moved_is_due(ctx, r, at_once ? 1 : mode.uses) && (p = room_for(r));
    if (wanted) {
        *p = (struct pin){.at = r, .ctx = ctx, .piece = piece, .used = now};
        p->n = (unsigned)((r.to - r.from + piece - 1) / piece);
        pinned += r.to - r.from;
        set_state(p, COMING);
    }
    settle(false);
    yk_lock_drop(&lock);
    if (!wanted)
        return;
    yk_background_prepare();
    yk_hold(&ctx->h);
    if (mode.force || at_once || yk_thread_start(pin, p))
        pin(p);
}

bool yk_inplace_short(size_t len)
{
    pthread_once(&mode.once, start);
    return len < mode.least;
}

bool yk_inplace_begin(struct yk_inplace *use, struct yk_context *ctx, const void *ptr, size_t len)
{
    if (!__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
        return false;
    yk_lock_take(&lock);
    struct pin *p = find(ctx, pages_of(ptr, len));
    uint64_t bit = p ? UINT64_C(1) << (p - pins) : 0;
    if (p && !(use->pins & bit))
        p->users++;
    use->pins |= bit;
    yk_lock_drop(&lock);
    return p;
}

void yk_inplace_end(struct yk_inplace *use)
{
    if (!use->pins)
        return;
    yk_lock_take(&lock);
    for (int i = 0; i < PINS; i++)
        if (use->pins >> i & 1 && !--pins[i].users)
            pthread_cond_broadcast(&changed);
    yk_lock_drop(&lock);
    use->pins = 0;
}

size_t yk_inplace_piece(const struct yk_inplace *use, const void *ptr)
{
    uintptr_t at = (uintptr_t)ptr;
    for (int i = 0; i < PINS; i++) /* these are in use: nobody changes them */
        if (use->pins >> i & 1 && pins[i].at.from <= at && at < pins[i].at.to)
            return pins[i].piece - (at - pins[i].at.from) % pins[i].piece;
    return 0;
}

void yk_inplace_failed(cl_int err)
{
    yk_info("a transfer of pinned memory failed: %s; none is pinned from now on", yk_cl_error_name(err));
    __atomic_store_n(&mode.on, false, __ATOMIC_RELAXED);
    yk_lock_take(&lock);
    give_up(everything);
    settle(false);
    yk_lock_drop(&lock);
}
