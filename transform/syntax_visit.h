/* The walk over libclang's tree, shared by syntax.c (functions and calls), stores.c (what is stored to
 * buffers) and locals.c (variables in local memory). */
#ifndef YK_TRANSFORM_SYNTAX_VISIT_H
#define YK_TRANSFORM_SYNTAX_VISIT_H

#include <clang-c/Index.h>
#include "transform/syntax.h"

struct yk_visit {
    struct yk_syntax *s;
    struct yk_arena *a;
    const char *text;
    size_t size;
    CXTranslationUnit unit;
    CXFile file;
    int nbuiltins; /* of syntax.c's that are looked for */
    int function;  /* whose body we are in, or -1 */
    bool locals;   /* are looked for */
    bool memory;
};

/** Where C stands in the text, [*BEGIN, *END); false where that is not in the text. */
bool yk_visit_range(struct yk_visit *v, CXCursor c, size_t *begin, size_t *end);

/** Note what expression C, which stands in PARENT, stores to a buffer, if anything. */
void yk_visit_store(struct yk_visit *v, CXCursor c, CXCursor parent);
/** The same for call C of CALLEE (a number of the functions, called NAME). */
void yk_visit_call(struct yk_visit *v, CXCursor c, int callee, const char *name, size_t name_begin, size_t name_end);

/** Note what statement or expression C declares in local memory, or uses of that. */
void yk_visit_local(struct yk_visit *v, CXCursor c);

/** Offset of L in the text; false where it lies elsewhere. */
bool yk_visit_offset(struct yk_visit *v, CXSourceLocation l, size_t *at);

#endif
