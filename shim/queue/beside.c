#include "shim/queue/beside_window.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/remember.h"
#include "shim/queue/use.h"
#include "shim/queue/worth.h"

enum { PAUSE = 16, PAUSE_MOST = 1 << 14, HOPE = 4 };

/* Launches that are better divided are looked at for nothing, some microseconds each: most of them are spared it. */
enum { REFUSED_MOST = 15 };

/* How long a window waits for its second launch. */
static const long lull_ns = 100000;

static struct yk_beside *beside_of(struct yk_queue *q)
{
    if (!q->beside && (q->beside = calloc(1, sizeof *q->beside))) {
        q->beside->q = q;
        yk_lock_init(&q->beside->lock, YK_RANK_LEAF);
        pthread_cond_init(&q->beside->changed, NULL);
    }
    return q->beside;
}

void yk_beside_finish(struct yk_beside *b)
{
    if (!b)
        return;
    yk_array_finish(&b->touch);
    yk_parts_finish(&b->parts);
    pthread_cond_destroy(&b->changed);
    yk_lock_finish(&b->lock);
    free(b);
}

bool yk_beside_begins(struct yk_queue *q)
{
    struct yk_beside *b = q->beside;
    if (!yk_beside_possible())
        return false;
    unsigned n = yk_beside_pending(q, 2), pushed = q->pushed;
    if (n == 1 &&
        (yk_beside_forced() || (b && b->hope) ||
         (yk_beside_possible_of_one() && yk_launch_is_one_group((struct yk_launch *)q->first))) &&
        q->asked != pushed && !q->stop) {
        yk_lock_wait_ns(&q->lock, &q->work, lull_ns);
        n = yk_beside_pending(q, 2);
    }
    if (n < 2) {
        if (b)
            b->hope -= b->hope > 0;
        return false;
    }
    if (b && b->pause && !yk_beside_forced()) {
        b->pause--;
        return false;
    }
    return true;
}

/* Nothing was won: the next windows are not looked at. Where launches were independent, a device was once slow. */
static void pause_for(struct yk_beside *b)
{
    bool independent = b->n > 1;
    for (unsigned i = 0; i < b->n; i++)
        independent &= !b->task[i].after;
    for (unsigned i = 0; i < b->n && independent; i++)
        yk_remember_declined(b->e[i].l, b->e[i].d.alone_ms, b->e[i].d.again);
    b->hope = 0;
    b->next_pause = b->next_pause < PAUSE ? PAUSE : b->next_pause < PAUSE_MOST ? 2 * b->next_pause : PAUSE_MOST;
    b->pause = b->next_pause;
}

/* What was decided of each, for whoever carries it out. */
static void prepare(struct yk_beside *b, uint64_t asked)
{
    double all = yk_schedule_ms(b->task, b->n, yk_rt.machine->n, b->place);
    for (unsigned i = 0; i < b->n; i++) {
        struct yk_decision *d = &b->e[i].d;
        unsigned dev = b->place[i];
        memset(d->takes, 0, sizeof d->takes);
        d->takes[dev] = d->beside = d->invests = true;
        d->split = dev != yk_rt.machine->primary;
        d->reason = YK_BESIDE_REASON;
        d->to[dev] = d->total;
        d->grain = 1;
        d->share_ms[dev] = b->e[i].ms[dev];
        d->predicted_ms = b->e[i].ms[dev];
        if (yk_trace_on())
            yk_launch_trace(b->e[i].l, d, asked);
        yk_worth_predicted(b->e[i].l->code, d->alone_ms * 1e-3);
        yk_use_gained(b->e[i].l->code->build, d->split ? d->alone_ms * 1e-3 : 0);
        yk_code_found_beside(b->e[i].l->code, (double)yk_decide_items(b->e[i].l));
    }
    yk_debug("%u launches beside one another, predicted to take %.3f ms", b->n, all);
}

unsigned yk_beside_run(struct yk_queue *q, unsigned *plain)
{
    uint64_t asked = yk_now_ns();
    struct yk_beside *b = beside_of(q);
    *plain = 2;
    if (!b)
        return 0;
    unsigned looked = yk_beside_collect(b);
    if (!yk_beside_place(b)) {
        *plain = looked;
        if (looked > 1)
            pause_for(b);
        else
            b->pause = b->refused = b->refused < REFUSED_MOST ? 2 * b->refused + 1 : REFUSED_MOST;
        return 0;
    }
    prepare(b, asked);
    uint64_t decided = yk_now_ns();
    if (yk_rt.primary->cl->Finish(q->real) != CL_SUCCESS) { /* the next command will be told */
        *plain = looked;
        return 0;
    }
    b->hope = HOPE;
    b->next_pause = b->refused = 0;
    yk_beside_carry(b);
    yk_stats_decided(decided - asked, yk_now_ns() - asked);
    return b->n;
}
