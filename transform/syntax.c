#include "transform/syntax.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "transform/assembly.h"
#include "transform/syntax_visit.h"

static const struct {
    const char *name;
    unsigned kind;
    bool linear;
} builtins[] = {
    {"get_group_id", YK_HIDDEN_GROUP_OFFSET, false},       {"get_num_groups", YK_HIDDEN_NUM_GROUPS, false},
    {"get_global_size", YK_HIDDEN_GLOBAL_SIZE, false},     {"get_global_offset", YK_HIDDEN_GLOBAL_OFFSET, false},
    {"get_global_linear_id", YK_HIDDEN_GLOBAL_SIZE, true}, {"get_global_id", YK_SYNTAX_GLOBAL_ID, false},
    {"get_work_dim", YK_SYNTAX_WORK_DIM, false},
};
enum { NBUILTINS = sizeof builtins / sizeof *builtins, NBUILTINS_BOXES = NBUILTINS - 2 };

static void problem(struct yk_visit *v, const char *why)
{
    if (!v->s->problem)
        v->s->problem = why;
}

/* A libclang string in our arena. */
static const char *keep(struct yk_visit *v, CXString s)
{
    const char *c = clang_getCString(s), *copy = yk_arena_strndup(v->a, c ? c : "", c ? strlen(c) : 0);
    clang_disposeString(s);
    v->memory |= !copy;
    return copy ? copy : "";
}

bool yk_visit_offset(struct yk_visit *v, CXSourceLocation l, size_t *at)
{
    CXFile file;
    unsigned o;
    clang_getFileLocation(l, &file, NULL, NULL, &o);
    *at = o;
    return file && clang_File_isEqual(file, v->file);
}

bool yk_visit_range(struct yk_visit *v, CXCursor c, size_t *begin, size_t *end)
{
    CXSourceRange r = clang_getCursorExtent(c);
    return yk_visit_offset(v, clang_getRangeStart(r), begin) && yk_visit_offset(v, clang_getRangeEnd(r), end) &&
           *begin < *end && *end <= v->size;
}

static int function_of(struct yk_visit *v, CXCursor decl)
{
    CXString id = clang_getCursorUSR(decl);
    const char *text = clang_getCString(id);
    for (size_t i = 0; i < v->s->functions.n; i++)
        if (!strcmp(v->s->functions.v[i].id, text)) {
            clang_disposeString(id);
            return (int)i;
        }
    struct yk_syntax_function f = {.name = keep(v, clang_getCursorSpelling(decl)), .id = keep(v, id)};
    if (!yk_array_push(&v->s->functions, f)) {
        v->memory = true;
        return -1;
    }
    return (int)v->s->functions.n - 1;
}

static size_t skip_space(const struct yk_visit *v, size_t at)
{
    while (at < v->size && isspace((unsigned char)v->text[at]))
        at++;
    return at;
}

/* The parentheses after the name of a declaration. */
static bool parameters(struct yk_visit *v, size_t name, size_t len, struct yk_syntax_decl *d)
{
    d->open = skip_space(v, name + len);
    if (d->open >= v->size || v->text[d->open] != '(')
        return false;
    int depth = 0;
    for (size_t i = d->open; i < v->size; i++) {
        depth += v->text[i] == '(';
        depth -= v->text[i] == ')';
        if (v->text[i] == '"' || v->text[i] == '\'' || v->text[i] == ';' || v->text[i] == '{')
            return false;
        if (depth)
            continue;
        d->close = i;
        size_t in = skip_space(v, d->open + 1);
        d->empty = in == i || (!strncmp(v->text + in, "void", 4) && skip_space(v, in + 4) == i);
        return true;
    }
    return false;
}

static bool is_builtin_name(const struct yk_visit *v, const char *name)
{
    for (int i = 0; i < v->nbuiltins; i++)
        if (!strcmp(builtins[i].name, name))
            return true;
    return false;
}

static enum CXChildVisitResult find_body(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_CompoundStmt)
        return CXChildVisit_Continue;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

/* Where function C's body is; 0: not in the text. */
static void body_of(struct yk_visit *v, CXCursor c, struct yk_syntax_decl *d)
{
    CXCursor body = clang_getNullCursor();
    size_t begin = 0, end;
    clang_visitChildren(c, find_body, &body);
    if (clang_Cursor_isNull(body) || !yk_visit_range(v, body, &begin, &end) || v->text[begin] != '{')
        return;
    d->body = begin;
    d->end = end;
}

static void list_parameters(struct yk_visit *v, CXCursor c, struct yk_syntax_decl *d)
{
    int n = clang_Cursor_getNumArguments(c);
    d->param = v->s->params.n;
    for (int i = 0; i < n && !v->memory; i++) {
        CXCursor p = clang_Cursor_getArgument(c, (unsigned)i);
        struct yk_syntax_param param = {0};
        CXString name = clang_getCursorSpelling(p);
        size_t len = strlen(clang_getCString(name));
        if (yk_visit_range(v, p, &param.begin, &param.end) &&
            yk_visit_offset(v, clang_getCursorLocation(p), &param.name) && param.name >= param.begin &&
            param.name + len <= param.end && !strncmp(v->text + param.name, clang_getCString(name), len))
            param.name_len = len;
        clang_disposeString(name);
        v->memory |= !yk_array_push(&v->s->params, param);
        d->nparams++;
    }
}

static void declaration(struct yk_visit *v, CXCursor c)
{
    size_t at;
    if (!yk_visit_offset(v, clang_getCursorLocation(c), &at))
        return; /* of the compiler's header */
    struct yk_syntax_decl d = {.function = function_of(v, c)};
    if (d.function < 0)
        return;
    struct yk_syntax_function *f = &v->s->functions.v[d.function];
    if (is_builtin_name(v, f->name)) {
        problem(v, yk_arena_printf(v->a, "declares %s itself", f->name));
        return;
    }
    if (!parameters(v, at, strlen(f->name), &d)) {
        problem(v, yk_arena_printf(v->a, "declares %s in a way that yoke cannot rewrite", f->name));
        return;
    }
    f->defined |= clang_isCursorDefinition(c);
    d.name = at;
    list_parameters(v, c, &d);
    if (clang_isCursorDefinition(c))
        body_of(v, c, &d);
    v->memory |= !yk_array_push(&v->s->decls, d);
}

/* The value of a constant dimension: 0..3, or -1. */
static int constant(CXCursor arg)
{
    CXEvalResult r = clang_Cursor_Evaluate(arg);
    int dim = -1;
    if (r && clang_EvalResult_getKind(r) == CXEval_Int) {
        unsigned long long x = clang_EvalResult_isUnsignedInt(r)
                                   ? clang_EvalResult_getAsUnsigned(r)
                                   : (unsigned long long)clang_EvalResult_getAsLongLong(r);
        dim = x < 3 ? (int)x : 3;
    }
    if (r)
        clang_EvalResult_dispose(r);
    return dim;
}

static yk_hidden_set needs_of(const struct yk_syntax_call *c)
{
    if (c->linear)
        return YK_HIDDEN_BIT(YK_HIDDEN_GLOBAL_SIZE, 0) | YK_HIDDEN_BIT(YK_HIDDEN_GLOBAL_SIZE, 1) |
               7u << YK_HIDDEN_GLOBAL_OFFSET * 3;
    if (c->dim < 0)
        return 7u << c->kind * 3;
    return c->dim < 3 ? YK_HIDDEN_BIT(c->kind, c->dim) : 0;
}

static enum CXChildVisitResult first_child(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

static void call(struct yk_visit *v, CXCursor c)
{
    CXCursor decl = clang_getCursorReferenced(c), callee = clang_getNullCursor();
    struct yk_syntax_call k = {.caller = v->function, .callee = -1, .nargs = (unsigned)clang_Cursor_getNumArguments(c)};
    if (clang_getCursorKind(decl) != CXCursor_FunctionDecl)
        return;
    /* By name: clang places the declaration of a built-in where it is first used. */
    CXString name = clang_getCursorSpelling(decl);
    int i = 0;
    while (i < v->nbuiltins && strcmp(builtins[i].name, clang_getCString(name)))
        i++;
    bool number = !k.nargs && !strncmp(clang_getCString(name), "__builtin_", strlen("__builtin_"));
    clang_disposeString(name);
    if (number) /* what clang's headers make of INFINITY and HUGE_VAL: the text has the name, and they need nothing */
        return;
    if (i < v->nbuiltins) {
        k.kind = builtins[i].kind;
        k.linear = builtins[i].linear;
        k.dim = k.linear || !k.nargs ? -1 : constant(clang_Cursor_getArgument(c, 0));
    } else {
        k.callee = function_of(v, decl); /* other built-ins too: they need nothing */
    }
    clang_visitChildren(c, first_child, &callee);
    if (v->function < 0 || clang_Cursor_isNull(callee) || !yk_visit_range(v, c, &k.begin, &k.end) ||
        !yk_visit_range(v, callee, &k.name_begin, &k.name_end) || v->text[k.end - 1] != ')') {
        problem(v, "calls a function where yoke cannot rewrite it");
        return;
    }
    if (k.callee >= 0)
        yk_visit_call(v, c, k.callee, v->s->functions.v[k.callee].name, k.name_begin, k.name_end);
    struct yk_syntax_function *f = &v->s->functions.v[v->function];
    if (k.callee < 0)
        f->needs |= needs_of(&k);
    else
        v->memory |= !yk_array_push(&f->callees, k.callee);
    v->memory |= !yk_array_push(&v->s->calls, k);
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct yk_visit *v = data;
    if (v->memory)
        return CXChildVisit_Break;
    if (clang_getCursorKind(c) == CXCursor_FunctionDecl) {
        declaration(v, c);
        int outer = v->function;
        size_t at;
        v->function = yk_visit_offset(v, clang_getCursorLocation(c), &at) ? function_of(v, c) : -1;
        if (v->function >= 0 || v->memory)
            clang_visitChildren(c, visit, v);
        v->function = outer;
        return CXChildVisit_Continue;
    }
    if (v->locals)
        yk_visit_local(v, c);
    if (clang_getCursorKind(c) == CXCursor_CallExpr)
        call(v, c);
    else
        yk_visit_store(v, c, parent);
    return CXChildVisit_Recurse;
}

/* What is needed by whoever is called is needed too. */
static void spread(struct yk_syntax *s)
{
    for (size_t i = 0; i < s->given.n; i++) /* built-ins that may write */
        if (!s->functions.v[s->given.v[i].callee].defined)
            s->functions.v[s->given.v[i].function].odd = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->functions.n; i++) {
            struct yk_syntax_function *f = &s->functions.v[i];
            for (size_t k = 0; k < f->callees.n; k++) {
                const struct yk_syntax_function *g = &s->functions.v[f->callees.v[k]];
                yk_hidden_set n = f->needs | g->needs;
                changed |= n != f->needs || (g->stores && !f->stores) || (g->odd && !f->odd);
                f->needs = n;
                f->stores |= g->stores;
                f->odd |= g->odd;
            }
        }
    }
}

static const char *first_error(struct yk_visit *v)
{
    for (unsigned i = 0, n = clang_getNumDiagnostics(v->unit); i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(v->unit, i);
        const char *text =
            clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error ? keep(v, clang_getDiagnosticSpelling(d)) : NULL;
        clang_disposeDiagnostic(d);
        if (text)
            return text;
    }
    return NULL;
}

yk_status yk_syntax_parse(const struct yk_front *f, const char *text, size_t size, enum yk_syntax_wanted wanted,
                          struct yk_arena *a, struct yk_syntax *s)
{
    *s = (struct yk_syntax){.problem = NULL};
    struct yk_visit v = {.s = s,
                         .a = a,
                         .text = text,
                         .size = size,
                         .nbuiltins = wanted == YK_SYNTAX_ALL ? NBUILTINS : NBUILTINS_BOXES,
                         .locals = wanted == YK_SYNTAX_ALL,
                         .function = -1};
    const char *std = yk_arena_printf(a, "-cl-std=CL%u.%u", f->std / 100, f->std / 10 % 10);
    const char *args[40] = {"-x",
                            "cl",
                            std,
                            "-target",
                            f->address_bits == 32 ? "spir-unknown-unknown" : "spir64-unknown-unknown",
                            "-w",
                            "-Xclang",
                            "-finclude-default-header",
                            "-Xclang",
                            "-fdeclare-opencl-builtins",
                            "-resource-dir",
                            YK_CLANG_RESOURCES,
                            "-isystem",
                            YK_CLANG_RESOURCES "/include"};
    int nargs = 14;
    for (const char *const *w = yk_front_features; f->std >= 300 && *w; w++)
        args[nargs++] = *w;
    char *read = f->assembly ? yk_arena_strndup(a, text, size) : NULL;
    if (read) {
        args[nargs++] = YK_ASSEMBLY_OPTION;
        yk_assembly_any_register(read, size);
    }
    if (f->options.single_constants) /* which overload a constant is for may depend on it */
        args[nargs++] = "-cl-single-precision-constant";
    static const char name[] = "/yoke/program.cl";
    struct CXUnsavedFile file = {name, read ? read : text, (unsigned long)size};
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode e =
        clang_parseTranslationUnit2(index, name, args, nargs, &file, 1, CXTranslationUnit_None, &v.unit);
    if (!std || !index || (f->assembly && !read))
        v.memory = true;
    else if (e != CXError_Success)
        problem(&v, "libclang cannot parse it");
    else {
        const char *error = first_error(&v);
        v.file = clang_getFile(v.unit, name);
        if (error)
            problem(&v, yk_arena_printf(a, "libclang does not take it: %s", error));
        else
            clang_visitChildren(clang_getTranslationUnitCursor(v.unit), visit, &v);
        clang_disposeTranslationUnit(v.unit);
    }
    clang_disposeIndex(index);
    spread(s);
    if (!v.memory)
        return YK_OK;
    yk_syntax_finish(s);
    return YK_ENOMEM;
}

void yk_syntax_finish(struct yk_syntax *s)
{
    for (size_t i = 0; i < s->functions.n; i++)
        yk_array_finish(&s->functions.v[i].callees);
    yk_array_finish(&s->functions);
    yk_array_finish(&s->decls);
    yk_array_finish(&s->params);
    yk_array_finish(&s->calls);
    yk_array_finish(&s->stores);
    yk_array_finish(&s->given);
    yk_array_finish(&s->locals);
    yk_array_finish(&s->uses);
}
