/* The merge program: every kernel again as yk_merge_NAME, with each store to a buffer replaced by a copy, to the same
 * place, of what lies there in another device's output. What was computed only to be stored is left for the compiler
 * to remove. One private table in each kernel says where which buffer's other output is; helper functions that store
 * are handed its address. */
#include <stdio.h>
#include <string.h>
#include "transform/rewrite.h"

/* %s: the prefix, and how many buffers a kernel writes at most. A store that hits none of the later buffers hits the
 * first. Elements are copied in the largest units that their alignment allows. */
static const char support[] =
    "typedef struct { __global uchar *to[%2$u], *from[%2$u]; ulong size[%2$u]; } %1$sbuffers;\n"
    "void %1$scopy(const __private %1$sbuffers *b, uint n, __global uchar *p, ulong bytes, ulong align);\n"
    "void %1$scopy(const __private %1$sbuffers *b, uint n, __global uchar *p, ulong bytes, ulong align)\n"
    "{\n"
    "    __global const uchar *q = b->from[0] + (p - b->to[0]);\n"
    "    for (uint i = 1; i < n; i++)\n"
    "        if ((ulong)(p - b->to[i]) < b->size[i])\n"
    "            q = b->from[i] + (p - b->to[i]);\n"
    "    if (align %% 8 == 0 && bytes %% 8 == 0)\n"
    "        for (ulong i = 0; i < bytes / 8; i++)\n"
    "            ((__global ulong *)p)[i] = ((__global const ulong *)q)[i];\n"
    "    else if (align %% 4 == 0 && bytes %% 4 == 0)\n"
    "        for (ulong i = 0; i < bytes / 4; i++)\n"
    "            ((__global uint *)p)[i] = ((__global const uint *)q)[i];\n"
    "    else if (align %% 2 == 0 && bytes %% 2 == 0)\n"
    "        for (ulong i = 0; i < bytes / 2; i++)\n"
    "            ((__global ushort *)p)[i] = ((__global const ushort *)q)[i];\n"
    "    else\n"
    "        for (ulong i = 0; i < bytes; i++)\n"
    "            p[i] = q[i];\n"
    "}\n"
    "void %1$slanes(const __private %1$sbuffers *b, uint n, __global uchar *p, ulong bytes, uint lanes);\n"
    "void %1$slanes(const __private %1$sbuffers *b, uint n, __global uchar *p, ulong bytes, uint lanes)\n"
    "{\n"
    "    for (uint i = 0; i < 16; i++)\n"
    "        if (lanes >> i & 1)\n"
    "            %1$scopy(b, n, p + i * bytes, bytes, bytes);\n"
    "}\n"
    "#define %1$sat(P) %1$scopy(%1$sb, %1$sn, (__global uchar *)(P), sizeof(*(P)), __alignof__(*(P)))\n"
    "#define %1$spart(P, OF, LANES) %1$slanes(%1$sb, %1$sn, (__global uchar *)(P), sizeof(*(P)) / (OF), LANES)\n"
    "#define %1$svector(N, D, O, P) ((void)(D), %1$scopy(%1$sb, %1$sn, (__global uchar *)((P) + (size_t)(O) * (N)), "
    "(N) * sizeof(*(P)), __alignof__(*(P))))\n";

static struct yk_facts_kernel *kernel_of(struct yk_rewriter *r, const char *name)
{
    for (unsigned i = 0; i < r->facts->nkernels; i++)
        if (!strcmp(r->facts->kernel[i].name, name))
            return &r->facts->kernel[i];
    return NULL;
}

/* The edits of one store: the left side's address stays, the right side is computed and dropped. */
static void store(struct yk_rewriter *r, const struct yk_syntax_store *s)
{
    const char *p = r->prefix;
    if (s->kind == YK_STORE_VECTOR) {
        yk_rewrite_edit(r, s->left, s->left_end, yk_arena_printf(r->a, "%svector%u", p, s->of));
        return;
    }
    const char *close = s->lanes ? yk_arena_printf(r->a, "), %u, %u)", s->of, s->lanes) : yk_arena_printf(r->a, "))");
    const char *open = yk_arena_printf(r->a, "(%s%s(&(", p, s->lanes ? "part" : "at");
    yk_rewrite_edit(r, s->begin, s->left, open);
    if (s->kind == YK_STORE_STEP) {
        yk_rewrite_edit(r, s->base_end, s->end, close ? yk_arena_printf(r->a, "%s)", close) : NULL);
        return;
    }
    yk_rewrite_edit(r, s->base_end, s->right, close ? yk_arena_printf(r->a, "%s, (void)(", close) : NULL);
    yk_rewrite_edit(r, s->right_end, s->right_end, "))");
}

/* Parameters and first statements of kernel K, whose declaration is D. */
static void kernel(struct yk_rewriter *r, const struct yk_facts_kernel *k, const struct yk_syntax_decl *d,
                   unsigned *most)
{
    const char *p = r->prefix, *params = "", *first = yk_arena_printf(r->a, " __private %sbuffers %stable;", p, p);
    unsigned n = 0;
    for (unsigned i = 0; i < k->nargs; i++) {
        if (!k->arg[i].written || k->arg[i].kind != YK_ARG_GLOBAL)
            continue;
        params = yk_arena_printf(r->a, "%s, __global uchar *%sfrom%u, ulong %sbytes%u", params, p, n, p, n);
        first = yk_arena_printf(r->a,
                                "%s %stable.to[%u] = (__global uchar *)%s; %stable.from[%u] = %sfrom%u; "
                                "%stable.size[%u] = %sbytes%u;",
                                first, p, n, k->arg[i].name, p, n, p, n, p, n, p, n);
        n++;
    }
    *most = n > *most ? n : *most;
    first = yk_arena_printf(r->a, "%s const __private %sbuffers *%sb = &%stable; const uint %sn = %u;", first, p, p, p,
                            p, n);
    yk_rewrite_edit(r, d->name, d->name, YK_MERGE_PREFIX);
    yk_rewrite_edit(r, d->close, d->close, params);
    if (d->body)
        yk_rewrite_edit(r, d->body + 1, d->body + 1, first);
}

static void edits(struct yk_rewriter *r, unsigned *most)
{
    const struct yk_syntax *s = &r->syntax;
    const char *table =
        yk_arena_printf(r->a, "const __private %sbuffers *%sb, uint %sn", r->prefix, r->prefix, r->prefix);
    const char *handed = yk_arena_printf(r->a, "%sb, %sn", r->prefix, r->prefix);
    yk_variant_edits(r);
    for (size_t i = 0; i < s->decls.n; i++) {
        const struct yk_syntax_decl *d = &s->decls.v[i];
        const struct yk_syntax_function *f = &s->functions.v[d->function];
        const struct yk_facts_kernel *k = kernel_of(r, f->name);
        if (k)
            kernel(r, k, d, most);
        else if (f->stores && f->defined && d->empty && !f->needs)
            yk_rewrite_edit(r, d->open + 1, d->close, table);
        else if (f->stores && f->defined)
            yk_rewrite_edit(r, d->close, d->close, yk_arena_printf(r->a, ", %s", table));
    }
    for (size_t i = 0; i < s->calls.n; i++) {
        const struct yk_syntax_call *c = &s->calls.v[i];
        const struct yk_syntax_function *f = c->callee < 0 ? NULL : &s->functions.v[c->callee];
        if (f && f->stores && f->defined)
            yk_rewrite_edit(r, c->end - 1, c->end - 1,
                            yk_arena_printf(r->a, "%s%s", c->nargs || f->needs ? ", " : "", handed));
    }
    for (size_t i = 0; i < s->stores.n; i++)
        if (!s->functions.v[s->stores.v[i].function].odd)
            store(r, &s->stores.v[i]);
}

static void refuse(struct yk_rewriter *r, const char *why)
{
    for (unsigned i = 0; i < r->facts->nkernels; i++)
        if (r->facts->kernel[i].mergeable) {
            r->facts->kernel[i].mergeable = false;
            r->facts->kernel[i].unmerged = why ? why : "";
        }
}

/* Why no kernel of the program can have one, or NULL. */
static const char *program_problem(struct yk_rewriter *r)
{
    if (r->syntax.problem)
        return r->syntax.problem;
    for (size_t i = 0; i < r->syntax.calls.n; i++) {
        int callee = r->syntax.calls.v[i].callee;
        if (callee >= 0 && kernel_of(r, r->syntax.functions.v[callee].name))
            return "a kernel is called as a function";
    }
    return NULL;
}

/* Kernels that reach a store which cannot be taken apart. */
static bool choose(struct yk_rewriter *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->facts->nkernels; i++) {
        struct yk_facts_kernel *k = &r->facts->kernel[i];
        const struct yk_syntax_function *f = k->mergeable ? yk_rewrite_function(&r->syntax, k->name) : NULL;
        if (!k->mergeable)
            continue;
        bool named = true;
        for (unsigned a = 0; a < k->nargs; a++)
            named &= k->arg[a].name[0] != 0;
        k->mergeable = f && named && !f->odd && k->verdict == YK_VERDICT_MERGE;
        if (!k->mergeable)
            k->unmerged =
                "it stores in a way that is not taken apart: structs, vectors of three, bit-fields, built-ins "
                "other than vstoreN";
        any |= k->mergeable;
    }
    return any;
}

/* The text, or NULL with *WHY (NULL: no memory). */
static char *text_of(struct yk_rewriter *r, size_t *size, const char **why)
{
    unsigned most = 1;
    *why = NULL;
    r->edits.n = 0;
    edits(r, &most);
    char vectors[512] = "";
    const char *p = r->prefix, *top = yk_variant_choosers(r);
    static const unsigned lanes[] = {2, 3, 4, 8, 16};
    for (unsigned i = 0, at = 0; i < sizeof lanes / sizeof *lanes && at < sizeof vectors - 96; i++)
        at += (unsigned)snprintf(vectors + at, sizeof vectors - at,
                                 "#define %svector%u(D, O, P) %svector(%u, D, O, P)\n", p, lanes[i], p, lanes[i]);
    char *more = yk_arena_alloc(r->a, sizeof support + 64 * (strlen(p) + 12));
    if (!top || !more)
        return NULL;
    snprintf(more, sizeof support + 64 * (strlen(p) + 12), support, p, most);
    char *text = yk_rewrite_apply(r, yk_arena_printf(r->a, "%s%s%s", more, vectors, top), size);
    const char *problem = NULL;
    if (!text && !r->memory)
        *why = "changes would overlap";
    else if (text && yk_rewrite_check(r, text, *size, &problem) != YK_OK)
        r->memory = true;
    else if (problem)
        *why = yk_arena_printf(r->a, "its merge kernel does not compile: %s", problem);
    return *why || r->memory ? NULL : text;
}

yk_status yk_merge_make(struct yk_rewriter *r)
{
    size_t size = 0;
    const char *why = program_problem(r);
    if (why || !choose(r)) {
        refuse(r, why);
        return r->memory ? YK_ENOMEM : YK_OK;
    }
    char *text = text_of(r, &size, &why);
    if (!text) {
        refuse(r, why);
        return why ? YK_OK : YK_ENOMEM;
    }
    char *all = yk_arena_printf(r->a, "%s%s", r->f->guards, text);
    if (!all)
        return YK_ENOMEM;
    r->facts->merge_source = all;
    r->facts->merge_size = strlen(all);
    r->facts->variant_options = r->f->options.rest;
    return YK_OK;
}
