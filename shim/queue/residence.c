#include "shim/queue/residence.h"
#include <string.h>
#include "partitioner/cost.h"
#include "shim/memory/link.h"
#include "shim/memory/post.h"
#include "shim/queue/part.h"
#include "shim/queue/remember_program.h"

/* GROUPS with the bytes that they move: times into SHARE_MS and *MS. */
static bool times_as_they_lie(const struct yk_residence *r, const uint64_t *groups, double *share_ms, double *ms)
{
    struct yk_split_device device[YK_MAX_DEVICES];
    struct yk_split split = *r->split;
    uint64_t at = r->d->begin;
    split.device = device;
    for (unsigned i = 0; i < split.n; i++) {
        double bytes, again;
        device[i] = r->split->device[i];
        if (groups[i] && device[i].bytes > 0 &&
            yk_parts_bytes_of(r->l, r->f, r->d, i, at, at + groups[i], &bytes, &again)) {
            device[i].bytes = bytes;
            device[i].bandwidth = yk_link_bandwidth(i, bytes);
            device[i].latency += bytes > 0 ? yk_post_ms() : 0;
        }
        at += groups[i];
    }
    return yk_split_times(&split, groups, share_ms, ms);
}

bool yk_residence_keep(const struct yk_residence *r, uint64_t *groups)
{
    const double better = 0.05;
    struct yk_code_division last;
    double share_ms[YK_SPLIT_MAX], ms;
    yk_lock_take(&r->l->code->lock);
    last = r->l->code->division;
    yk_lock_drop(&r->l->code->lock);
    if (last.total != r->split->total || last.axis != r->d->range.axis)
        return false;
    for (unsigned i = 0; i < r->split->n; i++)
        if (last.groups[i] && !r->split->device[i].usable)
            return false;
    if (!times_as_they_lie(r, last.groups, share_ms, &ms) || !yk_residence_pays(ms, r->alone_ms) ||
        (r->d->predicted_ms > 0 && ms > (1 + better) * r->d->predicted_ms))
        return false;
    memcpy(groups, last.groups, sizeof last.groups[0] * r->split->n);
    memcpy(r->d->share_ms, share_ms, sizeof r->d->share_ms);
    r->d->predicted_ms = ms;
    return true;
}

void yk_residence_weigh(const struct yk_residence *r, const uint64_t *groups)
{
    double share_ms[YK_SPLIT_MAX], ms;
    if (!(r->d->predicted_ms > 0) || !times_as_they_lie(r, groups, share_ms, &ms))
        return;
    memcpy(r->d->share_ms, share_ms, sizeof r->d->share_ms);
    r->d->predicted_ms = ms;
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
    struct yk_split_device device[YK_MAX_DEVICES];
    struct yk_split there = *r->split;
    there.device = device;
    for (unsigned i = 0; i < there.n; i++) {
        device[i] = r->split->device[i];
        device[i].bytes = r->again[i];
        device[i].latency = r->again[i] > 0 ? yk_post_ms() : 0;
    }
    yk_strategy_divide(strategy, &there, to);
    *ms = 0;
    return yk_split_times(&there, to, share_ms, ms) && yk_residence_pays(*ms, most_ms) &&
           times_as_they_lie(r, to, share_ms, moving_ms);
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
    return move(r, strategy, r->d->alone_ms, r->d->alone_ms, 1, groups);
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
