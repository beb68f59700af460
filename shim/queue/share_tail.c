#include "shim/queue/share_tail.h"
#include "shim/queue/divide.h"
#include "shim/queue/warm.h"

/* A piece costs some 30 us. What is compiled is loaded at the first piece of a process, which takes a millisecond. */
static const double piece_ms = 0.5, launch_ms = 4, loading_launch_ms = 15;

static bool all_in_master(const struct yk_decision *d, const struct yk_operands *o)
{
    for (unsigned i = 0; i < o->n; i++)
        for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
            if (d->takes[dev] && yk_store_location(o->v[i].store, dev) != YK_HOST)
                return false;
    return true;
}

/* May DEV run small pieces, and from the middle of the range, without compiling first? */
static bool ready(const struct yk_launch *l, const struct yk_decision *d, unsigned dev)
{
    struct yk_code *code = l->code;
    if (__atomic_load_n(&code->tailed[dev], __ATOMIC_RELAXED))
        return true;
    if (!yk_warm_done(l, dev, d->local)) {
        yk_warm_ask(l, dev, d->local);
        return false;
    }
    return d->predicted_ms >= loading_launch_ms;
}

void yk_share_tail(struct yk_tail *t, const struct yk_launch *l, const struct yk_decision *d,
                   const struct yk_operands *o)
{
    const struct yk_options *option = &yk_rt.options;
    bool asked = option->tail == YK_TAIL_FORCED;
    *t = (struct yk_tail){.grain = asked ? 1 : d->grain, .each = asked};
    bool own_choice = !d->guided && !option->force_split && !option->reproducible && !yk_divide_given();
    t->on = option->tail != YK_TAIL_OFF && all_in_master(d, o) &&
            (asked ? !d->guided : own_choice && d->predicted_ms >= launch_ms);
    for (unsigned dev = 0; dev < yk_rt.machine->n && t->on; dev++)
        t->on = !d->takes[dev] || asked || ready(l, d, dev);
    for (unsigned dev = 0; dev < yk_rt.machine->n && t->on; dev++) {
        if (!d->takes[dev])
            continue;
        double ms = d->share_ms[dev], groups = (double)(d->to[dev] - d->from[dev]);
        yk_tail_share(t, dev, d->from[dev], d->to[dev],
                      ms > piece_ms && !asked ? (uint64_t)(groups * piece_ms / ms) : 1);
    }
}
