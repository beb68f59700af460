#include "shim/queue/share_mend.h"
#include <string.h>
#include "shim/queue/share.h"
#include "shim/queue/takers.h"

/* May T run something? Not one that has failed, nor one that came when all had been taken: it has no kernel. */
static bool is_well(const struct yk_taker *t)
{
    return t->err == CL_SUCCESS && t->kernel;
}

/* Somebody who is well; the primary where it can. */
static struct yk_taker *healthy(struct yk_taker *t, unsigned n)
{
    struct yk_taker *found = NULL;
    for (unsigned i = 0; i < n; i++)
        if (is_well(&t[i]) && (!found || t[i].dev == yk_rt.machine->primary))
            found = &t[i];
    return found;
}

bool yk_share_fill_in(struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    struct yk_share_work *w = t->work;
    struct yk_chunk rest = {w->d->guided ? w->next : w->d->total, w->d->total, 0};
    for (;;) {
        struct yk_taker *next = healthy(t, n);
        struct yk_chunk *c = &rest;
        for (unsigned i = 0; i < n; i++) {
            if (t[i].err == CL_SUCCESS || t[i].failed.from == t[i].failed.to)
                continue;
            if (t[i].touched)
                return false;
            c = &t[i].failed;
        }
        if (c->from == c->to && !(w->tail.on && yk_tail_left(&w->tail, &c->from, &c->to, &c->share)))
            return true;
        if (!next)
            return false;
        struct yk_chunk moved = *c;
        c->from = c->to; /* where NEXT fails it is NEXT's */
        next->err = w->d->guided ? CL_SUCCESS : yk_operands_move(operands, moved.share, next->dev);
        next->touched = false;
        next->failed = moved;
        if (next->err == CL_SUCCESS)
            yk_taker_run(next, moved);
        else
            yk_takers_quarantine(next->dev, next->err, true);
    }
}

cl_int yk_share_merge(struct yk_taker *t, unsigned n, struct yk_operands *operands, const bool *used)
{
    unsigned bad = 0;
    cl_int err = yk_operands_merge(operands, used, &bad);
    if (err == CL_SUCCESS)
        err = yk_reductions_merge(&t->work->reductions, used, &bad, &operands->moved);
    for (unsigned i = 0; i < n && err != CL_SUCCESS; i++)
        if (t[i].dev == bad) {
            t[i].err = err;
            yk_takers_quarantine(bad, err, err == CL_OUT_OF_HOST_MEMORY);
        }
    return err;
}

/* May the launch be run again, and are the bytes before it there? */
static bool may_start_again(const struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    bool left = false;
    for (unsigned i = 0; i < n; i++) {
        /* Nobody can stop a device that is still at it, and it may still write over these. */
        if (t[i].suspect && (yk_operands_in_master(operands, t[i].dev) || t->work->reductions.n))
            return false;
        left |= is_well(&t[i]) || (t[i].dev == yk_rt.machine->primary && !t[i].suspect);
    }
    left |= !t->work->d->takes[yk_rt.machine->primary]; /* it has failed in nothing */
    if (!left || !yk_operands_restore(operands))
        return false;
    yk_reductions_restore(&t->work->reductions);
    return true;
}

cl_int yk_share_start_again(struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    while (may_start_again(t, n, operands)) {
        struct yk_taker *next = healthy(t, n);
        if (!next || next->dev == yk_rt.machine->primary)
            return YK_SHARE_UNTOUCHED;
        bool used[YK_MAX_DEVICES] = {0};
        struct yk_share_work *w = t->work;
        struct yk_decision all = *w->d;
        unsigned bad;
        memset(all.takes, 0, sizeof all.takes);
        used[next->dev] = all.takes[next->dev] = true;
        all.from[next->dev] = all.begin;
        all.to[next->dev] = all.total;
        operands->waits = true;
        cl_int err = yk_operands_plan(w->l, w->facts, &all, operands) == YK_OK ? yk_operands_bring(operands, &all, &bad)
                                                                               : CL_OUT_OF_HOST_MEMORY;
        if (err == CL_SUCCESS)
            err = yk_reductions_bring(&w->reductions, next->dev, &operands->moved);
        if (err == CL_SUCCESS)
            err = yk_launch_set_args(w->l, next->kernel->real, next->dev);
        if (err == CL_SUCCESS)
            err = yk_taker_run(next, (struct yk_chunk){all.begin, all.total, next->dev});
        if (err == CL_SUCCESS)
            err = yk_share_merge(t, n, operands, used);
        if (err == CL_SUCCESS)
            return err;
        next->err = err;
    }
    yk_operands_lose(operands);
    yk_reductions_lose(&t->work->reductions);
    for (unsigned i = 0; i < n; i++)
        if (t[i].err != CL_SUCCESS)
            return t[i].err;
    return CL_OUT_OF_RESOURCES;
}
