#include "transform/facts_explain.h"
#include "transform/facts_names.h"

static const char *const verdict_words[] = {"whole", "splittable", "splittable, partial outputs are merged",
                                            "splittable, partial results of atomics are combined"};

static void words(FILE *out, const struct yk_facts_flag *flag, const void *object, const char *lead)
{
    for (; flag->name; flag++)
        if (*(const bool *)((const char *)object + flag->offset)) {
            fprintf(out, "%s%s", lead, flag->name);
            lead = ", ";
        }
}

static void explain_arg(const struct yk_facts_arg *a, unsigned i, FILE *out)
{
    fprintf(out, "  argument %u  %-8s %s %s", i, yk_arg_kind_name(a->kind), a->type, a->name);
    if (a->size)
        fprintf(out, " (%u bytes)", a->size);
    words(out, yk_facts_arg_flags, a, ": ");
    if (a->atomic_ops) {
        fputs("; atomics:", out);
        for (unsigned bit = 0; yk_atomic_op_name(bit); bit++)
            if (a->atomic_ops >> bit & 1)
                fprintf(out, " %s", yk_atomic_op_name(bit));
    }
    putc('\n', out);
}

static void explain_kernel(const struct yk_facts_kernel *k, FILE *out)
{
    fprintf(out, "kernel %s: %s%s%s\n", k->name, verdict_words[k->verdict], k->reason[0] ? ": " : "", k->reason);
    for (unsigned i = 0; i < k->nargs; i++)
        explain_arg(&k->arg[i], i, out);
    for (unsigned i = 0; i < k->nhidden; i++)
        fprintf(out, "  hidden %u    %s(%u)\n", k->nargs + i, yk_hidden_kind_name(k->hidden[i].kind), k->hidden[i].dim);
    if (k->reqd_group[0])
        fprintf(out, "  work-group  %u x %u x %u\n", k->reqd_group[0], k->reqd_group[1], k->reqd_group[2]);
    yk_facts_explain_accesses(out, k);
    yk_facts_explain_example(out, k);
    words(out, yk_facts_kernel_flags, k, "  facts       ");
    fputs("\n  counts     ", out);
    for (unsigned i = 0; i < YK_COUNT_CLASS_COUNT; i++)
        if (k->count[i])
            fprintf(out, " %s=%u", yk_count_class_name(i), k->count[i]);
    putc('\n', out);
}

void yk_facts_explain(const struct yk_facts *f, FILE *out)
{
    if (f->refused)
        fprintf(out, "every kernel runs whole: %s\n", f->refused);
    for (unsigned i = 0; i < f->nkernels; i++)
        explain_kernel(&f->kernel[i], out);
    if (f->variant_source)
        fprintf(out, "\nvariant for boxes of work-groups, built with \"%s\":\n\n%s", f->variant_options,
                f->variant_source);
    if (f->merge_source)
        fprintf(out, "\nmerge program, built with \"%s\" on a CPU device:\n\n%s", f->variant_options, f->merge_source);
}
