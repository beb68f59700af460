/* From facts to verdict: what a kernel does that only one device can do, or does between work-groups. */
#include "transform/analysis.h"

static const char *at(struct yk_analysis *a, unsigned line, const char *text)
{
    return line ? yk_arena_printf(a->arena, "line %u: %s", line, text) : text;
}

static const char *ops_text(struct yk_analysis *a, uint32_t ops)
{
    const char *text = "";
    for (unsigned bit = 0; yk_atomic_op_name(bit); bit++)
        if (ops >> bit & 1)
            text = yk_arena_printf(a->arena, "%s%s%s", text, text[0] ? ", " : "", yk_atomic_op_name(bit));
    return text;
}

static const char *atomic_reason(struct yk_analysis *a)
{
    for (unsigned i = 0; i < a->k->nargs; i++) {
        const struct yk_facts_arg *arg = &a->k->arg[i];
        if (!arg->atomic)
            continue;
        const char *more = arg->atomic_used                        ? " and uses the result"
                           : arg->plain_read || arg->plain_written ? " and accesses it otherwise too"
                                                                   : "";
        return yk_arena_printf(a->arena, "atomic operations (%s) on the global buffer %s%s",
                               ops_text(a, arg->atomic_ops), arg->name[0] ? arg->name : "of an argument", more);
    }
    return "atomic operations on global memory";
}

static const char *other_argument(struct yk_analysis *a)
{
    for (unsigned i = 0; i < a->k->nargs; i++)
        if (a->k->arg[i].kind == YK_ARG_OTHER || a->k->arg[i].kind == YK_ARG_PIPE)
            return yk_arena_printf(a->arena, "argument %u (%s) belongs to one device", i, a->k->arg[i].type);
    return NULL;
}

/* Are all atomics such that every device may have its own result? */
static bool reduction(struct yk_analysis *a)
{
    bool all = a->k->global_atomics;
    for (unsigned i = 0; i < a->k->nargs; i++) {
        struct yk_facts_arg *arg = &a->k->arg[i];
        bool mixed = arg->atomic_ops & (arg->atomic_ops - 1);
        arg->reduces &= !arg->plain_read && !arg->plain_written && !(mixed && arg->reduces && !yk_atomics_apart(a, i));
        all &= !arg->atomic || arg->reduces;
    }
    return all;
}

/* NULL: nothing speaks against splitting. */
static const char *whole_reason(struct yk_analysis *a)
{
    const struct yk_facts_kernel *k = a->k;
    const struct yk_findings *f = &a->found;
    const char *argument = other_argument(a);
    if (k->nargs > YK_MAX_ARGS)
        return "more arguments than yoke follows";
    if (k->enqueues)
        return "starts kernels from the device";
    if (f->pipe)
        return f->pipe;
    if (argument)
        return argument;
    if (f->unknown_call)
        return at(a, f->unknown_line, yk_arena_printf(a->arena, "calls %s, which yoke cannot follow", f->unknown_call));
    if (k->print)
        return at(a, f->print_line, "prints: the output of one device would be out of order with another's");
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->arg[i].kind == YK_ARG_IMAGE && k->arg[i].read && k->arg[i].written)
            return "reads and writes an image";
    if (k->program_scope)
        return "uses a variable of program scope, which each device has for itself";
    if (f->pointer)
        return f->pointer;
    if (k->global_atomics && !reduction(a))
        return at(a, f->atomic_line, atomic_reason(a));
    if (k->volatile_read)
        return at(a, f->volatile_line, "reads volatile global memory: work-groups may talk to each other");
    if (k->waits)
        return at(a, f->wait_line, "a loop waits for global memory to change");
    if (k->fence)
        return at(a, f->fence_line, "a fence on global memory: work-groups may talk to each other");
    if (k->sub_groups)
        return "uses sub-groups, whose size is a device's own";
    if (a->ir.irreducible)
        return "its jumps form a loop with several entries";
    return NULL;
}

void yk_analyse_verdict(struct yk_analysis *a)
{
    struct yk_facts_kernel *k = a->k;
    const char *reason = whole_reason(a);
    if (reason) {
        k->verdict = YK_VERDICT_WHOLE;
        k->reason = reason;
        return;
    }
    k->verdict = YK_VERDICT_SPLIT;
    k->reason = "";
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->arg[i].written)
            k->verdict = YK_VERDICT_MERGE;
    if (k->global_atomics)
        k->verdict = YK_VERDICT_REDUCTION;
}
