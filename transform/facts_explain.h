/* Facts for people. Called by yoke-transform --explain and `yoke explain`; libyoke.so does not link it. */
#ifndef YK_TRANSFORM_FACTS_EXPLAIN_H
#define YK_TRANSFORM_FACTS_EXPLAIN_H

#include <stdio.h>
#include "transform/facts.h"

/** Verdict, facts and variant of F, as lines of text. Thread: any. */
void yk_facts_explain(const struct yk_facts *f, FILE *out);

/** What kernel K touches, a line per access. */
void yk_facts_explain_accesses(FILE *f, const struct yk_facts_kernel *k);

/** How an example launch of K would be cut and its outputs put together, two lines; nothing where it runs whole. */
void yk_facts_explain_example(FILE *f, const struct yk_facts_kernel *k);

/** The same as one JSON object. Errors: YK_EFORMAT: a name is not UTF-8. */
yk_status yk_facts_print_json(const struct yk_facts *f, FILE *out);

#endif
