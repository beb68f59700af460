#include "transform/facts_write.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "transform/facts_names.h"

/* Text to the end of a line. */
static void put_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, "%s ", key);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        putc(*p < ' ' || *p == 0x7f ? '?' : *p, f);
    putc('\n', f);
}

static void put_flags(FILE *f, const char *key, const struct yk_facts_flag *flag, const void *object)
{
    bool any = false;
    for (; flag->name; flag++)
        if (*(const bool *)((const char *)object + flag->offset)) {
            if (!any)
                fputs(key, f);
            fprintf(f, " %s", flag->name);
            any = true;
        }
    if (any)
        putc('\n', f);
}

static void put_arg(FILE *f, const struct yk_facts_arg *a)
{
    fprintf(f, "arg %s %" PRIu32 " %s\n", yk_arg_kind_name(a->kind), a->size, a->name[0] ? a->name : "-");
    if (a->type[0])
        put_text(f, "type", a->type);
    put_flags(f, "with", yk_facts_arg_flags, a);
    if (a->atomic_ops) {
        fputs("ops", f);
        for (unsigned bit = 0; yk_atomic_op_name(bit); bit++)
            if (a->atomic_ops >> bit & 1)
                fprintf(f, " %s", yk_atomic_op_name(bit));
        putc('\n', f);
    }
}

static void put_symbols(FILE *f, const struct yk_facts_kernel *k)
{
    for (unsigned i = 0; i < k->nnodes; i++) {
        const struct yk_facts_node *n = &k->node[i];
        unsigned of = n->op == YK_NODE_ARG ? 1 : yk_node_operands(n->op);
        fprintf(f, "node %s %u", yk_node_op_name(n->op), n->bits);
        for (unsigned o = 0; o < of; o++)
            fprintf(f, " %u", o == 0 ? n->a : o == 1 ? n->b : n->c);
        if (yk_node_has_imm(n->op))
            fprintf(f, " %" PRId64, n->imm);
        putc('\n', f);
    }
    for (unsigned i = 0; i < k->naccesses; i++) {
        const struct yk_facts_access *a = &k->access[i];
        fprintf(f, "access %s %u %" PRIu32 " %u %s", yk_access_kind_name(a->kind), a->arg, a->bytes, a->node,
                a->exact ? "exact" : "some");
        for (unsigned g = 0; g < a->nguards; g++)
            fprintf(f, " %u %d", k->guard[a->guard + g].node, k->guard[a->guard + g].want);
        putc('\n', f);
    }
}

static void put_kernel(FILE *f, const struct yk_facts_kernel *k)
{
    fprintf(f, "kernel %s\nverdict %s\n", k->name, yk_verdict_name(k->verdict));
    if (k->reason[0])
        put_text(f, "reason", k->reason);
    if (k->unmerged && k->unmerged[0])
        put_text(f, "unmerged", k->unmerged);
    for (unsigned i = 0; i < k->nargs; i++)
        put_arg(f, &k->arg[i]);
    for (unsigned i = 0; i < k->nhidden; i++)
        fprintf(f, "hidden %s %u\n", yk_hidden_kind_name(k->hidden[i].kind), k->hidden[i].dim);
    if (k->reqd_group[0])
        fprintf(f, "group %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", k->reqd_group[0], k->reqd_group[1], k->reqd_group[2]);
    if (k->group_hint[0])
        fprintf(f, "hint %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", k->group_hint[0], k->group_hint[1], k->group_hint[2]);
    put_flags(f, "flags", yk_facts_kernel_flags, k);
    for (unsigned i = 0; i < YK_COUNT_CLASS_COUNT; i++)
        if (k->count[i])
            fprintf(f, "count %s %" PRIu32 "\n", yk_count_class_name(i), k->count[i]);
    put_symbols(f, k);
    fputs("done\n", f);
}

static void put_source(FILE *f, const char *key, const char *source, size_t size)
{
    if (!source)
        return;
    fprintf(f, "%s %zu\n", key, size);
    fwrite(source, 1, size, f);
    putc('\n', f);
}

yk_status yk_facts_write(const struct yk_facts *facts, char **text, size_t *n)
{
    *text = NULL;
    *n = 0;
    FILE *f = open_memstream(text, n);
    if (!f)
        return YK_ENOMEM;
    fprintf(f, "yoke-facts %d\n", YK_FACTS_VERSION);
    put_text(f, "by", facts->transformer);
    if (facts->refused)
        put_text(f, "refused", facts->refused);
    for (unsigned i = 0; i < facts->ntargets; i++)
        fprintf(f, "target %016" PRIx64 "\n", facts->target_text[i]);
    for (unsigned i = 0; i < facts->nfiles; i++) {
        char key[32];
        snprintf(key, sizeof key, "file %016" PRIx64, facts->file[i].hash);
        if (facts->file[i].absent)
            strcpy(key, "absent");
        put_text(f, key, facts->file[i].path);
    }
    for (unsigned i = 0; i < facts->nkernels; i++)
        put_kernel(f, &facts->kernel[i]);
    if ((facts->variant_source || facts->merge_source) && facts->variant_options[0])
        put_text(f, "options", facts->variant_options);
    put_source(f, "variant", facts->variant_source, facts->variant_size);
    put_source(f, "merging", facts->merge_source, facts->merge_size);
    put_source(f, "mixed", facts->mixed_source, facts->mixed_size);
    fflush(f);
    struct yk_hash sum = yk_hash_bytes((struct yk_hash){0, 0}, *text, *n);
    fprintf(f, "sum %016" PRIx64 "\n", sum.lo);
    if (fclose(f)) {
        free(*text);
        *text = NULL;
        return YK_ENOMEM;
    }
    return YK_OK;
}
