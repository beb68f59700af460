#include "transform/variant.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transform/rewrite.h"
#include "transform/windows.h"

static const char *const short_names[YK_HIDDEN_KIND_COUNT] = {"group", "groups", "size", "offset"};

static const char *hidden_name(struct yk_rewriter *r, enum yk_hidden_kind kind, int dim)
{
    return yk_arena_printf(r->a, "%s%s%d", r->prefix, short_names[kind], dim);
}

/* The hidden arguments of set S, as parameters or as arguments. */
static const char *list(struct yk_rewriter *r, yk_hidden_set s, const char *type)
{
    const char *text = "";
    for (int kind = 0; kind < YK_HIDDEN_KIND_COUNT && text; kind++)
        for (int dim = 0; dim < 3 && text; dim++)
            if (s & YK_HIDDEN_BIT(kind, dim))
                text = yk_arena_printf(r->a, "%s%s%s%s", text, text[0] ? ", " : "", type, hidden_name(r, kind, dim));
    return text;
}

/* Of the text's own, so that linking two programs meets no name twice. */
static const char *chooser_name(struct yk_rewriter *r, int kind)
{
    return yk_arena_printf(r->a, "%s%s_%08x", r->prefix, short_names[kind], (unsigned)r->f->target_text[0]);
}

static void rewrite_builtin(struct yk_rewriter *r, const struct yk_syntax_call *c)
{
    const char *p = r->prefix, *h[3];
    if (c->linear) {
        yk_rewrite_edit(
            r, c->begin, c->end,
            yk_arena_printf(r->a,
                            "(((get_global_id(2) - (size_t)%soffset2) * (size_t)%ssize1 + (get_global_id(1) - "
                            "(size_t)%soffset1)) * (size_t)%ssize0 + (get_global_id(0) - (size_t)%soffset0))",
                            p, p, p, p, p));
        return;
    }
    if (c->dim == 3)
        return; /* beyond the third dimension the driver's answer holds */
    if (c->dim >= 0) {
        const char *name = hidden_name(r, c->kind, c->dim);
        yk_rewrite_edit(r, c->begin, c->end,
                        c->kind == YK_HIDDEN_GROUP_OFFSET
                            ? yk_arena_printf(r->a, "(get_group_id(%d) + (size_t)%s)", c->dim, name)
                            : yk_arena_printf(r->a, "((size_t)%s)", name));
        return;
    }
    for (int d = 0; d < 3; d++)
        h[d] = hidden_name(r, c->kind, d);
    r->choosers[c->kind] = true;
    yk_rewrite_edit(r, c->name_begin, c->name_end, chooser_name(r, c->kind));
    yk_rewrite_edit(r, c->end - 1, c->end - 1, yk_arena_printf(r->a, ", %s, %s, %s", h[0], h[1], h[2]));
}

/* Beyond the third dimension the driver's answer holds. */
const char *yk_variant_choosers(struct yk_rewriter *r)
{
    static const char *const builtin[YK_HIDDEN_KIND_COUNT] = {"get_group_id", "get_num_groups", "get_global_size",
                                                              "get_global_offset"};
    const char *text = "";
    for (int kind = 0; kind < YK_HIDDEN_KIND_COUNT && text; kind++) {
        const char *name = r->choosers[kind] ? chooser_name(r, kind) : NULL;
        if (!name)
            continue;
        bool group = kind == YK_HIDDEN_GROUP_OFFSET;
        text = yk_arena_printf(r->a,
                               "%ssize_t %s(uint d, ulong a, ulong b, ulong c);\n"
                               "size_t %s(uint d, ulong a, ulong b, ulong c)\n"
                               "{\n    return d < 3 ? %s(size_t)(d == 0 ? a : d == 1 ? b : c) : %s(d);\n}\n",
                               text, name, name, group ? "get_group_id(d) + " : "", builtin[kind]);
    }
    return text;
}

void yk_variant_edits(struct yk_rewriter *r)
{
    const struct yk_syntax *s = &r->syntax;
    for (size_t i = 0; i < s->decls.n; i++) {
        const struct yk_syntax_decl *d = &s->decls.v[i];
        yk_hidden_set needs = s->functions.v[d->function].needs;
        if (!needs)
            continue;
        const char *params = list(r, needs, "ulong ");
        if (d->empty)
            yk_rewrite_edit(r, d->open + 1, d->close, params);
        else
            yk_rewrite_edit(r, d->close, d->close, yk_arena_printf(r->a, ", %s", params));
    }
    for (size_t i = 0; i < s->calls.n; i++) {
        const struct yk_syntax_call *c = &s->calls.v[i];
        if (c->callee < 0) {
            rewrite_builtin(r, c);
            continue;
        }
        yk_hidden_set needs = s->functions.v[c->callee].needs;
        if (needs)
            yk_rewrite_edit(r, c->end - 1, c->end - 1,
                            yk_arena_printf(r->a, "%s%s", c->nargs ? ", " : "", list(r, needs, "")));
    }
}

const struct yk_syntax_function *yk_rewrite_function(const struct yk_syntax *s, const char *name)
{
    for (size_t i = 0; i < s->functions.n; i++)
        if (s->functions.v[i].defined && !strcmp(s->functions.v[i].name, name))
            return &s->functions.v[i];
    return NULL;
}

static void make_whole(struct yk_facts_kernel *k, const char *why)
{
    k->verdict = YK_VERDICT_WHOLE;
    k->reason = why ? why : "out of memory";
    k->needs_variant = false;
    k->nhidden = 0;
}

/* Write down which hidden arguments kernel K takes; false where memory is out. */
static bool set_hidden(struct yk_rewriter *r, struct yk_facts_kernel *k, yk_hidden_set needs)
{
    k->hidden = yk_arena_array(r->a, struct yk_facts_hidden, 12);
    if (!k->hidden)
        return false;
    for (unsigned kind = 0; kind < YK_HIDDEN_KIND_COUNT; kind++)
        for (unsigned dim = 0; dim < 3; dim++)
            if (needs & YK_HIDDEN_BIT(kind, dim))
                k->hidden[k->nhidden++] = (struct yk_facts_hidden){kind, dim};
    k->needs_variant = k->nhidden > 0;
    return true;
}

/* Which kernels that may be split need a variant? */
static bool assign_hidden(struct yk_rewriter *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->facts->nkernels; i++) {
        struct yk_facts_kernel *k = &r->facts->kernel[i];
        const struct yk_syntax_function *f = yk_rewrite_function(&r->syntax, k->name);
        if (k->verdict == YK_VERDICT_WHOLE)
            continue;
        if (!f)
            make_whole(k, "yoke cannot find it in its own source");
        else if (!set_hidden(r, k, f->needs))
            r->memory = true;
        any |= k->needs_variant;
    }
    return any;
}

/* No variant can be made: kernels that would need one run whole. */
static void give_up(struct yk_rewriter *r, const char *why)
{
    for (unsigned i = 0; i < r->facts->nkernels; i++) {
        struct yk_facts_kernel *k = &r->facts->kernel[i];
        if (k->needs_variant)
            make_whole(k, yk_arena_printf(r->a, "no variant can be made of it: %s", why));
    }
}

yk_status yk_rewrite_check(struct yk_rewriter *r, const char *text, size_t size, const char **problem)
{
    struct yk_syntax again;
    yk_status s = yk_syntax_parse(r->f, text, size, YK_SYNTAX_BOXES, r->a, &again);
    *problem = NULL;
    if (s == YK_OK) {
        *problem = again.problem;
        yk_syntax_finish(&again);
    }
    return s;
}

/* TEXT, with guards before it, is the variant. */
static yk_status publish(struct yk_rewriter *r, const char *text)
{
    char *all = yk_arena_printf(r->a, "%s%s", r->f->guards, text);
    if (!all)
        return YK_ENOMEM;
    r->facts->variant_source = all;
    r->facts->variant_size = strlen(all);
    r->facts->variant_options = r->f->options.rest;
    return YK_OK;
}

static yk_status make(struct yk_rewriter *r, bool windows)
{
    /* What makes the syntax tree unfit for rewriting concerns every kernel that might need it. */
    if (r->syntax.problem) {
        for (unsigned i = 0; i < r->facts->nkernels; i++)
            if (r->facts->kernel[i].verdict != YK_VERDICT_WHOLE)
                make_whole(&r->facts->kernel[i], r->syntax.problem);
        return YK_OK;
    }
    if ((!assign_hidden(r) && !windows) || r->memory)
        return r->memory ? YK_ENOMEM : YK_OK;
    yk_variant_edits(r);
    if (windows && !yk_windows_edits(r))
        return YK_OK;
    size_t size = 0;
    char *text = yk_rewrite_apply(r, yk_variant_choosers(r), &size);
    if (!text) {
        if (r->memory)
            return YK_ENOMEM;
        give_up(r, "changes would overlap");
        return YK_OK;
    }
    const char *problem;
    yk_status s = yk_rewrite_check(r, text, size, &problem);
    if (s != YK_OK)
        return s;
    if (problem) {
        give_up(r, problem);
        return YK_OK;
    }
    return publish(r, text);
}

/* The facts hold only if the device's compiler sees the text that we saw: launch all that is split from guarded text.
 */
static yk_status guard_all(struct yk_rewriter *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->facts->nkernels; i++) {
        struct yk_facts_kernel *k = &r->facts->kernel[i];
        k->needs_variant = k->verdict != YK_VERDICT_WHOLE;
        any |= k->needs_variant;
    }
    return any && !r->facts->variant_source ? publish(r, r->f->text) : YK_OK;
}

yk_status yk_variant_make(const struct yk_front *f, bool windows, struct yk_facts *facts)
{
    static const char *const words[] = {"get_group_id", "get_num_groups", "get_global_size", "get_global_offset",
                                        "get_global_linear_id"};
    struct yk_rewriter r = {.f = f, .facts = facts, .a = &facts->arena};
    bool named = windows, merge = false;
    for (unsigned i = 0; i < facts->nkernels; i++) {
        facts->kernel[i].mergeable &= !windows;
        merge |= facts->kernel[i].mergeable;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        named |= strstr(f->text, words[i]) != NULL;
    yk_status s = named || merge ? yk_syntax_parse(f, f->text, f->size, YK_SYNTAX_BOXES, r.a, &r.syntax) : YK_OK;
    if (s == YK_OK && (named || merge)) {
        s = (r.prefix = yk_rewrite_prefix(&r)) ? YK_OK : YK_ENOMEM;
        if (s == YK_OK && named)
            s = make(&r, windows);
        if (s == YK_OK && merge)
            s = yk_merge_make(&r);
        yk_syntax_finish(&r.syntax);
    }
    if (s == YK_OK && f->riddle && !windows)
        s = guard_all(&r);
    yk_array_finish(&r.edits);
    return s;
}
