#include "shim/queue/share_tail.h"
#include "shim/queue/divide.h"
#include "shim/queue/remember.h"
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

/* Has it never been seen how fast DEV is at L's kernel? Devices of one name need not be. */
static bool unsure(const struct yk_launch *l, unsigned dev)
{
    return dev != yk_rt.machine->primary && !__atomic_load_n(&l->code->shared[dev], __ATOMIC_RELAXED) &&
           !yk_remember_has_least(l, dev);
}

static bool any_unsure(const struct yk_launch *l, const struct yk_decision *d)
{
    bool any = false;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        any |= d->takes[dev] && unsure(l, dev);
    return any;
}

/* May DEV run small pieces, and from the middle of the range, without compiling first? Loading costs less than half of
 * a launch on a slow device would. */
static bool ready(const struct yk_launch *l, const struct yk_decision *d, unsigned dev, bool loads)
{
    struct yk_code *code = l->code;
    if (__atomic_load_n(&code->tailed[dev], __ATOMIC_RELAXED))
        return true;
    if (!yk_warm_done(l, dev, d->local)) {
        yk_warm_ask(l, dev, d->local);
        return false;
    }
    return loads || d->predicted_ms >= loading_launch_ms;
}

void yk_share_tail(struct yk_tail *t, const struct yk_launch *l, const struct yk_decision *d,
                   const struct yk_operands *o)
{
    const struct yk_options *option = &yk_rt.options;
    bool asked = option->tail == YK_TAIL_FORCED;
    *t = (struct yk_tail){.grain = asked ? 1 : d->grain, .piece_ms = asked ? 0 : piece_ms, .each = asked};
    bool own_choice = !d->guided && !option->force_split && !option->reproducible && !yk_divide_given();
    t->on = option->tail != YK_TAIL_OFF && all_in_master(d, o) &&
            (asked ? !d->guided : own_choice && d->predicted_ms >= launch_ms);
    bool loads = t->on && !asked && any_unsure(l, d);
    for (unsigned dev = 0; dev < yk_rt.machine->n && t->on; dev++)
        t->on = !d->takes[dev] || asked || ready(l, d, dev, loads);
    for (unsigned dev = 0; dev < yk_rt.machine->n && t->on; dev++)
        if (d->takes[dev])
            yk_tail_share(t, dev, d->from[dev], d->to[dev], asked || !(d->share_ms[dev] > 0) ? 1 : d->share_ms[dev],
                          !asked && unsure(l, dev));
}
