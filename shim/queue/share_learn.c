#include "shim/queue/share_learn.h"
#include "shim/queue/busy.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "shim/queue/residence.h"
#include "shim/queue/short.h"

/* Seconds that shares have taken, all of them together: at most so many it takes one of their devices alone, where all
 * are of the primary's kind; 0: they are not. */
static double together(const struct yk_taker *t, unsigned n)
{
    double seconds = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!yk_device_same_kind(&yk_rt.machine->device[t[i].dev], yk_rt.primary))
            return 0;
        seconds += t[i].seconds;
    }
    return seconds;
}

/* That is far less than the launch is believed to take alone: it was measured while something else was, and would
 * divide the kernel for ever. */
static void believe_less(struct yk_share_work *w, double seconds, double items)
{
    const double far = 2;
    double ms = seconds * 1e3;
    if (ms > 0 && w->d->alone_ms > far * ms)
        yk_remember(w->l, yk_rt.machine->primary, YK_SAMPLE_ALONE, items, ms);
}

void yk_share_learn(struct yk_share_work *w, const struct yk_taker *t, unsigned n, double wall)
{
    struct yk_code *code = w->l->code;
    double per_group = (double)(w->d->local[0] * w->d->local[1] * w->d->local[2]),
           items = (double)w->d->total * per_group;
    double alone = w->rate[yk_rt.machine->primary] > 0 ? (double)w->d->total / w->rate[yk_rt.machine->primary] : 0;
    yk_lock_take(&code->lock);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (w->rate[i] > 0)
            yk_code_put(&code->rate[i],
                        code->rate[i] > 0 ? (code->rate[i] + w->rate[i] * per_group) / 2 : w->rate[i] * per_group);
    bool crowded = w->d->crowded || yk_busy_begins() != w->begins; /* by other queues */
    /* A share's rate has what a launch costs in it, however small the share: four GPUs seem faster than they are. Where
     * devices compute on the host's processors, how fast these are changes more than that. */
    if (!yk_rt.primary->host_memory && w->d->alone_ms > 0 && !w->d->begin && alone > w->d->alone_ms * 1e-3)
        alone = w->d->alone_ms * 1e-3;
    double all = together(t, n);
    if (alone > 0 && !crowded && !yk_rt.options.strategy && !yk_rt.options.reproducible)
        yk_code_divided(code, w->d->guided ? 0 : wall * 1e3, alone * 1e3, items);
    if (all > 0 && !crowded)
        yk_short_divided(w->l, all, wall);
    if (!crowded && !w->d->beside && w->d->alone_ms > 0)
        __atomic_store_n(&code->lost, wall * 1e3 > w->d->alone_ms ? code->lost + 1 : 0, __ATOMIC_RELAXED);
    yk_lock_drop(&code->lock);
    if (!crowded)
        believe_less(w, all, items);
    if (yk_residence_pays(wall * 1e3, w->d->alone_ms)) /* by less it has won nothing: launches scatter */
        yk_remember_won(w->l);
}

double yk_share_fetched(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    double ms = 0;
    for (unsigned i = 0; i < l->nvalues && i < f->nargs; i++)
        if (l->value[i].kind == YK_VALUE_MEM && f->arg[i].written)
            ms += yk_store_fetched(l->value[i].u.mem->store);
    return ms;
}

void yk_share_settle(struct yk_code *code, const struct yk_decision *d, double seconds, double fetched_ms)
{
    if (d->guided || d->invests || !(d->alone_ms > 0))
        return;
    double ms = seconds * 1e3 + fetched_ms;
    yk_lock_take(&code->lock);
    if (!yk_code_is_cold(code, ms, d->alone_ms) &&
        yk_moves_lost(&code->moves, ms - d->alone_ms, d->alone_ms, yk_code_get(&code->spent) * 1e3, d->again))
        yk_code_close(code);
    yk_lock_drop(&code->lock);
}
