/* What is known of a program's kernels: the record that yoke-transform prints, as C structs. The shim reads it to
 * decide how a launch may be split; the transformer writes it (record.c). The record is untrusted input: it may come
 * from a damaged cache file or a program that went wrong. Never calls OpenCL, opens no file, keeps no global. */
#ifndef YK_TRANSFORM_FACTS_H
#define YK_TRANSFORM_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/status.h"
#include "transform/facts_symbols.h"

#define YK_FACTS_VERSION 3 /* of the record; a record of another version is refused */

enum yk_arg_kind {
    YK_ARG_VALUE,    /* by value, `size` bytes */
    YK_ARG_GLOBAL,   /* pointer to __global: a buffer */
    YK_ARG_CONSTANT, /* pointer to __constant: a buffer that is only read */
    YK_ARG_LOCAL,    /* pointer to __local: clSetKernelArg gives a size */
    YK_ARG_IMAGE,
    YK_ARG_SAMPLER,
    YK_ARG_PIPE,
    YK_ARG_OTHER, /* queue, event, reserved types: the kernel runs whole */
    YK_ARG_KIND_COUNT
};

#define YK_MERGE_PREFIX "yk_merge_" /* of the merge program's kernels */

enum yk_verdict {
    YK_VERDICT_WHOLE, /* `reason` says why */
    YK_VERDICT_SPLIT, /* work-groups may run anywhere; writes nothing that must be put together, or exact regions only
                       */
    YK_VERDICT_MERGE, /* the same, but partial outputs must be merged */
    YK_VERDICT_REDUCTION, /* the same, and atomics whose results are not used: each device has its own, which are
                             combined */
    YK_VERDICT_COUNT
};

/* Hidden trailing arguments of a variant, each a ulong for one dimension; their order is that of `hidden`. */
enum yk_hidden_kind {
    YK_HIDDEN_GROUP_OFFSET,  /* first group id of the box in the full range minus what get_group_id gives there (0) */
    YK_HIDDEN_NUM_GROUPS,    /* of the full range */
    YK_HIDDEN_GLOBAL_SIZE,   /* of the full range, work-items; 1 in dimensions the range lacks */
    YK_HIDDEN_GLOBAL_OFFSET, /* the app's own; 0 where it gave none */
    YK_HIDDEN_KIND_COUNT
};

enum yk_atomic_op {                         /* bits of yk_facts_arg.atomic_ops */
                    YK_ATOMIC_ADD = 1 << 0, /* add, sub, inc, dec */
                    YK_ATOMIC_AND = 1 << 1,
                    YK_ATOMIC_OR = 1 << 2,
                    YK_ATOMIC_XOR = 1 << 3,
                    YK_ATOMIC_MIN = 1 << 4,
                    YK_ATOMIC_MAX = 1 << 5,
                    YK_ATOMIC_XCHG = 1 << 6,
                    YK_ATOMIC_CMPXCHG = 1 << 7,
                    YK_ATOMIC_LOAD = 1 << 8,
                    YK_ATOMIC_STORE = 1 << 9,
                    YK_ATOMIC_FLOAT = 1 << 10, /* on a floating-point object, besides the bit of the operation */
                    YK_ATOMIC_ALL = (1 << 11) - 1
};

/* Static instruction counts, for a time model. */
enum yk_count_class {
    YK_COUNT_INT,
    YK_COUNT_INT_DIV, /* division and remainder */
    YK_COUNT_FLOAT,
    YK_COUNT_FLOAT_DIV,
    YK_COUNT_DOUBLE,
    YK_COUNT_BUILTIN, /* mathematical functions */
    YK_COUNT_LOAD_GLOBAL,
    YK_COUNT_STORE_GLOBAL,
    YK_COUNT_LOAD_LOCAL,
    YK_COUNT_STORE_LOCAL,
    YK_COUNT_LOAD_CONSTANT,
    YK_COUNT_PRIVATE, /* loads and stores of private arrays */
    YK_COUNT_IMAGE,
    YK_COUNT_ATOMIC,
    YK_COUNT_BARRIER,
    YK_COUNT_BRANCH,
    YK_COUNT_LOOP,
    YK_COUNT_LOOP_DEPTH, /* deepest nesting */
    YK_COUNT_CLASS_COUNT
};

struct yk_facts_arg {
    const char *name, *type; /* "" where the compiler did not tell */
    enum yk_arg_kind kind;
    uint32_t size;                  /* VALUE: bytes that clSetKernelArg expects; else 0 */
    bool read, written;             /* by any access, atomics included; may be over-approximated */
    bool plain_read, plain_written; /* by accesses that are not atomic */
    bool is_volatile, is_const, is_restrict;
    bool atomic;          /* touched by atomics: */
    uint32_t atomic_ops;  /* enum yk_atomic_op, or'ed */
    bool atomic_used;     /* the result of one is used */
    bool reduces;         /* touched by atomics alone, of integers, of operations that commute, no result used */
    bool inexact_written; /* some value stored there is inexact */
    bool bounded;         /* all accesses through it are among the kernel's `access`; else it may touch every byte */
};

struct yk_facts_hidden {
    enum yk_hidden_kind kind;
    unsigned dim; /* 0..2 */
};

struct yk_facts_kernel {
    const char *name;
    enum yk_verdict verdict;
    const char *reason; /* WHOLE: why, in words of a user; else "" */
    unsigned nargs;     /* the app's own */
    struct yk_facts_arg *arg;
    bool needs_variant; /* launch it from the variant program, with nhidden (maybe 0) more arguments after nargs; where
                           that program does not build on a device, the kernel runs whole, from the app's own */
    unsigned nhidden;
    struct yk_facts_hidden *hidden;
    uint32_t reqd_group[3], group_hint[3]; /* 0 0 0 where not given */
    bool local_size_matters; /* the result may depend on the local size: whole where the app left it NULL */
    bool inexact;            /* devices of another numeric class may round differently */
    bool inexact_escapes;    /* an inexact value can reach a branch, an address, an integer or an atomic */
    bool float_arith;        /* adds, multiplies or compares floats: denormals and NaN bits follow the device */
    bool fp64, fp16;
    bool barrier, local_memory; /* local_memory: declared in the kernel, besides LOCAL arguments */
    bool group_functions, sub_groups;
    bool print; /* printf */
    bool images_written, images_read;
    bool enqueues;                                    /* device-side enqueue */
    bool program_scope;                               /* touches variables of program scope that are not constant */
    bool volatile_read, fence, waits, global_atomics; /* signs of communication between work-groups */
    bool mergeable; /* the merge program has a kernel that puts its outputs together: yk_merge_NAME, whose arguments
                       are the app's, the hidden ones, and for each written buffer in turn the other device's output
                       (a pointer to __global) and the buffer's size in bytes (a ulong) */
    bool mixed;     /* the mixed program (facts_merged.h) runs its launches beside other kernels' */
    const char *unmerged; /* why it is not mergeable, in words of a user; "" where it is or nobody asked */
    uint32_t count[YK_COUNT_CLASS_COUNT];
    unsigned nnodes, naccesses, nguards;
    struct yk_facts_node *node;
    struct yk_facts_access *access;
    struct yk_facts_guard *guard;
};

/* A file that the source included, or one that would be included in its place if it existed. A cached record is good
 * only while each of the former still holds these bytes and none of the latter exists. */
struct yk_facts_file {
    const char *path;
    uint64_t hash; /* 0 where absent */
    bool absent;
};

/* What a compiler says of a text whose guards find a macro to be another than was assumed. */
#define YK_GUARD_WORDS "is not what it was taken to be"

struct yk_facts {
    const char *transformer; /* version that wrote it */
    const char *refused;     /* not NULL: the whole program was not understood (nkernels is 0); why */
    unsigned ntargets;
    uint64_t *target_text; /* hash of the preprocessed text per target: equal hash, equal text */
    unsigned nfiles;
    struct yk_facts_file *file;
    unsigned nkernels;
    struct yk_facts_kernel *kernel;
    const char *variant_source;  /* preprocessed, for target 0's text; NULL where no kernel needs a variant */
    size_t variant_size;         /* bytes without the terminating NUL */
    const char *variant_options; /* build options for both: the app's, without those for the preprocessor */
    const char *merge_source;    /* preprocessed too; NULL where no kernel is mergeable */
    size_t merge_size;
    const char *mixed_source; /* preprocessed too; NULL where no kernel is mixed */
    size_t mixed_size;
    struct yk_arena arena; /* everything above */
};

/**
 * Read the record TEXT of N bytes into *OUT (no need to initialise it).
 * Owns:   OUT owns copies; TEXT may go. On error OUT is empty.
 * Thread: any.  Errors: YK_EFORMAT (anything unexpected), YK_ENOMEM.  Cost: one pass.
 */
yk_status yk_facts_parse(const char *text, size_t n, struct yk_facts *out);

/** Release what *F owns; F is empty then. */
void yk_facts_finish(struct yk_facts *f);

/** The kernel called NAME, or NULL. Borrowed from F. Thread: any. Cost: O(kernels). */
const struct yk_facts_kernel *yk_facts_find(const struct yk_facts *f, const char *name);

/** Is some kernel of F to be divided whose results differ where devices round differently? Cost: O(kernels). */
bool yk_facts_inexact(const struct yk_facts *f);

/* Names in the record and in `yoke explain`. Constant; NULL beyond the last. */
const char *yk_arg_kind_name(enum yk_arg_kind k);
const char *yk_verdict_name(enum yk_verdict v);
const char *yk_hidden_kind_name(enum yk_hidden_kind k);
const char *yk_atomic_op_name(unsigned bit);
const char *yk_count_class_name(enum yk_count_class c);

#endif
