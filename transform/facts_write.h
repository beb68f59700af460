/* Writing the record. Called by yoke-transform and tests; libyoke.so only reads it. */
#ifndef YK_TRANSFORM_FACTS_WRITE_H
#define YK_TRANSFORM_FACTS_WRITE_H

#include "transform/facts.h"

/**
 * The record of F as text. Characters that would break a line are written as '?'.
 * Owns: *TEXT is the caller's, free() it. Thread: any. Errors: YK_ENOMEM.
 */
yk_status yk_facts_write(const struct yk_facts *f, char **text, size_t *n);

#endif
