/* The mixed program: every kernel becomes a function, which one kernel calls by the number in a record. Functions may
 * not declare variables in local memory, so those of all kernels lie over one another in a union of that kernel's, and
 * each function is handed pointers to its own. */
#include <ctype.h>
#include <string.h>
#include "transform/merging.h"

/* Where the declaration begins whose name is at NAME: behind what ends the one before, and behind directives. */
static size_t declaration_begin(const struct yk_merging *m, size_t name)
{
    const char *text = m->r.f->text;
    size_t at = name;
    while (at > 0 && text[at - 1] != ';' && text[at - 1] != '}' && text[at - 1] != '{')
        at--;
    for (size_t line = at, next; line < name; line = next) {
        size_t first = line;
        next = line;
        while (next < name && text[next] != '\n')
            next++;
        while (first < next && isspace((unsigned char)text[first]))
            first++;
        if (next < name && first < next && text[first] == '#')
            at = next;
        next++;
    }
    return at;
}

/* TEXT without the words that say that it lies in local memory. */
static const char *without_space(struct yk_merging *m, const char *text)
{
    char *out = yk_arena_strndup(m->a, text ? text : "", text ? strlen(text) : 0);
    for (char *p = out; p && *p;) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        if ((n == 7 && !memcmp(p, "__local", n)) || (n == 5 && !memcmp(p, "local", n)))
            memset(p, ' ', n);
        p += n ? n : 1;
    }
    return text ? out : NULL;
}

static const char *slots(struct yk_merging *m, bool declared)
{
    const char *text = "";
    for (int i = 0; i < YK_MERGED_SLOTS && text; i++)
        text = yk_arena_printf(m->a, "%s, %s%sb%d", text, declared ? "__global uchar *" : "", m->p, i);
    return text;
}

/* Edits: kernel K, declared at D, as a function that is handed its record, what it asks of the range, its own __local
 * and __constant pointers, and pointers to its variables. */
static void rewrite_kernel(struct yk_merging *m, const struct yk_syntax_decl *d, const struct yk_facts_kernel *k)
{
    const struct yk_syntax *s = &m->r.syntax;
    const char *why, *p = m->p, *declared = slots(m, true);
    struct yk_merged_layout l;
    if (!yk_merged_layout(k, &l, &why))
        return;
    const char *params =
        declared ? yk_arena_printf(m->a, "const __global ulong *%sr%s, const __private struct %shere_%s *%sh", p,
                                   declared, p, m->tag, p)
                 : NULL;
    for (int pass = 0; pass < 2 && params; pass++)
        for (unsigned i = 0; i < k->nargs && params; i++)
            if (k->arg[i].kind == (pass ? YK_ARG_CONSTANT : YK_ARG_LOCAL)) {
                const struct yk_syntax_param *q = &s->params.v[d->param + i];
                params = yk_arena_printf(m->a, "%s, %s", params, yk_merging_text(m, q->begin, q->end));
            }
    for (size_t i = 0; i < s->locals.n && params; i++) {
        const struct yk_syntax_local *v = &s->locals.v[i];
        if (v->function != d->function)
            continue;
        size_t end = v->name + v->name_len;
        params = yk_arena_printf(m->a, "%s, %s(*%s)%s", params, yk_merging_text(m, v->begin, v->specifiers),
                                 yk_merging_text(m, v->name, end), yk_merging_text(m, end, v->last));
        if (d->body && (!i || v[-1].begin != v->begin))
            yk_rewrite_edit(&m->r, v->begin, v->end, ";");
    }
    size_t name_end = d->name + strlen(k->name);
    yk_rewrite_edit(&m->r, declaration_begin(m, d->name), name_end,
                    yk_arena_printf(m->a, "\n__attribute__((always_inline)) void %sdo_%s_%s", p, m->tag, k->name));
    yk_rewrite_edit(&m->r, d->open + 1, d->close, params);
    if (d->body)
        yk_rewrite_edit(&m->r, d->body + 1, d->body + 1, yk_merging_variables(m, d, k, &l, "\n"));
    for (size_t i = 0; i < s->uses.n && d->body; i++) {
        const struct yk_syntax_use *u = &s->uses.v[i];
        if (s->locals.v[u->local].function == d->function)
            yk_rewrite_edit(&m->r, u->begin, u->end,
                            yk_arena_printf(m->a, "(*%s)", yk_merging_text(m, u->begin, u->end)));
    }
}

/* The union of all kernels' variables: a structure for each. */
static const char *variables(struct yk_merging *m)
{
    const struct yk_syntax *s = &m->r.syntax;
    const char *all = "";
    for (unsigned k = 0; k < m->r.facts->nkernels && all; k++) {
        const char *own = "";
        for (size_t i = 0; i < s->locals.n && m->r.facts->kernel[k].mixed && own; i++) {
            const struct yk_syntax_local *v = &s->locals.v[i];
            if (!strcmp(s->functions.v[v->function].name, m->r.facts->kernel[k].name))
                own = yk_arena_printf(m->a, "%s %s%s;", own,
                                      without_space(m, yk_merging_text(m, v->begin, v->specifiers)),
                                      without_space(m, yk_merging_text(m, v->name, v->last)));
        }
        if (own && *own)
            all = yk_arena_printf(m->a, "%s        struct {%s } k%u;\n", all, own, k);
    }
    return all && *all ? yk_arena_printf(m->a, "    __local union {\n%s    } %su;\n", all, m->p) : all;
}

/* The call for one kernel. */
static const char *branch(struct yk_merging *m, const char *text, unsigned k)
{
    const struct yk_facts *f = m->r.facts;
    const struct yk_syntax *s = &m->r.syntax;
    const char *p = m->p, *passed = slots(m, false);
    unsigned constant, local = 0, number = yk_mixed_number(f, k, &constant);
    text = text && passed ? yk_arena_printf(m->a, "%s    case %u:\n        %sdo_%s_%s(%sr%s, %sh", text, number, p,
                                            m->tag, f->kernel[k].name, p, passed, p)
                          : NULL;
    for (unsigned n = yk_merged_count(&f->kernel[k], YK_ARG_LOCAL); local < n && text; local++)
        text = yk_arena_printf(m->a, "%s, (__local void *)%sl%u", text, p, local);
    for (unsigned n = yk_merged_count(&f->kernel[k], YK_ARG_CONSTANT); n && text; n--)
        text = yk_arena_printf(m->a, "%s, (__constant void *)%sc%u", text, p, constant++);
    for (size_t i = 0; i < s->locals.n && text; i++) {
        const struct yk_syntax_local *v = &s->locals.v[i];
        if (!strcmp(s->functions.v[v->function].name, f->kernel[k].name))
            text = yk_arena_printf(m->a, "%s, &%su.k%u.%s", text, p, k,
                                   yk_merging_text(m, v->name, v->name + v->name_len));
    }
    return text ? yk_arena_printf(m->a, "%s);\n        break;\n", text) : NULL;
}

static const char *mixed_kernel(struct yk_merging *m)
{
    const struct yk_facts *f = m->r.facts;
    struct yk_mixed_layout l = yk_mixed_layout(f);
    const char *p = m->p, *declared = slots(m, true), *own = variables(m), *record = yk_merging_record(m, true);
    const char *text =
        declared && own && record
            ? yk_arena_printf(m->a, "\n__kernel void " YK_MIXED_NAME "(const __global ulong *restrict %st%s", p,
                              declared)
            : NULL;
    for (unsigned i = 0; i < l.nlocals && text; i++)
        text = yk_arena_printf(m->a, "%s, __local ulong16 *%sl%u", text, p, i);
    for (unsigned i = 0; i < l.nconstants && text; i++)
        text = yk_arena_printf(m->a, "%s, __constant uchar *%sc%u", text, p, i);
    text = text ? yk_arena_printf(m->a, "%s)\n{\n%s%s    switch ((uint)%sr[7]) {\n", text, own, record, p) : NULL;
    for (unsigned k = 0; k < f->nkernels && text; k++)
        if (f->kernel[k].mixed)
            text = branch(m, text, k);
    return text ? yk_arena_printf(m->a, "%s    }\n}\n", text) : NULL;
}

/* Which kernels are mixed: those that are merged, as many as there is room for. */
static unsigned choose(struct yk_merging *m)
{
    struct yk_facts *f = m->r.facts;
    const struct yk_syntax *s = &m->r.syntax;
    unsigned n = 0, constants = 0;
    for (unsigned i = 0; i < f->nkernels && n < YK_MIXED_KERNELS; i++) {
        const struct yk_syntax_function *fn = yk_rewrite_function(s, f->kernel[i].name);
        unsigned more = yk_merged_count(&f->kernel[i], YK_ARG_CONSTANT);
        if (!f->kernel[i].needs_variant || !fn || fn->odd_locals || constants + more > YK_MIXED_CONSTANTS)
            continue;
        f->kernel[i].mixed = true;
        constants += more;
        n++;
    }
    return n;
}

yk_status yk_mixing_make(struct yk_merging *m)
{
    struct yk_facts *f = m->r.facts;
    const struct yk_syntax *s = &m->r.syntax;
    yk_status st = YK_OK;
    if (choose(m) >= 2 && !strstr(m->r.f->text, YK_MIXED_NAME)) {
        memset(m->left_out, 0, s->functions.n * sizeof *m->left_out);
        for (size_t i = 0; i < s->decls.n; i++) {
            const struct yk_syntax_decl *d = &s->decls.v[i];
            const struct yk_facts_kernel *k = yk_merging_kernel(m, s->functions.v[d->function].name);
            if (!k)
                yk_merging_helper(m, d);
            else if (k->mixed)
                rewrite_kernel(m, d, k);
            else if (d->body)
                yk_merging_leave_out(m, d);
        }
        yk_merging_calls(m);
        yk_rewrite_edit(&m->r, m->r.f->size, m->r.f->size, mixed_kernel(m));
        st = yk_merging_apply(m, yk_merging_preamble(m), &f->mixed_source, &f->mixed_size);
    }
    for (unsigned i = 0; i < f->nkernels && !f->mixed_source; i++)
        f->kernel[i].mixed = false;
    return st;
}
