#include "shim/queue/gather.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "shim/queue/gathered.h"
#include "shim/queue/decide.h"
#include "shim/queue/form.h"
#include "shim/queue/known.h"
#include "shim/queue/windows.h"
#include "shim/queue/worker.h"

/* A run of launches is worth holding from this many on, or where the last run was as long; a very long one is forgotten
 * after a few short ones. */
enum { RUN = 4, LONG = 16 };
/* When a window is issued although nobody asks: enough for the device (groups per compute unit), enough for the cost of
 * issuing it; then twice as much each time, since the device is busy. Many launches are enough however small they are,
 * if each level has some: what is issued last is issued while the program waits. And never more than the most. */
enum { ENOUGH = 32, PER_UNIT = 4, DOUBLINGS = 4, MANY = 256, OVERDUE = 3, MOST = 2048, MOST_GROUPS = 1 << 16 };
/* Launches of more work-groups per compute unit fill a device by themselves. */
enum { SMALL_PER_UNIT = 2, SMALL_LEAST = 64 };
/* After a window of which little could be merged nothing is held for this many launches, then twice as many. */
enum { PAUSE = 64, PAUSE_MOST = 1 << 14, LOOK = 8 };
/* What launches touch is not remembered of those with more to depend on. */
enum { KEY_WORDS = 128 };
static const long lull_ns = 100000;

struct yk_gather {
    struct yk_gathered now, spare; /* what is held; what is being issued, or nothing */
    struct yk_tables tables;       /* whoever is issuing */
    struct yk_side side;
    struct yk_levels levels; /* of what is held, and of what is under way since the side was opened */
    struct yk_reach reach;
    struct yk_known known;
    bool issuing;
    bool open;            /* windows are under way side by side */
    bool due;             /* a window is large enough: the worker issues it */
    bool watched, woken;  /* the worker looks again by itself in a moment; has been told to */
    unsigned taken, seen; /* launches held so far; when the worker last looked */
    unsigned next_pause;  /* launches */
    unsigned lone;        /* windows of one launch in a row */
};

void yk_gather_finish(struct yk_gather *g)
{
    if (!g)
        return;
    yk_gathered_finish(&g->now);
    yk_gathered_finish(&g->spare);
    yk_tables_finish(&g->tables);
    yk_side_finish(&g->side);
    yk_levels_finish(&g->levels);
    yk_reach_finish(&g->reach);
    yk_known_finish(&g->known);
    free(g);
}

void yk_gather_mark(struct yk_queue *q)
{
    unsigned run = __atomic_load_n(&q->run, __ATOMIC_RELAXED);
    if (!run)
        return;
    /* A short run among long ones does not make the next one short. */
    unsigned last = __atomic_load_n(&q->last_run, __ATOMIC_RELAXED);
    __atomic_store_n(&q->last_run, run < RUN ? last / 2 : run < LONG ? run : LONG, __ATOMIC_RELAXED);
    __atomic_store_n(&q->run, 0, __ATOMIC_RELAXED);
}

/* The work-groups of L; 0: it is not small, or has a form that is not merged. */
static uint64_t small_groups(const struct yk_launch *l, uint64_t *groups)
{
    uint64_t n = 1, most = SMALL_PER_UNIT * (uint64_t)yk_rt.primary->compute_units;
    for (unsigned i = 0; i < 3; i++) {
        groups[i] = 1;
        if (i >= l->dims)
            continue;
        size_t end;
        if (!l->local[i] || l->local[i] > UINT32_MAX || !l->global[i] || l->global[i] % l->local[i] ||
            __builtin_add_overflow(l->offset[i], l->global[i], &end))
            return 0;
        groups[i] = l->global[i] / l->local[i];
        if (groups[i] > MOST_GROUPS)
            return 0;
        n *= groups[i];
    }
    return n <= (most > SMALL_LEAST ? most : SMALL_LEAST) ? n : 0;
}

/* What the whole of L touches, as the facts say. */
static bool evaluate(struct yk_gather *g, const struct yk_launch *l, const struct yk_merged *m, const uint64_t *groups,
                     struct yk_known_row row[YK_TOUCHES], size_t *n)
{
    struct yk_reach_arg arg[YK_MERGED_ARGS] = {{NULL, 0}};
    struct yk_reach_launch r = {.dims = l->dims, .arg = arg};
    struct yk_share share = {.n = 1};
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        if (v->kind == YK_VALUE_BYTES)
            arg[i] = (struct yk_reach_arg){yk_value_bytes(v), v->size};
        else if (v->kind == YK_VALUE_MEM)
            arg[i].size = v->u.mem->size;
    }
    for (unsigned i = 0; i < 3; i++) {
        r.groups[i] = groups[i];
        r.local[i] = i < l->dims ? l->local[i] : 1;
        r.offset[i] = l->has_offset && i < l->dims ? l->offset[i] : 0;
        share.box[0].count[i] = (size_t)groups[i];
    }
    return yk_reach_share(&g->reach, m->facts, &r, &share) == YK_OK && yk_touches_rows(row, n, m->facts, &g->reach);
}

/* The same as bytes of stores, into T, from memory where it was asked before: by the SIZE bytes of KEY. */
static bool touches_of(struct yk_gather *g, const struct yk_launch *l, const struct yk_merged *m,
                       const uint64_t *groups, const uint64_t *key, size_t size, struct yk_touches *t)
{
    struct yk_known_row row[YK_TOUCHES];
    size_t n = 0;
    const struct yk_known_row *known = size ? yk_known_find(&g->known, key, size, &n) : NULL;
    if (!known) {
        if (!evaluate(g, l, m, groups, row, &n))
            return false;
        if (size)
            yk_known_add(&g->known, key, size, row, n);
        known = row;
    }
    yk_touches_make(t, l, known, n);
    return true;
}

/* Is it time to issue what is held? By the worker, while the program goes on; 2: at once, since the worker does not
 * come. With the lock held. */
static unsigned is_enough(const struct yk_gather *g, unsigned run)
{
    unsigned doublings = 0;
    while (doublings < DOUBLINGS && run >> doublings > 2 * ENOUGH)
        doublings++;
    uint64_t enough = PER_UNIT * (uint64_t)yk_rt.primary->compute_units;
    if (enough < ENOUGH)
        enough = ENOUGH;
    enough <<= doublings;
    bool overdue = !g->issuing && g->now.n >= OVERDUE * ENOUGH && g->now.groups >= OVERDUE * enough;
    if (g->now.n >= MOST || overdue)
        return 2;
    bool many = g->now.n >= MANY && g->now.n >= ENOUGH * (size_t)g->levels.top;
    return many || (g->now.n >= ENOUGH && g->now.groups >= enough);
}

/* Little of what is held could be merged, or one launch after another was asked for as soon as it was held: so it was
 * not worth it. With the lock held. */
static void judge(struct yk_queue *q, struct yk_gather *g, unsigned top)
{
    g->lone = g->now.n > 1 ? 0 : g->lone + (g->now.n == 1);
    if ((2 * top > g->now.n && g->now.n >= 2) || g->lone >= LOOK) {
        g->next_pause = g->next_pause < PAUSE ? PAUSE : g->next_pause < PAUSE_MOST ? 2 * g->next_pause : PAUSE_MOST;
        __atomic_store_n(&q->pause, g->next_pause, __ATOMIC_RELAXED);
    } else if (g->now.n >= LOOK) {
        g->next_pause = 0;
    }
}

/* Another launch is held, the RUN-th of its run: wake the worker if it has reason to come. True: the caller issues what
 * is held. With the lock held. */
static bool note_held(struct yk_queue *q, struct yk_gather *g, unsigned run)
{
    unsigned enough = is_enough(g, run);
    g->taken++;
    if (enough && !g->due) {
        g->due = true;
        pthread_cond_signal(&q->work);
    } else if (!g->watched && !g->woken) {
        g->woken = true;
        pthread_cond_signal(&q->work);
    }
    return enough > 1 || (yk_rt.options.gather != YK_GATHER_FORCED && g->now.n == LOOK && g->levels.top == LOOK);
}

/* Begin to gather in Q, whose worker issues what nobody asks for. With the lock held. */
static struct yk_gather *gather_of(struct yk_queue *q)
{
    if (!q->gather && yk_worker_start(q) == CL_SUCCESS)
        q->gather = calloc(1, sizeof *q->gather);
    return q->gather;
}

/* How much of Q has to be seen to before anything else. With the lock held. */
static void note_content(struct yk_queue *q, const struct yk_gather *g)
{
    __atomic_store_n(&q->held, (unsigned)g->now.n + g->open, __ATOMIC_SEQ_CST);
}

static void issue_window(struct yk_queue *q, bool goes_on);

/* Hold L, of M's kernel, of GROUPS work-groups and the RUN-th of its run, with its event EV (NULL: none). WHOLE: it
 * would not be divided either. */
static bool hold(struct yk_launch *l, struct yk_merged *m, const uint64_t *groups, unsigned run, bool whole,
                 struct yk_event *ev)
{
    struct yk_queue *q = l->c.queue;
    struct yk_touches t; /* large */
    uint64_t key[KEY_WORDS];
    size_t size;
    bool held = false, issue = false;
    if (!yk_known_key(l, m, groups, key, sizeof key, &size))
        return false;
    yk_lock_take(&q->lock);
    struct yk_gather *g = gather_of(q);
    unsigned level;
    if (g && touches_of(g, l, m, groups, key, size, &t) && yk_levels_add(&g->levels, t.v, t.n, &level) == YK_OK)
        held = yk_gathered_add(&g->now, l, m, groups, level, ev);
    if (held) {
        if (!l->captured && __atomic_load_n(&l->fast->may, __ATOMIC_RELAXED) != m->late)
            __atomic_store_n(&l->fast->may, m->late, __ATOMIC_RELAXED);
        note_content(q, g);
        issue = note_held(q, g, run) || (!whole && 2 * g->levels.top > g->now.n && g->now.n > 1);
    } else if (g && !g->now.n && !g->open && !g->issuing) {
        yk_levels_clear(&g->levels);
    }
    yk_lock_drop(&q->lock);
    if (issue)
        issue_window(q, true);
    return held;
}

/* Is L of a form that is merged, and its queue not at a pause? EVENT: somebody wants its event. Counts the pause down.
 */
static struct yk_merged *mergeable(struct yk_launch *l, bool event, uint64_t *groups)
{
    struct yk_queue *q = l->c.queue;
    if (!l->has_local || l->exec || q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ||
        (q->properties & CL_QUEUE_PROFILING_ENABLE && event))
        return NULL;
    if (yk_gather_pauses(q) && yk_rt.options.gather != YK_GATHER_FORCED) {
        yk_gather_pass(q);
        return NULL;
    }
    return small_groups(l, groups) ? yk_merge_for(l) : NULL;
}

/* May L be held although it might be divided? */
static bool may_take_divisible(const struct yk_launch *l)
{
    return yk_launch_at_primary(l) && !yk_form_open(l->code) && !yk_windows_wanted(l) && !yk_decide_insists();
}

bool yk_gather_take(struct yk_launch *l, bool whole, cl_event *event)
{
    struct yk_queue *q = l->c.queue;
    bool forced = yk_rt.options.gather == YK_GATHER_FORCED;
    unsigned run = __atomic_load_n(&q->run, __ATOMIC_RELAXED);
    if (!forced && run < RUN && __atomic_load_n(&q->last_run, __ATOMIC_RELAXED) < RUN)
        return false;
    uint64_t groups[3];
    struct yk_merged *m = whole || may_take_divisible(l) ? mergeable(l, event, groups) : NULL;
    struct yk_event *ev = NULL;
    if (!m || (event && !(ev = yk_event_create(q->ctx, q, l->c.kind->type))))
        return false;
    bool held = hold(l, m, groups, run, whole, ev);
    if (held && event)
        *event = (cl_event)(void *)ev;
    else if (ev)
        yk_handle_release(&ev->h);
    return held;
}

bool yk_gather_piled(const struct yk_queue *q)
{
    if (!yk_gathering())
        return false;
    unsigned n = 0, enough = yk_rt.options.gather == YK_GATHER_FORCED ? 1 : RUN;
    for (const struct yk_command *c = q->first; c && c->kind->gathers && !c->nwait && n < enough; c = c->next)
        n++;
    return n >= enough;
}

bool yk_gather_take_pending(struct yk_launch *l)
{
    uint64_t groups[3];
    struct yk_merged *m = l->c.decided ? NULL : mergeable(l, l->c.wanted, groups);
    bool whole = m && l->c.kind->resident(&l->c);
    if (!m || (!whole && !may_take_divisible(l)))
        return false;
    if (l->c.wanted)
        yk_event_set(l->c.event, CL_SUBMITTED);
    unsigned run = __atomic_load_n(&l->c.queue->run, __ATOMIC_RELAXED);
    if (hold(l, m, groups, run < LONG ? LONG : run, whole, l->c.wanted ? l->c.event : NULL))
        return true;
    l->c.decided = whole;
    return false;
}

/* So much is remembered of the windows that are under way: looking it through costs the program's thread. */
static bool is_long(const struct yk_levels *l)
{
    enum { SPANS = 4096 };
    size_t n = 0;
    for (size_t i = 0; i < l->used; i++)
        n += l->memory.v[i].span.n;
    return n > SPANS;
}

/* ALL, which nobody else knows of. FLAT: none of it depends on another launch of its own or of those that are under way
 * side by side. STAYS: what follows may go beside it. Returns whether it may. No lock held. */
static bool give_window(struct yk_queue *q, struct yk_gather *g, struct yk_gathered *all, bool flat, bool stays)
{
    bool open = g->open;
    cl_int err = CL_SUCCESS;
    if (open && !flat) {
        err = yk_side_close(&g->side, q);
        open = false;
    }
    if (all->n) {
        if (!open && stays)
            open = yk_side_open(&g->side, q);
        yk_gathered_issue(all, q, &g->tables, &g->side);
    }
    if (open && !stays) {
        err = yk_side_close(&g->side, q);
        open = false;
    }
    if (err != CL_SUCCESS)
        yk_queue_failed_later(q, pthread_self(), err);
    return open;
}

/* Issue what Q holds. GOES_ON: more is likely to come, and may go beside it; else nothing is open any more. */
static void issue_window(struct yk_queue *q, bool goes_on)
{
    yk_lock_take(&q->lock);
    struct yk_gather *g = q->gather;
    while (g && g->issuing)
        yk_lock_wait(&q->lock, &q->issued);
    if (!g || (!g->now.n && (goes_on || !g->open))) {
        yk_lock_drop(&q->lock);
        return;
    }
    struct yk_gathered all = g->now;
    bool flat = g->levels.top <= 1 && !yk_gathered_wanted(&all), stays = goes_on && flat && !is_long(&g->levels);
    g->due = false;
    judge(q, g, g->levels.top);
    g->now = g->spare;
    g->spare = (struct yk_gathered){.n = 0};
    g->issuing = true;
    if (!stays)
        yk_levels_clear(&g->levels);
    yk_lock_drop(&q->lock);
    bool open = give_window(q, g, &all, flat, stays);
    yk_lock_take(&q->lock);
    g->issuing = false;
    g->open = open;
    note_content(q, g);
    pthread_cond_broadcast(&q->issued);
    yk_lock_drop(&q->lock);
    yk_gathered_clear(&all);
    yk_lock_take(&q->lock);
    if (g->spare.n || g->spare.cap) { /* somebody else was here meanwhile */
        yk_lock_drop(&q->lock);
        yk_gathered_finish(&all);
        return;
    }
    g->spare = all;
    yk_lock_drop(&q->lock);
}

void yk_gather_issue(struct yk_queue *q)
{
    issue_window(q, false);
}

void yk_gather_idle(struct yk_queue *q)
{
    struct yk_gather *g = q->gather;
    /* While launches come and go it watches on, so that nobody need wake it. */
    if (g)
        g->woken = false;
    if (g && g->due && g->now.n) {
        yk_lock_drop(&q->lock);
        issue_window(q, true);
        yk_lock_take(&q->lock);
        return;
    }
    if (!g || (!g->now.n && !g->open && g->seen == g->taken)) {
        yk_lock_wait(&q->lock, &q->work);
        return;
    }
    unsigned taken = g->seen = g->taken;
    g->watched = true;
    yk_lock_wait_ns(&q->lock, &q->work, lull_ns);
    g->watched = false;
    if ((g->now.n || g->open) && g->taken == taken) {
        yk_lock_drop(&q->lock);
        yk_gather_issue(q);
        yk_lock_take(&q->lock);
    }
}
