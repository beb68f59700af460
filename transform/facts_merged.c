#include "transform/facts_merged.h"

/* What no merged kernel can do. */
static const char *obstacle(const struct yk_facts_kernel *k)
{
    if (k->verdict == YK_VERDICT_WHOLE)
        return k->reason;
    if (!k->nargs || k->nargs > YK_MERGED_ARGS)
        return "it has no arguments, or very many";
    if (k->images_read || k->images_written)
        return "it uses images";
    if (k->sub_groups || k->print || k->enqueues || k->program_scope)
        return "it uses sub-groups, printf, queues or variables of program scope";
    return NULL;
}

/* The largest power of two that divides SIZE: no type of this size is aligned to more. */
static uint32_t alignment(uint32_t size)
{
    uint32_t a = size & -size;
    return a > YK_MERGED_UNIT ? YK_MERGED_UNIT : a;
}

bool yk_merged_layout(const struct yk_facts_kernel *k, struct yk_merged_layout *l, const char **why)
{
    uint32_t at = YK_MERGED_HEAD, param = 1 + YK_MERGED_SLOTS;
    *why = obstacle(k);
    for (unsigned i = 0; i < k->nargs && !*why; i++) {
        const struct yk_facts_arg *a = &k->arg[i];
        if (a->kind != YK_ARG_GLOBAL && a->kind != YK_ARG_VALUE)
            continue;
        uint32_t size = a->kind == YK_ARG_GLOBAL ? 8 : a->size, align = size ? alignment(size) : 1;
        if (!size || size > 4096) {
            *why = "an argument is too large";
            break;
        }
        at = (at + align - 1) & -align;
        l->at[i] = at;
        at += size;
    }
    for (int pass = 0; pass < 2 && !*why; pass++)
        for (unsigned i = 0; i < k->nargs && !*why; i++) {
            enum yk_arg_kind kind = k->arg[i].kind;
            if (kind == (pass ? YK_ARG_CONSTANT : YK_ARG_LOCAL))
                l->at[i] = param++;
            else if (kind > YK_ARG_LOCAL)
                *why = "an argument is no buffer, value or local memory";
        }
    l->nparams = param;
    l->bytes = (at + YK_MERGED_UNIT - 1) & -(uint32_t)YK_MERGED_UNIT;
    return !*why;
}

unsigned yk_merged_count(const struct yk_facts_kernel *k, enum yk_arg_kind kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < k->nargs; i++)
        n += k->arg[i].kind == kind;
    return n;
}

struct yk_mixed_layout yk_mixed_layout(const struct yk_facts *f)
{
    struct yk_mixed_layout l = {0, 0, 0};
    for (unsigned i = 0; i < f->nkernels; i++) {
        if (!f->kernel[i].mixed)
            continue;
        unsigned locals = yk_merged_count(&f->kernel[i], YK_ARG_LOCAL);
        l.nkernels++;
        l.nlocals = locals > l.nlocals ? locals : l.nlocals;
        l.nconstants += yk_merged_count(&f->kernel[i], YK_ARG_CONSTANT);
    }
    return l;
}

unsigned yk_mixed_number(const struct yk_facts *f, unsigned k, unsigned *constant)
{
    unsigned n = 0;
    *constant = 0;
    for (unsigned i = 0; i < k; i++)
        if (f->kernel[i].mixed) {
            n++;
            *constant += yk_merged_count(&f->kernel[i], YK_ARG_CONSTANT);
        }
    return n;
}
