/* Identifiers of a program's texts, and what its conditions ask for: which macros it looks at, and whether what we took
 * for their values may be trusted. Called by front.c and included.c. */
#ifndef YK_TRANSFORM_NAMES_H
#define YK_TRANSFORM_NAMES_H

#include "transform/macros.h"

#define YK_NAMES_C_VERSION "__OPENCL_C_VERSION__"

/* Of the source and the files that it includes. One thread at a time. */
struct yk_names;
/** NULL: no memory. */
struct yk_names *yk_names_create(void);
/** NULL: nothing happens. */
void yk_names_destroy(struct yk_names *n);
/** Take in the identifiers of TEXT (SIZE bytes). Errors: YK_ENOMEM. */
yk_status yk_names_add(struct yk_names *n, const char *text, size_t size);
/** Does NAME occur, or may it be pasted together? */
bool yk_names_has(const struct yk_names *n, const char *name);
/** Does a condition, or a macro that one may expand, ask for a macro that only a device's own compiler may define, and
 * that is not among KNOWN? */
bool yk_names_riddle(const struct yk_names *n, const struct yk_macros *known, const struct yk_options *o);
/**
 * Lines that stop a compiler to which any macro tested by the program's conditions is other than we took it to be:
 * KNOWN, or not defined. VERSION, where it is not 0, is another OpenCL C version that would do. Owns: in A. NULL where
 * memory is out.
 */
const char *yk_names_guards(const struct yk_names *n, const struct yk_macros *known, const struct yk_options *o,
                            unsigned version, struct yk_arena *a);

#endif
