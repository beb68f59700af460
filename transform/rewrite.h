/* A program's text and the changes that are to be made to it. Called by variant.c, merge.c and merging.c. */
#ifndef YK_TRANSFORM_REWRITE_H
#define YK_TRANSFORM_REWRITE_H

#include "transform/facts.h"
#include "transform/front.h"
#include "transform/syntax.h"

/* Replace text [begin, end) by `text`; inserts have begin == end. */
struct yk_edit {
    size_t begin, end;
    const char *text;
    size_t order; /* of edits at one place */
};

struct yk_rewriter {
    const struct yk_front *f;
    struct yk_facts *facts;
    struct yk_arena *a;
    struct yk_syntax syntax;
    YK_ARRAY(struct yk_edit) edits;
    const char *prefix;                  /* of every name that we add; it occurs nowhere in the program */
    bool choosers[YK_HIDDEN_KIND_COUNT]; /* functions that choose by a dimension known at run time */
    bool memory;                         /* is out */
};

/** A prefix for names that occurs nowhere in R's program, "yk_" where that is so. NULL: memory is out. */
const char *yk_rewrite_prefix(struct yk_rewriter *r);
/** Note one. TEXT lives as long as R's arena; NULL: memory is out. */
void yk_rewrite_edit(struct yk_rewriter *r, size_t begin, size_t end, const char *text);
/** TOP and the text with all edits made, *SIZE bytes of it; NULL where they overlap or memory is out. */
char *yk_rewrite_apply(struct yk_rewriter *r, const char *top, size_t *size);
/** Does TEXT, a rewritten program, parse? Else *PROBLEM says why: a name or an overload that was not foreseen would
 * show here. Errors: YK_ENOMEM. */
yk_status yk_rewrite_check(struct yk_rewriter *r, const char *text, size_t size, const char **problem);
/** The definition called NAME, or NULL. */
const struct yk_syntax_function *yk_rewrite_function(const struct yk_syntax *s, const char *name);

/** Note the edits that hand hidden arguments to all who need them. */
void yk_variant_edits(struct yk_rewriter *r);
/** The functions used that choose by a dimension known at run time, to stand at the top. */
const char *yk_variant_choosers(struct yk_rewriter *r);

/** Write the merge program into R's facts; kernels for which none can be made cease to be mergeable. R's syntax is
 * there. Errors: YK_ENOMEM. */
yk_status yk_merge_make(struct yk_rewriter *r);

#endif
