/* Variables that kernels declare in local memory, and where those are used: for programs in which what was a kernel
 * becomes a function, which may not declare any. */
#include <ctype.h>
#include <string.h>
#include "transform/syntax_visit.h"

enum { LOCAL = 2 }; /* clang's address space */

static bool is_local(CXCursor variable)
{
    return clang_getCursorKind(variable) == CXCursor_VarDecl &&
           clang_getAddressSpace(clang_getCursorType(variable)) == LOCAL;
}

struct declared {
    struct yk_visit *v;
    size_t first;    /* of the statement's variables in the list */
    bool any, other; /* some lie in local memory; some do not, or are not understood */
};

static enum CXChildVisitResult note(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct declared *d = data;
    struct yk_visit *v = d->v;
    struct yk_syntax_local l = {.function = v->function};
    if (!is_local(c)) {
        d->other = true;
        return CXChildVisit_Continue;
    }
    d->any = true;
    CXString name = clang_getCursorSpelling(c);
    l.name_len = strlen(clang_getCString(name));
    if (!yk_visit_offset(v, clang_getCursorLocation(c), &l.name) || l.name + l.name_len > v->size || !l.name_len ||
        strncmp(v->text + l.name, clang_getCString(name), l.name_len) != 0)
        d->other = true;
    else
        v->memory |= !yk_array_push(&v->s->locals, l);
    clang_disposeString(name);
    return CXChildVisit_Continue;
}

/* Where the declarator ends that goes on at AT, before END. */
static size_t declarator_end(const struct yk_visit *v, size_t at, size_t end)
{
    int depth = 0;
    for (; at < end; at++) {
        char c = v->text[at];
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (!depth && (c == ',' || c == ';'))
            break;
    }
    return at;
}

/* Is there nothing but space and a comma before a name? Then it needs of the declaration only what all have. */
static bool plain(const struct yk_visit *v, size_t from, size_t name)
{
    for (; from < name; from++)
        if (!isspace((unsigned char)v->text[from]) && v->text[from] != ',')
            return false;
    return true;
}

static void declaration(struct yk_visit *v, CXCursor c)
{
    struct declared d = {.v = v, .first = v->s->locals.n};
    size_t begin, end;
    clang_visitChildren(c, note, &d);
    if (!d.any || v->memory)
        return;
    bool good = !d.other && yk_visit_range(v, c, &begin, &end) && v->text[end - 1] == ';';
    for (size_t i = d.first; i < v->s->locals.n && good; i++) {
        struct yk_syntax_local *l = &v->s->locals.v[i];
        const struct yk_syntax_local *first = &v->s->locals.v[d.first];
        l->begin = begin;
        l->end = end;
        l->specifiers = first->name;
        l->last = declarator_end(v, l->name + l->name_len, end);
        good = l->name > begin && l->last < end;
        if (good && v->s->locals.n - d.first > 1)
            good = i == d.first ? !memchr(v->text + begin, '*', l->name - begin)
                                : l[-1].last < l->name && plain(v, l[-1].last, l->name);
    }
    if (good)
        return;
    v->s->locals.n = d.first;
    v->s->functions.v[v->function].odd_locals = true;
}

static void use(struct yk_visit *v, CXCursor c)
{
    CXCursor variable = clang_getCursorReferenced(c);
    size_t at;
    struct yk_syntax_use u = {.local = 0};
    if (!is_local(variable) || !yk_visit_offset(v, clang_getCursorLocation(variable), &at))
        return;
    while (u.local < v->s->locals.n && v->s->locals.v[u.local].name != at)
        u.local++;
    if (u.local == v->s->locals.n || v->s->locals.v[u.local].function != v->function ||
        !yk_visit_range(v, c, &u.begin, &u.end))
        v->s->functions.v[v->function].odd_locals = true;
    else
        v->memory |= !yk_array_push(&v->s->uses, u);
}

void yk_visit_local(struct yk_visit *v, CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    if (v->function < 0)
        return;
    if (kind == CXCursor_DeclStmt)
        declaration(v, c);
    else if (kind == CXCursor_DeclRefExpr)
        use(v, c);
}
