#include "shim/memory/mailbox.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/link/mailbox_mode.h"
#include "device/link/mailbox_trial.h"
#include "shim/core/background.h"
#include "shim/core/helper.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"

/* Large copies go over a ring where JUDGED of them have shown that mailboxes are no faster: two links of PCI Express
 * carry 50 GB/s, which not all GPUs reach without them. */
enum { LARGE = 4 << 20, JUDGED = 3 };
static const uint64_t look_ns = 100000000;       /* between two looks for what yoke-warm has found */
static const uint64_t patience_ns = 60000000000; /* with yoke-warm */

enum state { NEW, ASKED, WORKS, NEVER };

/* What is known of copies from one device to another; atomic. */
struct pair {
    size_t moved;           /* without mailboxes */
    uint64_t asked, looked; /* when yoke-warm was, and for its answer */
    uint64_t best[2];       /* bytes per us of large copies: through mailboxes, another way */
    unsigned large;         /* through mailboxes */
    unsigned char state;
    bool busy;    /* a thread is getting them ready */
    bool likely;  /* they worked in other processes */
    bool no_rows; /* the driver has failed with rows */
};

static struct pair pairs[YK_MAX_DEVICES][YK_MAX_DEVICES];
static struct yk_mailbox_mode mode;

static void start(void)
{
    mode = yk_mailbox_mode(yk_rt.machine);
}

static void set_state(struct pair *p, enum state s)
{
    __atomic_store_n(&p->state, (unsigned char)s, __ATOMIC_RELEASE);
}

static enum state state_of(const struct pair *p)
{
    return (enum state)__atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
}

static void never(unsigned a, unsigned b, const char *why)
{
    yk_info("no mailboxes from device %u to device %u: %s", a, b, why);
    set_state(&pairs[a][b], NEVER);
}

static struct yk_mailboxes *find(struct yk_context *ctx, unsigned a, unsigned b)
{
    struct yk_context_mailboxes *at = __atomic_load_n(&ctx->mailboxes, __ATOMIC_ACQUIRE);
    while (at && (at->from != a || at->to != b))
        at = at->next;
    return at ? at->mailboxes : NULL;
}

static bool ask(void)
{
    char argument[48];
    snprintf(argument, sizeof argument, "%s=%d", YK_MAILBOX_TRY, (int)getpid());
    return yk_env_bool("YOKE_PROFILE", true) && yk_helper_start(argument);
}

/* What yoke-warm has found; asks it where it has not been asked. */
static void learn(unsigned a, unsigned b)
{
    struct pair *p = &pairs[a][b];
    const struct yk_device *d = yk_rt.machine->device;
    if (!mode.maker->fits(&d[a], &d[b])) {
        set_state(p, NEVER);
        return;
    }
    if (!mode.tried && mode.maker == &yk_mailbox_host && !(d[a].in_host && d[b].in_host)) {
        never(a, b, "they do not work in host memory");
        return;
    }
    if (!mode.tried) {
        set_state(p, WORKS);
        return;
    }
    switch (yk_mailbox_recall(mode.maker, &d[a], &d[b], mode.bytes)) {
    case YK_MAILBOX_WORKS:
        set_state(p, WORKS);
        break;
    case YK_MAILBOX_FAILS:
        never(a, b, "a trial of them failed");
        break;
    default:
        if (state_of(p) == NEW && ask()) {
            yk_info("yoke-warm is asked whether device %u can send to device %u straight", a, b);
            p->asked = yk_now_ns();
            set_state(p, ASKED);
        } else if (state_of(p) == NEW || yk_now_ns() - p->asked > patience_ns) {
            never(a, b, "yoke-warm has not tried them");
        }
    }
}

static void make(struct yk_context *ctx, unsigned a, unsigned b)
{
    const struct yk_device *d = yk_rt.machine->device;
    const struct yk_mailbox_end end[2] = {{&d[a], yk_context_real(ctx, a)}, {&d[b], yk_context_real(ctx, b)}};
    struct yk_context_mailboxes *new = calloc(1, sizeof *new);
    cl_int err = CL_OUT_OF_RESOURCES;
    uint64_t began = yk_now_ns();
    if (new &&end[0].context && end[1].context)
        new->mailboxes = yk_mailboxes_create(mode.maker, end, mode.bytes, &err);
    if (!new || !new->mailboxes) {
        free(new);
        never(a, b, yk_cl_error_name(err));
        return;
    }
    new->from = a;
    new->to = b;
    new->next = __atomic_load_n(&ctx->mailboxes, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&ctx->mailboxes, &new->next, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    yk_trace_prepared("mailboxes", b, began);
    yk_info("copies from device %u to device %u go through mailboxes (%s) now, which took %.0f ms", a, b,
            mode.maker->name, (double)(yk_now_ns() - began) * 1e-6);
}

/* Whoever set the pair's BUSY calls this, once. */
static void get_ready(struct yk_context *ctx, unsigned a, unsigned b)
{
    struct pair *p = &pairs[a][b];
    if (state_of(p) == NEW || state_of(p) == ASKED)
        learn(a, b);
    if (state_of(p) == WORKS && !find(ctx, a, b))
        make(ctx, a, b);
    __atomic_store_n(&p->busy, false, __ATOMIC_RELEASE);
}

struct errand {
    struct yk_context *ctx;
    unsigned a, b;
    bool known; /* only where nobody need be asked */
};

static void *run_errand(void *arg)
{
    struct errand *e = arg;
    struct pair *p = &pairs[e->a][e->b];
    const struct yk_device *d = yk_rt.machine->device;
    bool likely = yk_mailbox_recall(mode.maker, &d[e->a], &d[e->b], mode.bytes) == YK_MAILBOX_WORKS;
    __atomic_store_n(&p->likely, likely, __ATOMIC_RELEASE);
    if (!e->known || likely)
        get_ready(e->ctx, e->a, e->b);
    else
        __atomic_store_n(&p->busy, false, __ATOMIC_RELEASE);
    yk_drop(&e->ctx->h);
    free(e);
    yk_background_leave();
    return NULL;
}

/* By a thread of its own, for whoever set the pair's BUSY. */
static void send(struct yk_context *ctx, unsigned a, unsigned b, bool known)
{
    struct errand *e = malloc(sizeof *e);
    if (e && yk_background_enter()) {
        *e = (struct errand){ctx, a, b, known};
        yk_hold(&ctx->h);
        if (yk_thread_start(run_errand, e) == 0)
            return;
        yk_drop(&ctx->h);
        yk_background_leave();
    }
    free(e);
    __atomic_store_n(&pairs[a][b].busy, false, __ATOMIC_RELEASE);
}

/* LEN bytes are about to be copied another way: is it time for mailboxes? */
static void prepare(struct yk_context *ctx, unsigned a, unsigned b, size_t len)
{
    struct pair *p = &pairs[a][b];
    if (__atomic_add_fetch(&p->moved, len, __ATOMIC_RELAXED) < mode.pays)
        return;
    if (state_of(p) == ASKED && yk_now_ns() - __atomic_load_n(&p->looked, __ATOMIC_RELAXED) < look_ns)
        return;
    if (__atomic_exchange_n(&p->busy, true, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&p->looked, yk_now_ns(), __ATOMIC_RELAXED);
    if (mode.pays)
        send(ctx, a, b, false);
    else
        get_ready(ctx, a, b);
}

static void expect(struct yk_context *ctx, unsigned a, unsigned b)
{
    struct pair *p = &pairs[a][b];
    if (state_of(p) != NEW || find(ctx, a, b) || __atomic_exchange_n(&p->busy, true, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&p->likely, true, __ATOMIC_RELEASE); /* until the thread has looked, in a moment */
    send(ctx, a, b, true);
}

static void know_mode(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

void yk_mailbox_expect(struct yk_context *ctx)
{
    const struct yk_machine *m = yk_rt.machine;
    know_mode();
    if (!mode.maker || !mode.tried || yk_rt.primary->host_memory)
        return;
    for (unsigned i = 0; i < m->n; i++)
        if (i != m->primary && m->device[i].usable && !m->device[i].host_memory) {
            expect(ctx, m->primary, i);
            expect(ctx, i, m->primary);
        }
}

bool yk_mailbox_coming(unsigned a, unsigned b)
{
    const struct pair *p = &pairs[a][b];
    return __atomic_load_n(&p->busy, __ATOMIC_ACQUIRE) && __atomic_load_n(&p->likely, __ATOMIC_ACQUIRE);
}

bool yk_mailbox_works(unsigned a, unsigned b)
{
    return state_of(&pairs[a][b]) == WORKS;
}

/* A large copy of LEN bytes in NS, through mailboxes or (OTHER) not. */
static void judge(struct pair *p, bool other, size_t len, uint64_t ns)
{
    uint64_t rate = len * 1000 / (ns + 1), best = __atomic_load_n(&p->best[other], __ATOMIC_RELAXED);
    while (len >= LARGE && rate > best &&
           !__atomic_compare_exchange_n(&p->best[other], &best, rate, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (len >= LARGE && !other)
        __atomic_fetch_add(&p->large, 1, __ATOMIC_RELAXED);
}

void yk_mailbox_other_way(unsigned a, unsigned b, size_t len, uint64_t ns)
{
    judge(&pairs[a][b], true, len, ns);
}

static bool is_slow(const struct pair *p)
{
    return __atomic_load_n(&p->large, __ATOMIC_RELAXED) >= JUDGED &&
           __atomic_load_n(&p->best[0], __ATOMIC_RELAXED) < __atomic_load_n(&p->best[1], __ATOMIC_RELAXED);
}

/* Before a large copy goes the slow way: for as long as that would take, a thread that is likely to make it fast. On
 * two H200 the thread takes some 100 ms, and the slow way, over the host, carries 10 to 50 GB/s. */
static void await_others(unsigned a, unsigned b, size_t len)
{
    const uint64_t slow_bytes_per_us = 20000, from = yk_now_ns(), most = len / slow_bytes_per_us * 1000;
    if (len < LARGE)
        return;
    while (yk_mailbox_coming(a, b) && yk_now_ns() - from < most)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

bool yk_mailbox_post(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, cl_command_queue into,
                     size_t off, size_t len, struct yk_letter *l)
{
    know_mode();
    struct yk_mailboxes *m =
        mode.maker && len >= mode.least && state_of(&pairs[a][b]) != NEVER ? find(ctx, a, b) : NULL;
    const struct yk_device *d = yk_rt.machine->device;
    struct yk_ring_end from = {d[a].cl, m ? yk_context_link_queue(ctx, a, YK_OUT) : NULL, at_a, off},
                       to = {d[b].cl, m && !into ? yk_context_link_queue(ctx, b, YK_IN) : into, at_b, off};
    return m && from.queue && to.queue && yk_mailboxes_post(m, &from, &to, len, d[a].type & CL_DEVICE_TYPE_GPU, l);
}

void yk_mailbox_posted(unsigned a, unsigned b, size_t len, cl_int err)
{
    if (err == CL_SUCCESS)
        yk_stats_mailed(len);
    else
        never(a, b, yk_cl_error_name(err));
}

/* The mailboxes for LEN bytes; NULL: none, or not now. */
static struct yk_mailboxes *boxes_for(struct yk_context *ctx, unsigned a, unsigned b, size_t len)
{
    struct pair *p = &pairs[a][b];
    if (!mode.maker || len < mode.least || state_of(p) == NEVER)
        return NULL;
    struct yk_mailboxes *m = find(ctx, a, b);
    if (!m) {
        prepare(ctx, a, b, len);
        await_others(a, b, len);
        m = find(ctx, a, b);
    }
    return m && len >= LARGE && is_slow(p) ? NULL : m;
}

bool yk_mailbox_copy(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, size_t off, size_t row,
                     size_t pitch, size_t rows)
{
    struct pair *p = &pairs[a][b];
    size_t len = row * rows;
    know_mode();
    if (rows > 1 && (row > mode.bytes || __atomic_load_n(&p->no_rows, __ATOMIC_RELAXED)))
        return false;
    struct yk_mailboxes *m = boxes_for(ctx, a, b, len);
    if (!m)
        return false;
    const struct yk_device *d = yk_rt.machine->device;
    bool asks = d[a].type & CL_DEVICE_TYPE_GPU;
    struct yk_ring_end from = {d[a].cl, yk_context_link_queue(ctx, a, YK_OUT), at_a, off},
                       to = {d[b].cl, yk_context_link_queue(ctx, b, YK_IN), at_b, off};
    uint64_t began = yk_now_ns();
    cl_int err = CL_OUT_OF_RESOURCES;
    if (from.queue && to.queue)
        err = rows > 1 ? yk_mailboxes_copy_rows(m, &from, &to, row, pitch, rows, asks)
                       : yk_mailboxes_copy(m, &from, &to, len, asks);
    if (err != CL_SUCCESS && rows > 1) {
        yk_info("rows from device %u to device %u through mailboxes: %s; another way from now on", a, b,
                yk_cl_error_name(err));
        __atomic_store_n(&p->no_rows, true, __ATOMIC_RELAXED);
        return false;
    }
    if (err != CL_SUCCESS) {
        never(a, b, yk_cl_error_name(err));
        return false;
    }
    if (rows == 1) /* what rows take depends on how long they are, and says nothing of ranges */
        judge(p, false, len, yk_now_ns() - began);
    yk_stats_mailed(len);
    return true;
}
