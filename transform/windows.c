#include "transform/windows.h"
#include <ctype.h>
#include <string.h>

static struct yk_facts_kernel *find(const struct yk_rewriter *r, int function)
{
    const char *name = r->syntax.functions.v[function].name;
    for (unsigned i = 0; i < r->facts->nkernels; i++)
        if (!strcmp(r->facts->kernel[i].name, name))
            return &r->facts->kernel[i];
    return NULL;
}

static void refuse(struct yk_facts_kernel *k, const char *why)
{
    k->verdict = YK_VERDICT_WHOLE;
    k->reason = why;
    k->needs_variant = false;
    k->nhidden = 0;
}

/* May D's parameters be assigned to, by their names? */
static bool names_all(const struct yk_rewriter *r, const struct yk_syntax_decl *d, const struct yk_facts_kernel *k)
{
    if (d->nparams != k->nargs)
        return false;
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->arg[i].kind == YK_ARG_GLOBAL && !r->syntax.params.v[d->param + i].name_len)
            return false;
    return true;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* `* const P`: the variant assigns to it. */
static void unfix(struct yk_rewriter *r, const struct yk_syntax_param *p)
{
    static const char word[] = "const";
    enum { LEN = sizeof word - 1 };
    const char *text = r->f->text;
    size_t star = p->name;
    while (star > p->begin && text[star - 1] != '*')
        star--;
    for (size_t i = star; star > p->begin && i + LEN <= p->name; i++)
        if (!strncmp(text + i, word, LEN) && !in_word(text[i - 1]) && !in_word(text[i + LEN]))
            yk_rewrite_edit(r, i, i + LEN, " ");
}

/* The pointer goes through an integer: as pointer arithmetic it would leave its object, which compilers may assume
 * that it never does. */
static void extend(struct yk_rewriter *r, const struct yk_syntax_decl *d, const struct yk_facts_kernel *k)
{
    const char *params = "", *body = "";
    for (unsigned i = 0; i < k->nargs && params && body; i++) {
        const struct yk_syntax_param *p = &r->syntax.params.v[d->param + i];
        if (k->arg[i].kind != YK_ARG_GLOBAL)
            continue;
        const char *name = yk_arena_strndup(r->a, r->f->text + p->name, p->name_len);
        unfix(r, p);
        params = yk_arena_printf(r->a, "%s, ulong %sback%u", params, r->prefix, i);
        body = name ? yk_arena_printf(r->a, "%s\n    %s = (__global void *)((size_t)%s - (size_t)%sback%u);", body,
                                      name, name, r->prefix, i)
                    : NULL;
    }
    yk_rewrite_edit(r, d->close, d->close, params);
    if (d->body)
        yk_rewrite_edit(r, d->body + 1, d->body + 1, body);
}

bool yk_windows_edits(struct yk_rewriter *r)
{
    const struct yk_syntax *s = &r->syntax;
    bool any = false;
    for (size_t i = 0; i < s->calls.n; i++) {
        struct yk_facts_kernel *k = s->calls.v[i].callee >= 0 ? find(r, s->calls.v[i].callee) : NULL;
        if (k)
            refuse(k, "another function of the program calls it");
    }
    for (size_t i = 0; i < s->decls.n; i++) {
        struct yk_facts_kernel *k = find(r, s->decls.v[i].function);
        if (k && k->verdict != YK_VERDICT_WHOLE && !names_all(r, &s->decls.v[i], k))
            refuse(k, "its parameters cannot be told apart in its text");
    }
    for (size_t i = 0; i < s->decls.n; i++) {
        struct yk_facts_kernel *k = find(r, s->decls.v[i].function);
        if (!k || k->verdict == YK_VERDICT_WHOLE)
            continue;
        any = k->needs_variant = true;
        extend(r, &s->decls.v[i], k);
    }
    return any;
}
