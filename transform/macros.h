/* Which macros a device's compiler shows to a program. Called by front.c and names.c. */
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

/** The OpenCL C version that compilers take in its place where they go by the device's, as PoCL's does. */
unsigned yk_macros_device_std(const struct yk_transform_target *t);

/**
 * The macros of T. Those that a device's header defines for the program's text (M_PI, CLK_...) stand for themselves:
 * `#ifdef` sees them, and the text keeps their names. Owns: all in A. Errors: YK_ENOMEM.
 */
yk_status yk_macros_of_target(const struct yk_transform_target *t, const struct yk_options *o, struct yk_arena *a,
                              struct yk_macros *out);

/** The value of NAME among M, borrowed; NULL: it is not among them. Cost: a look at each. */
const char *yk_macros_value(const struct yk_macros *m, const char *name);

#endif
