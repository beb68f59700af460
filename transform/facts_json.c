#include <jansson.h>
#include "transform/facts_explain.h"
#include "transform/facts_names.h"

/* Every flag by name, true or false: readers need not know which ones there are. */
static void add_flags(json_t *to, const struct yk_facts_flag *flag, const void *object)
{
    for (; flag->name; flag++)
        json_object_set_new(to, flag->name, json_boolean(*(const bool *)((const char *)object + flag->offset)));
}

static json_t *arg_json(const struct yk_facts_arg *a)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:i}", "name", a->name, "type", a->type, "kind", yk_arg_kind_name(a->kind),
                          "size", (int)a->size);
    json_t *ops = json_array();
    for (unsigned bit = 0; yk_atomic_op_name(bit); bit++)
        if (a->atomic_ops >> bit & 1)
            json_array_append_new(ops, json_string(yk_atomic_op_name(bit)));
    json_object_set_new(o, "atomic_ops", ops);
    add_flags(o, yk_facts_arg_flags, a);
    return o;
}

static json_t *kernel_json(const struct yk_facts_kernel *k)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:[iii]}", "name", k->name, "verdict", yk_verdict_name(k->verdict),
                          "reason", k->reason, "unmerged", k->unmerged ? k->unmerged : "", "reqd_group",
                          (int)k->reqd_group[0], (int)k->reqd_group[1], (int)k->reqd_group[2]);
    json_t *args = json_array(), *hidden = json_array(), *counts = json_object();
    for (unsigned i = 0; i < k->nargs; i++)
        json_array_append_new(args, arg_json(&k->arg[i]));
    for (unsigned i = 0; i < k->nhidden; i++)
        json_array_append_new(hidden, json_pack("{s:s, s:i}", "kind", yk_hidden_kind_name(k->hidden[i].kind),
                                                "dimension", (int)k->hidden[i].dim));
    for (unsigned i = 0; i < YK_COUNT_CLASS_COUNT; i++)
        json_object_set_new(counts, yk_count_class_name(i), json_integer(k->count[i]));
    json_object_set_new(o, "arguments", args);
    json_object_set_new(o, "hidden_arguments", hidden);
    json_object_set_new(o, "counts", counts);
    add_flags(o, yk_facts_kernel_flags, k);
    return o;
}

yk_status yk_facts_print_json(const struct yk_facts *f, FILE *out)
{
    json_t *kernels = json_array();
    for (unsigned i = 0; i < f->nkernels; i++)
        json_array_append_new(kernels, kernel_json(&f->kernel[i]));
    json_t *all =
        json_pack("{s:s, s:s?, s:o, s:s?, s:s?, s:s?}", "transformer", f->transformer, "refused", f->refused, "kernels",
                  kernels, "variant_source", f->variant_source, "variant_options",
                  f->variant_source || f->merge_source ? f->variant_options : NULL, "merge_source", f->merge_source);
    int failed = !all || json_dumpf(all, out, JSON_INDENT(2)) != 0;
    putc('\n', out);
    json_decref(all);
    return failed ? YK_EFORMAT : YK_OK;
}
