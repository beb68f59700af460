/* Stores to buffers in a program's text. What cannot be taken apart marks its function as odd: no merge kernel is made
 * of kernels that reach it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "transform/syntax_visit.h"

enum { GLOBAL = 1, LOCAL = 2, GENERIC = 5, GLOBAL_DEVICE = 6, GLOBAL_HOST = 7 }; /* clang's address spaces */

struct children {
    CXCursor c[4];
    unsigned n;
};

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct children *k = data;
    if (k->n < 4)
        k->c[k->n] = c;
    k->n++;
    return CXChildVisit_Continue;
}

static struct children children_of(CXCursor c)
{
    struct children k = {.n = 0};
    clang_visitChildren(c, collect, &k);
    return k;
}

static void odd(struct yk_visit *v)
{
    if (v->function >= 0)
        v->s->functions.v[v->function].odd = true;
}

static bool may_be_global(unsigned space)
{
    return space == GLOBAL || space == GENERIC || space == GLOBAL_DEVICE || space == GLOBAL_HOST;
}

/* The text between two expressions without spaces; at most three characters. */
static void between(const struct yk_visit *v, size_t from, size_t to, char out[4])
{
    unsigned n = 0;
    for (; from < to; from++)
        if (!isspace((unsigned char)v->text[from]) && n < 3)
            out[n++] = v->text[from];
    out[n] = 0;
}

/* The lanes that SUFFIX (".xy", ".s01", ".hi") of a vector of N names, as bits; 0: not understood. */
static unsigned lanes_of(const char *suffix, size_t len, unsigned n)
{
    unsigned mask = 0, half = (n == 3 ? 4 : n) / 2;
    char name[20];
    while (len && isspace((unsigned char)*suffix))
        suffix++, len--;
    while (len && isspace((unsigned char)suffix[len - 1]))
        len--;
    if (len < 2 || len >= sizeof name || *suffix != '.')
        return 0;
    memcpy(name, suffix + 1, len - 1);
    name[len - 1] = 0;
    for (unsigned i = 0; i < half; i++) {
        mask |= !strcmp(name, "lo") ? 1u << i : 0;
        mask |= !strcmp(name, "hi") ? 1u << (half + i) : 0;
        mask |= !strcmp(name, "even") ? 1u << (2 * i) : 0;
        mask |= !strcmp(name, "odd") ? 1u << (2 * i + 1) : 0;
    }
    if (mask)
        return n == 3 ? mask & 7 : mask;
    bool numbers = (name[0] == 's' || name[0] == 'S') && name[1];
    for (const char *p = numbers ? name + 1 : name; *p; p++) {
        const char *at = strchr(numbers ? "0123456789abcdef" : "xyzw", tolower((unsigned char)*p));
        const char *color = numbers ? NULL : strchr("rgba", *p);
        if (!at && !color)
            return 0;
        mask |= 1u << (at ? at - (numbers ? "0123456789abcdef" : "xyzw") : color - "rgba");
    }
    return n == 3 ? mask & 7 : mask;
}

/* The place that expression C names: fills the left side of S. False: not one that can be taken apart. */
static bool place(struct yk_visit *v, CXCursor c, struct yk_syntax_store *s)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    if (!yk_visit_range(v, c, &s->left, &s->base_end))
        return false;
    s->left_end = s->base_end;
    if (type.kind == CXType_Record || type.kind == CXType_ConstantArray)
        return false; /* padding is a compiler's own */
    if (type.kind == CXType_ExtVector && clang_getNumElements(type) == 3)
        return false; /* some write four */
    for (;;) {        /* round brackets, then maybe a part of a vector */
        struct children k = children_of(c);
        size_t begin, end;
        if (k.n == 1 && clang_getCursorKind(c) == CXCursor_MemberRefExpr &&
            clang_Cursor_isBitField(clang_getCursorReferenced(c)))
            return false;
        if (k.n != 1 || !yk_visit_range(v, k.c[0], &begin, &end))
            return true;
        CXType inner = clang_getCanonicalType(clang_getCursorType(k.c[0]));
        if (clang_getCursorKind(c) == CXCursor_ParenExpr) {
            c = k.c[0];
            continue;
        }
        if (inner.kind == CXType_ExtVector && begin >= s->left && end < s->left_end && v->text[s->left] != '(') {
            s->of = (unsigned)clang_getNumElements(inner);
            s->lanes = lanes_of(v->text + end, s->left_end - end, s->of);
            s->base_end = end;
            s->of = s->of == 3 ? 4 : s->of;
            return s->lanes != 0;
        }
        return true;
    }
}

static void push(struct yk_visit *v, struct yk_syntax_store *s)
{
    if (v->function < 0)
        return;
    s->function = v->function;
    v->s->functions.v[v->function].stores = true;
    v->memory |= !yk_array_push(&v->s->stores, *s);
}

/* May what stands in PARENT be without a value? In round brackets, casts and the like only the compiler can tell. */
static bool for_nothing(struct yk_visit *v, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(parent);
    if (kind == CXCursor_BinaryOperator) {
        struct children k = children_of(parent);
        size_t begin, end, right, right_end;
        char sign[4] = "";
        if (k.n == 2 && yk_visit_range(v, k.c[0], &begin, &end) && yk_visit_range(v, k.c[1], &right, &right_end))
            between(v, end, right, sign);
        return !strcmp(sign, ",");
    }
    return clang_isStatement(kind)
               ? kind != CXCursor_ReturnStmt
               : kind == CXCursor_ParenExpr || kind == CXCursor_CStyleCastExpr || kind == CXCursor_ConditionalOperator;
}

void yk_visit_store(struct yk_visit *v, CXCursor c, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    struct children k = {.n = 0};
    struct yk_syntax_store s = {.kind = YK_STORE_ASSIGN};
    char sign[4] = "";
    if (kind != CXCursor_BinaryOperator && kind != CXCursor_CompoundAssignOperator && kind != CXCursor_UnaryOperator)
        return;
    k = children_of(c);
    if (k.n < 1 || k.n > 2 || !yk_visit_range(v, c, &s.begin, &s.end) ||
        !yk_visit_range(v, k.c[0], &s.left, &s.left_end))
        return;
    unsigned space = clang_getAddressSpace(clang_getCursorType(k.c[0]));
    if (!may_be_global(space))
        return;
    if (k.n == 2) {
        if (!yk_visit_range(v, k.c[1], &s.right, &s.right_end)) {
            odd(v);
            return;
        }
        between(v, s.left_end, s.right, sign);
        if (kind == CXCursor_BinaryOperator && strcmp(sign, "="))
            return;
    } else {
        between(v, s.begin, s.left, sign);
        if (!sign[0])
            between(v, s.left_end, s.end, sign);
        if (strcmp(sign, "++") && strcmp(sign, "--"))
            return;
        s.kind = YK_STORE_STEP;
    }
    if (space != GLOBAL || !for_nothing(v, parent) || !place(v, k.c[0], &s))
        odd(v);
    else
        push(v, &s);
}

static unsigned pointee_space(CXCursor call, unsigned i)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(call, i)));
    return t.kind == CXType_Pointer ? clang_getAddressSpace(clang_getPointeeType(t)) : 0;
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

void yk_visit_call(struct yk_visit *v, CXCursor c, int callee, const char *name, size_t name_begin, size_t name_end)
{
    unsigned n = (unsigned)clang_Cursor_getNumArguments(c);
    bool global = false;
    for (unsigned i = 0; i < n; i++)
        global |= may_be_global(pointee_space(c, i));
    if (!global || begins(name, "vload") || begins(name, "prefetch") || begins(name, "wait_group_events"))
        return;
    if (begins(name, "async_work_group_")) {
        if (may_be_global(pointee_space(c, 0)))
            odd(v);
        return;
    }
    static const char *const vstore[] = {"vstore2", "vstore3", "vstore4", "vstore8", "vstore16"};
    for (unsigned i = 0; i < sizeof vstore / sizeof *vstore; i++)
        if (!strcmp(name, vstore[i]) && n == 3 && pointee_space(c, 2) == GLOBAL) {
            struct yk_syntax_store s = {.kind = YK_STORE_VECTOR, .left = name_begin, .left_end = name_end};
            s.of = (unsigned)atoi(name + 6);
            push(v, &s);
            return;
        }
    /* A function of the program handles its own; a built-in that writes would not be seen. */
    struct yk_syntax_given given = {v->function, callee};
    if (v->function >= 0)
        v->memory |= !yk_array_push(&v->s->given, given);
}
