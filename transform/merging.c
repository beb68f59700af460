#include "transform/merging.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transform/facts_merged.h"
#include "transform/rewrite.h"

static const char *const answers[] = {"group_id",  "num_groups", "global_size", "global_offset",
                                      "global_id", "work_dim",   "linear_id"};
enum { LINEAR = 6 };

/* What every work-item of a group knows of its launch, and the functions that answer from it. */
const char *yk_merging_preamble(struct yk_merging *m)
{
    const char *p = m->p, *t = m->tag;
    char *text = yk_arena_printf(m->a,
                                 "struct %shere_%s { size_t group[3], groups[3], offset[3]; uint dims; };\n"
                                 "#define %sOF const __private struct %shere_%s *h\n",
                                 p, t, p, p, t);
    static const struct {
        const char *name, *type, *one;
    } by_dim[] = {{"group_id", "size_t", "h->group[%d]"},
                  {"num_groups", "size_t", "h->groups[%d]"},
                  {"global_size", "size_t", "h->groups[%d] * get_local_size(%d)"},
                  {"global_offset", "size_t", "h->offset[%d]"},
                  {"global_id", "size_t", "h->offset[%d] + h->group[%d] * get_local_size(%d) + get_local_id(%d)"}};
    for (size_t i = 0; i < sizeof by_dim / sizeof *by_dim && text; i++) {
        const char *one[3];
        for (int d = 0; d < 3; d++)
            one[d] = yk_arena_printf(m->a, by_dim[i].one, d, d, d, d);
        text = yk_arena_printf(m->a,
                               "%ssize_t %s%s_%s(uint d, %sOF);\n"
                               "size_t %s%s_%s(uint d, %sOF)\n"
                               "{\n    return d == 0 ? %s : d == 1 ? %s : d == 2 ? %s : get_%s(d);\n}\n",
                               text, p, by_dim[i].name, t, p, p, by_dim[i].name, t, p, one[0], one[1], one[2],
                               by_dim[i].name);
    }
    text = yk_arena_printf(
        m->a,
        "%suint %swork_dim_%s(%sOF);\nuint %swork_dim_%s(%sOF)\n{\n    return h->dims;\n}\n"
        "size_t %slinear_id_%s(%sOF);\nsize_t %slinear_id_%s(%sOF)\n{\n"
        "    return ((h->group[2] * get_local_size(2) + get_local_id(2)) * (h->groups[1] * get_local_size(1)) +\n"
        "            h->group[1] * get_local_size(1) + get_local_id(1)) * (h->groups[0] * get_local_size(0)) +\n"
        "           h->group[0] * get_local_size(0) + get_local_id(0);\n}\n"
        "#undef %sOF\n",
        text, p, t, p, p, t, p, p, t, p, p, t, p, p);
    char *params = yk_arena_printf(m->a, "ulong w"), *body = yk_arena_printf(m->a, "b0");
    for (int i = 0; i < YK_MERGED_SLOTS && params && body; i++)
        params = yk_arena_printf(m->a, "%s, __global uchar *b%d", params, i);
    for (int i = 1; i < YK_MERGED_SLOTS && body; i++)
        body = yk_arena_printf(m->a, "s == %d ? b%d : %s", i, i, body);
    if (!text || !params || !body)
        return NULL;
    return yk_arena_printf(m->a,
                           "%s__global uchar *%spick_%s(%s);\n__global uchar *%spick_%s(%s)\n{\n"
                           "    uint s = (uint)(w >> %d);\n    return (%s) + (w & 0xffffffffffffffUL);\n}\n",
                           text, p, t, params, p, t, params, YK_MERGED_SHIFT, body);
}

static bool mergeable_text(const struct yk_merging *m, const struct yk_syntax_decl *d)
{
    for (unsigned i = 0; i < d->nparams; i++) {
        const struct yk_syntax_param *p = &m->r.syntax.params.v[d->param + i];
        if (!p->name_len || p->name + p->name_len != p->end ||
            memchr(m->r.f->text + p->begin, '[', p->end - p->begin) ||
            memchr(m->r.f->text + p->begin, '(', p->end - p->begin))
            return false;
    }
    return true;
}

const char *yk_merging_text(struct yk_merging *m, size_t begin, size_t end)
{
    return yk_arena_strndup(m->a, m->r.f->text + begin, end - begin);
}

const char *yk_merging_record(struct yk_merging *m, bool asks)
{
    const char *p = m->p, *t = m->tag;
    char *text = yk_arena_printf(m->a,
                                 "\n    const uint4 %sm = ((const __global uint4 *)%st)[get_group_id(0)];\n"
                                 "    const __global ulong *%sr = %st + (size_t)%sm.s0 * %d;\n"
                                 "    if (!%sm.s0)\n        return; /* nothing but compiled */\n",
                                 p, p, p, p, p, YK_MERGED_UNIT / 8, p);
    if (!asks || !text)
        return text;
    return yk_arena_printf(m->a,
                           "%s    const struct %shere_%s %sw = {{%sm.s1, %sm.s2, %sm.s3}, {%sr[0], %sr[1], %sr[2]}, "
                           "{%sr[3], %sr[4], %sr[5]}, (uint)%sr[6]};\n"
                           "    const __private struct %shere_%s *%sh = &%sw;\n",
                           text, p, t, p, p, p, p, p, p, p, p, p, p, p, p, t, p, p);
}

const char *yk_merging_variables(struct yk_merging *m, const struct yk_syntax_decl *d, const struct yk_facts_kernel *k,
                                 const struct yk_merged_layout *l, const char *text)
{
    const char *p = m->p, *slots = "";
    for (int i = 0; i < YK_MERGED_SLOTS && slots; i++)
        slots = yk_arena_printf(m->a, "%s, %sb%d", slots, p, i);
    for (unsigned i = 0; i < k->nargs && text && slots; i++) {
        const struct yk_syntax_param *q = &m->r.syntax.params.v[d->param + i];
        if (k->arg[i].kind == YK_ARG_GLOBAL)
            text = yk_arena_printf(m->a, "%s    %s = (__global void *)%spick_%s(%sr[%u]%s);\n", text,
                                   yk_merging_text(m, q->begin, q->end), p, m->tag, p, l->at[i] / 8, slots);
        else if (k->arg[i].kind == YK_ARG_VALUE)
            text = yk_arena_printf(m->a, "%s    %s = *(const __global %s *)((const __global uchar *)%sr + %u);\n", text,
                                   yk_merging_text(m, q->begin, q->end), yk_merging_text(m, q->begin, q->name), p,
                                   l->at[i]);
    }
    return slots ? text : NULL;
}

/* The merged kernel's parameters, and what its body begins with: the kernel's own parameters, as variables. */
static void rewrite_kernel(struct yk_merging *m, const struct yk_syntax_decl *d, const struct yk_facts_kernel *k,
                           const struct yk_merged_layout *l, bool asks)
{
    char *params = yk_arena_printf(m->a, "const __global ulong *restrict %st", m->p);
    for (int i = 0; i < YK_MERGED_SLOTS && params; i++)
        params = yk_arena_printf(m->a, "%s, __global uchar *%sb%d", params, m->p, i);
    for (int pass = 0; pass < 2 && params; pass++)
        for (unsigned i = 0; i < k->nargs && params; i++)
            if (k->arg[i].kind == (pass ? YK_ARG_CONSTANT : YK_ARG_LOCAL)) {
                const struct yk_syntax_param *q = &m->r.syntax.params.v[d->param + i];
                params = yk_arena_printf(m->a, "%s, %s", params, yk_merging_text(m, q->begin, q->end));
            }
    yk_rewrite_edit(&m->r, d->open + 1, d->close, params);
    if (!d->body)
        return;
    const char *text = yk_merging_variables(m, d, k, l, yk_merging_record(m, asks));
    yk_rewrite_edit(&m->r, d->body + 1, d->body + 1, text);
}

static void rewrite_call(struct yk_merging *m, const struct yk_syntax_call *c)
{
    const char *comma = c->nargs ? ", " : "";
    if (c->callee < 0) {
        if (c->dim == 3)
            return; /* beyond the third dimension the driver's answer holds */
        yk_rewrite_edit(&m->r, c->name_begin, c->name_end,
                        yk_arena_printf(m->a, "%s%s_%s", m->p, answers[c->linear ? LINEAR : c->kind], m->tag));
    } else if (!m->r.syntax.functions.v[c->callee].needs) {
        return;
    }
    yk_rewrite_edit(&m->r, c->end - 1, c->end - 1, yk_arena_printf(m->a, "%s%sh", comma, m->p));
}

void yk_merging_calls(struct yk_merging *m)
{
    for (size_t i = 0; i < m->r.syntax.calls.n; i++)
        if (!m->left_out[m->r.syntax.calls.v[i].caller])
            rewrite_call(m, &m->r.syntax.calls.v[i]);
}

void yk_merging_helper(struct yk_merging *m, const struct yk_syntax_decl *d)
{
    if (m->r.syntax.functions.v[d->function].needs)
        yk_rewrite_edit(
            &m->r, d->empty ? d->open + 1 : d->close, d->close,
            yk_arena_printf(m->a, "%sconst __private struct %shere_%s *%sh", d->empty ? "" : ", ", m->p, m->tag, m->p));
}

void yk_merging_leave_out(struct yk_merging *m, const struct yk_syntax_decl *d)
{
    m->left_out[d->function] = true;
    yk_rewrite_edit(&m->r, d->body, d->end, "{}");
}

struct yk_facts_kernel *yk_merging_kernel(const struct yk_merging *m, const char *name)
{
    for (unsigned i = 0; i < m->r.facts->nkernels; i++)
        if (!strcmp(m->r.facts->kernel[i].name, name))
            return &m->r.facts->kernel[i];
    return NULL;
}

/* Edits for all functions. False: nothing can be made of this program. */
static bool collect(struct yk_merging *m, bool *any)
{
    const struct yk_syntax *s = &m->r.syntax;
    for (size_t i = 0; i < s->calls.n; i++)
        if (s->calls.v[i].callee >= 0 && yk_merging_kernel(m, s->functions.v[s->calls.v[i].callee].name))
            return false; /* a kernel calls another */
    for (size_t i = 0; i < s->decls.n; i++) {
        const struct yk_syntax_decl *d = &s->decls.v[i];
        const struct yk_syntax_function *f = &s->functions.v[d->function];
        struct yk_facts_kernel *k = yk_merging_kernel(m, f->name);
        struct yk_merged_layout l;
        const char *why;
        if (!k) {
            yk_merging_helper(m, d);
        } else if (d->nparams == k->nargs && yk_merged_layout(k, &l, &why) && mergeable_text(m, d)) {
            rewrite_kernel(m, d, k, &l, f->needs != 0);
            *any |= k->needs_variant = d->body != 0;
        } else if (d->body) {
            yk_merging_leave_out(m, d);
        }
    }
    yk_merging_calls(m);
    return true;
}

yk_status yk_merging_apply(struct yk_merging *m, const char *top, const char **text, size_t *size)
{
    struct yk_syntax again;
    *text = NULL;
    char *made = top ? yk_rewrite_apply(&m->r, top, size) : NULL;
    if (!top || m->r.memory)
        return YK_ENOMEM;
    if (!made)
        return YK_OK;
    yk_status st = yk_syntax_parse(m->r.f, made, *size, YK_SYNTAX_ALL, m->a, &again);
    if (st != YK_OK)
        return st;
    if (!again.problem && !(*text = yk_arena_printf(m->a, "%s%s", m->r.f->guards, made)))
        st = YK_ENOMEM;
    *size = *text ? strlen(*text) : 0;
    yk_syntax_finish(&again);
    return st;
}

static yk_status make(struct yk_merging *m)
{
    struct yk_facts *f = m->r.facts;
    bool any = false;
    m->p = m->r.prefix = yk_rewrite_prefix(&m->r);
    m->tag = yk_arena_printf(m->a, "%08x", (unsigned)m->r.f->target_text[0]);
    m->left_out = yk_arena_array(m->a, bool, m->r.syntax.functions.n + 1);
    if (!m->p || !m->tag || !m->left_out)
        return YK_ENOMEM;
    yk_status st = YK_OK;
    if (!m->r.syntax.problem && collect(m, &any) && any)
        st = yk_merging_apply(m, yk_merging_preamble(m), &f->variant_source, &f->variant_size);
    for (unsigned i = 0; i < f->nkernels && !f->variant_source; i++)
        f->kernel[i].needs_variant = false;
    if (st != YK_OK || !f->variant_source)
        return st;
    f->variant_options = m->r.f->options.rest;
    m->r.edits.n = 0;
    return yk_mixing_make(m);
}

yk_status yk_merging_make(const struct yk_front *f, struct yk_facts *facts)
{
    struct yk_merging m = {.r = {.f = f, .facts = facts, .a = &facts->arena}, .a = &facts->arena};
    for (unsigned i = 0; i < facts->nkernels; i++)
        facts->kernel[i].mergeable = false; /* there is no merge program in this answer */
    yk_status st = yk_syntax_parse(f, f->text, f->size, YK_SYNTAX_ALL, m.a, &m.r.syntax);
    if (st == YK_OK) {
        st = make(&m);
        yk_syntax_finish(&m.r.syntax);
    }
    yk_array_finish(&m.r.edits);
    return st;
}
