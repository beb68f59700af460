#include "shim/queue/residence.h"
#include <string.h>
#include "partitioner/cost.h"
#include "shim/memory/link.h"
#include "shim/memory/mailbox.h"
#include "shim/memory/post.h"
#include "shim/queue/part.h"
#include "shim/queue/remember_program.h"

/* What is brought in so little that the receivers are given their work behind it (post.h): a halo. */
static const double posted_bytes = 1 << 20;

/* What is brought to DEV per ms. Where it has no buffer for it yet, that is made, and touched for the first time: over
 * the host three GPUs get 1.6 to 3.3 GB in 64 to 120 ms (H100), a tenth of what the link then does; through mailboxes
 * an H200 gets 268 MB in 1.8. */
static double bandwidth(const struct yk_residence *r, unsigned dev, double bytes)
{
    const double first_touch = 25e6;
    double known = yk_link_bandwidth(dev, bytes);
    bool straight = yk_mailbox_works(yk_rt.machine->primary, dev);
    for (unsigned i = 0; i < r->l->nvalues && !yk_rt.primary->host_memory && !straight; i++) {
        const struct yk_value *v = &r->l->value[i];
        if (v->kind == YK_VALUE_MEM && v->u.mem->store && !yk_store_made(v->u.mem->store, dev))
            return known < first_touch ? known : first_touch;
    }
    return known;
}

/* GROUPS with the bytes that they move: times into SHARE_MS and *MS; *BRINGING: of that, until all can begin. */
static bool times_as_they_lie(const struct yk_residence *r, const uint64_t *groups, double *share_ms, double *ms,
                              double *bringing)
{
    struct yk_split_device device[YK_MAX_DEVICES];
    struct yk_split split = *r->split;
    uint64_t at = r->d->begin;
    *bringing = 0;
    split.device = device;
    for (unsigned i = 0; i < split.n; i++) {
        double bytes, again;
        device[i] = r->split->device[i];
        if (groups[i] && device[i].bytes > 0 &&
            yk_parts_bytes_of(r->l, r->f, r->d, i, at, at + groups[i], &bytes, &again)) {
            bool posted = bytes > 0 && bytes <= posted_bytes;
            device[i].bytes = 0;
            device[i].latency += posted ? yk_post_ms() : 0;
            *bringing += posted || !(bytes > 0) ? 0 : bytes / bandwidth(r, i, bytes);
        }
        at += groups[i];
    }
    for (unsigned i = 0; i < split.n; i++) /* the worker brings them one after the other, and then all begin */
        device[i].latency += *bringing;
    return yk_split_times(&split, groups, share_ms, ms);
}

/* The launch as it would be if its bytes lay where they are needed and the devices had begun: into THERE and DEVICE. */
static void settle(const struct yk_residence *r, struct yk_split *there, struct yk_split_device *device)
{
    *there = *r->split;
    there->device = device;
    for (unsigned i = 0; i < there->n; i++) {
        device[i] = r->split->device[i];
        device[i].bytes = r->again[i];
        device[i].latency = r->again[i] > 0 ? yk_post_ms() : 0;
    }
}

static void weigh(const struct yk_residence *r, const uint64_t *groups, double *bringing)
{
    double share_ms[YK_SPLIT_MAX], ms;
    if (!(r->d->predicted_ms > 0) || !times_as_they_lie(r, groups, share_ms, &ms, bringing))
        return;
    memcpy(r->d->share_ms, share_ms, sizeof r->d->share_ms);
    r->d->predicted_ms = ms;
}

/* The last division into LAST, its times into SHARE_MS and *MS; false: there was none like it, or it does not pay. */
static bool last_pays(const struct yk_residence *r, struct yk_code_division *last, double *share_ms, double *ms,
                      double *bringing)
{
    yk_lock_take(&r->l->code->lock);
    *last = r->l->code->division;
    yk_lock_drop(&r->l->code->lock);
    if (last->total != r->split->total || last->axis != r->d->range.axis)
        return false;
    for (unsigned i = 0; i < r->split->n; i++)
        if (last->groups[i] && !r->split->device[i].usable)
            return false;
    return times_as_they_lie(r, last->groups, share_ms, ms, bringing) && yk_residence_pays(*ms, r->alone_ms);
}

bool yk_residence_keep(const struct yk_residence *r, uint64_t *groups)
{
    const double better = 0.05, better_ms = 0.05;
    struct yk_code_division last;
    struct yk_split there;
    struct yk_split_device device[YK_MAX_DEVICES];
    double share_ms[YK_SPLIT_MAX], there_ms[YK_SPLIT_MAX], ms, bound, bringing;
    if (!last_pays(r, &last, share_ms, &ms, &bringing)) {
        weigh(r, groups, &bringing);
        return false;
    }
    /* Another division is not to bring more: for that there is yk_residence_improve. What it lacks has never been
     * asked, and the maps are long where bytes lie in rows: for four GPUs it takes longer than a short launch. It is
     * asked only where there is something to win. */
    settle(r, &there, device);
    bool close = yk_split_times(&there, groups, there_ms, &bound) && (bound += bringing) > 0 &&
                 ms <= (bound * (1 + better) > bound + better_ms ? bound * (1 + better) : bound + better_ms);
    if (!close) {
        double moving = 0;
        weigh(r, groups, &moving);
        if (r->d->predicted_ms > 0 && ms > (1 + better) * r->d->predicted_ms && moving <= bringing)
            return false;
    }
    memcpy(groups, last.groups, sizeof last.groups[0] * r->split->n);
    memcpy(r->d->share_ms, share_ms, sizeof r->d->share_ms);
    r->d->predicted_ms = ms;
    return true;
}

/* What the program's kernels have still to do alone, if this process is like earlier ones. */
static double expected_ms(const struct yk_launch *l)
{
    double together = yk_remember_together(l->code->build), spent = yk_code_get(&l->code->build->spent) * 1e3;
    return together > spent ? together - spent : 0;
}

/* Were the bytes where it needs them and the devices begun, how long would a division take, into *MS, and now, into
 * *MOVING_MS? Then it is in TO and SHARE_MS. False: longer than MOST_MS, or not predicted. */
static bool settled(const struct yk_residence *r, const struct yk_strategy *strategy, double most_ms, uint64_t *to,
                    double *share_ms, double *ms, double *moving_ms)
{
    struct yk_split there;
    struct yk_split_device device[YK_MAX_DEVICES];
    double bringing;
    settle(r, &there, device);
    yk_strategy_divide(strategy, &there, to);
    *ms = 0;
    return yk_split_times(&there, to, share_ms, ms) && yk_residence_pays(*ms, most_ms) &&
           times_as_they_lie(r, to, share_ms, moving_ms, &bringing);
}

/* Launches that are not asked about once it is known that dividing them does not pay in the long run either. */
static const double asked_again = 1000;

/* Instead of a launch of BASE_MS, one that is settled better: is it time to move for it? TIMES: launches that this one
 * stands for. */
static bool move(struct yk_residence *r, const struct yk_strategy *strategy, double base_ms, double most_ms,
                 unsigned times, uint64_t *groups)
{
    uint64_t to[YK_SPLIT_MAX] = {0};
    double share_ms[YK_SPLIT_MAX], ms, moving_ms;
    if (!settled(r, strategy, most_ms, to, share_ms, &ms, &moving_ms)) {
        r->wait = ms > 0 ? asked_again : 0; /* it does not pay wherever bytes lie */
        r->gain_ms = 0;
        return false;
    }
    struct yk_moves *moves = &r->l->code->moves;
    double gain = base_ms - ms, cost = moving_ms - ms, ahead = gain / r->d->alone_ms * expected_ms(r->l);
    yk_lock_take(&r->l->code->lock);
    bool now = yk_moves_pay(moves, gain * times, cost, ahead);
    r->gain_ms = gain;
    r->wait = now ? 0 : yk_moves_wait(moves, gain, cost, ahead);
    yk_lock_drop(&r->l->code->lock);
    if (!now)
        return false;
    memcpy(groups, to, sizeof to[0] * r->split->n);
    memcpy(r->d->share_ms, share_ms, sizeof r->d->share_ms);
    r->d->predicted_ms = moving_ms;
    return true;
}

bool yk_residence_move(struct yk_residence *r, const struct yk_strategy *strategy, uint64_t *groups)
{
    double alone_ms = r->d->alone_ms - r->moves_ms;
    return move(r, strategy, alone_ms, alone_ms, 1, groups);
}

bool yk_residence_improve(struct yk_residence *r, const struct yk_strategy *strategy, uint64_t *groups)
{
    enum { SELDOM = 8 };
    const double much = 0.85;
    double kept_ms = r->d->predicted_ms;
    yk_lock_take(&r->l->code->lock);
    bool ask = r->l->code->moves.kept++ % SELDOM == 0;
    yk_lock_drop(&r->l->code->lock);
    if (!ask)
        return false;
    bool now = move(r, strategy, kept_ms, much * kept_ms, SELDOM, groups);
    if (!now && !(r->gain_ms > 0))
        yk_residence_stayed(r);
    r->wait = 0;
    return now;
}

void yk_residence_pass(const struct yk_residence *r)
{
    const double most = 1e9;
    struct yk_code *code = r->l->code;
    if (!(r->wait > 0) || yk_code_get(&code->small) < (double)yk_decide_items(r->l))
        return;
    yk_lock_take(&code->lock);
    code->moves.forgone_ms += r->wait * r->gain_ms;
    yk_lock_drop(&code->lock);
    __atomic_store_n(&code->pass, (unsigned)(r->wait < most ? r->wait : most), __ATOMIC_RELAXED);
}

double yk_residence_gather_ms(const struct yk_residence *r)
{
    double bytes, again;
    unsigned primary = yk_rt.machine->primary;
    if (!yk_parts_bytes_of(r->l, r->f, r->d, primary, r->d->begin, r->d->total, &bytes, &again) || bytes - again <= 1)
        return 0;
    return (bytes - again) / yk_link_bandwidth(primary, bytes - again);
}

void yk_residence_stayed(const struct yk_residence *r)
{
    yk_lock_take(&r->l->code->lock);
    yk_moves_stayed(&r->l->code->moves);
    yk_lock_drop(&r->l->code->lock);
}

void yk_residence_note(const struct yk_residence *r, const uint64_t *groups)
{
    struct yk_code_division division = {.total = r->split->total, .axis = r->d->range.axis};
    memcpy(division.groups, groups, sizeof groups[0] * r->split->n);
    yk_lock_take(&r->l->code->lock);
    r->l->code->division = division;
    yk_lock_drop(&r->l->code->lock);
}
