/* What OpenCL C's built-in functions do, as far as splitting cares. A function that is not here is unknown: the kernel
 * that calls it runs whole. Called by the analysis. */
#ifndef YK_TRANSFORM_BUILTINS_H
#define YK_TRANSFORM_BUILTINS_H

#include <stdbool.h>
#include <stdint.h>

enum yk_builtin_class {
    YK_BI_UNKNOWN,
    YK_BI_ID,       /* global ids and sizes: the same however groups are formed */
    YK_BI_LOCAL_ID, /* ids and sizes that depend on the local size */
    YK_BI_BARRIER,
    YK_BI_FENCE,         /* orders memory without waiting */
    YK_BI_ATOMIC,        /* first argument a pointer; op says which */
    YK_BI_EXACT,         /* the same bits everywhere */
    YK_BI_RANGED,        /* exact for operands in a range that nobody checks */
    YK_BI_TEST,          /* the same: a truth value about numbers */
    YK_BI_MINMAX,        /* exact for integers; for floats drivers treat signs of zeros, NaN or bits each their way */
    YK_BI_MOVE,          /* moves values about: select, shuffle */
    YK_BI_MATH,          /* rounds as the device likes */
    YK_BI_MATH_POINTER,  /* the same, with a second result through its last argument */
    YK_BI_SQRT,          /* correctly rounded for double or by a build option */
    YK_BI_LOAD,          /* vload: reads through its last argument */
    YK_BI_STORE,         /* vstore: writes through its last pointer argument */
    YK_BI_STORE_ROUNDED, /* vstore_half without a rounding mode */
    YK_BI_COPY,          /* async_work_group_copy: writes the first pointer, reads the second */
    YK_BI_NOTHING,       /* prefetch, wait_group_events... */
    YK_BI_PRINT,
    YK_BI_IMAGE_READ,
    YK_BI_IMAGE_READ_FLOAT,
    YK_BI_IMAGE_WRITE,
    YK_BI_IMAGE_QUERY,
    YK_BI_GROUP, /* work_group_* */
    YK_BI_SUB_GROUP,
    YK_BI_PIPE,
    YK_BI_ENQUEUE,
    YK_BI_CAST, /* to_global: its argument in another address space */
    YK_BI_SAMPLER
};

struct yk_builtin {
    enum yk_builtin_class class;
    uint32_t op;   /* ATOMIC: enum yk_atomic_op */
    char name[64]; /* as written in the program */
};

/** The built-in that IR calls SYMBOL (mangled or not). Thread: any. */
struct yk_builtin yk_builtin_of(const char *symbol);

#endif
