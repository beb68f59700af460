/* Merged variants: the preprocessed source in which a kernel runs the work-groups of many launches, and the one in
 * which one kernel runs those of all, as facts_merged.h describes. Called by program.c. */
#ifndef YK_TRANSFORM_MERGING_H
#define YK_TRANSFORM_MERGING_H

#include "transform/facts.h"
#include "transform/facts_merged.h"
#include "transform/front.h"
#include "transform/rewrite.h"

/* What is being made, and the parts that both kinds of program have. For merging.c and mixing.c. */
struct yk_merging {
    struct yk_rewriter r;
    struct yk_arena *a;
    const char *p;   /* r.prefix */
    const char *tag; /* of what lies at file scope: the text's own, so that linking two programs meets no name twice */
    bool *left_out;  /* per function: a kernel that is not in this program; its body is empty */
};

/** Text [BEGIN, END) of the program. */
const char *yk_merging_text(struct yk_merging *m, size_t begin, size_t end);
/** The facts of the kernel called NAME, or NULL. */
struct yk_facts_kernel *yk_merging_kernel(const struct yk_merging *m, const char *name);
/** What stands before the program: the answers about the range, and what picks a buffer. NULL: no memory. */
const char *yk_merging_preamble(struct yk_merging *m);
/** Statements that find the group's record and what it says of the range, from parameter t (the table). ASKS: also h,
 * from which the range's questions are answered. */
const char *yk_merging_record(struct yk_merging *m, bool asks);
/** TEXT and the kernel's own parameters that its record holds, as variables. */
const char *yk_merging_variables(struct yk_merging *m, const struct yk_syntax_decl *d, const struct yk_facts_kernel *k,
                                 const struct yk_merged_layout *l, const char *text);
/** Edits: helper D is handed h if it asks; and the calls of all functions that are not left out hand it on. */
void yk_merging_helper(struct yk_merging *m, const struct yk_syntax_decl *d);
void yk_merging_calls(struct yk_merging *m);
/** Edits: D, a kernel, does nothing. */
void yk_merging_leave_out(struct yk_merging *m, const struct yk_syntax_decl *d);
/** All edits made, if that parses; *TEXT NULL: not so. TOP: what stands before. Errors: YK_ENOMEM. */
yk_status yk_merging_apply(struct yk_merging *m, const char *top, const char **text, size_t *size);

/** The mixed program of M's kernels that need_variant, into the facts; kernels that are in it become mixed. M has no
 * edits. Errors: YK_ENOMEM. */
yk_status yk_mixing_make(struct yk_merging *m);

/**
 * Fill FACTS' variant source with the merged kernels, each by its own name; kernels that have one get needs_variant.
 * Where none can be made there is no variant source; the mixed source is there where two kernels or more can be mixed.
 * Owns: all in FACTS' arena. Errors: YK_ENOMEM. Cost: three parses.
 */
yk_status yk_merging_make(const struct yk_front *f, struct yk_facts *facts);

#endif
