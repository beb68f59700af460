/* Which macros a device's compiler shows to a program, and which of them a program looks at. Called by front.c. */
#ifndef YK_TRANSFORM_MACROS_H
#define YK_TRANSFORM_MACROS_H

#include "transform/client.h"
#include "transform/options.h"

struct yk_macro {
    const char *name, *value;
};

struct yk_macros {
    struct yk_macro *v;
    size_t n;
};

/** The OpenCL C version to compile for: -cl-std, else what the specification makes of the device's. 100 ... 300. */
unsigned yk_macros_std(const struct yk_options *o, const struct yk_transform_target *t);

/**
 * The macros of T. Those that a device's header defines for the program's text (M_PI, CLK_...) stand for themselves:
 * `#ifdef` sees them, and the text keeps their names. Owns: all in A. Errors: YK_ENOMEM.
 */
yk_status yk_macros_of_target(const struct yk_transform_target *t, const struct yk_options *o, struct yk_arena *a,
                              struct yk_macros *out);

/* Identifiers of a program's texts: its source, the files that it includes. */
struct yk_names;
struct yk_names *yk_names_create(void);
void yk_names_destroy(struct yk_names *n);
/** Take in the identifiers of TEXT (SIZE bytes). Errors: YK_ENOMEM. */
yk_status yk_names_add(struct yk_names *n, const char *text, size_t size);
/** Does NAME occur, or may it be pasted together? */
bool yk_names_has(const struct yk_names *n, const char *name);
/** Does a condition test a macro that only a device's own compiler may define, and that is not among KNOWN? */
bool yk_names_riddle(const struct yk_names *n, const struct yk_macros *known, const struct yk_options *o);
/**
 * Lines that stop a compiler to which any macro tested by the program's conditions is other than we took it to be:
 * KNOWN, or not defined. Owns: in A. NULL where memory is out.
 */
const char *yk_names_guards(const struct yk_names *n, const struct yk_macros *known, const struct yk_options *o,
                            struct yk_arena *a);

#endif
