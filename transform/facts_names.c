/* The words of the record: enums and flags. */
#include "transform/facts_names.h"

static const char *const arg_kinds[] = {"value", "global", "constant", "local", "image", "sampler", "pipe", "other"};
static const char *const verdicts[] = {"whole", "split", "merge", "reduction"};
static const char *const hiddens[] = {"group_offset", "num_groups", "global_size", "global_offset"};
static const char *const atomics[] = {"add",  "and",     "or",   "xor",   "min",  "max",
                                      "xchg", "cmpxchg", "load", "store", "float"};
static const char *const counts[] = {"int",           "int_div",     "float",        "float_div",  "double",
                                     "builtin",       "load_global", "store_global", "load_local", "store_local",
                                     "load_constant", "private",     "image",        "atomic",     "barrier",
                                     "branch",        "loop",        "loop_depth"};
#define COUNT(a) (sizeof(a) / sizeof *(a))
_Static_assert(COUNT(arg_kinds) == YK_ARG_KIND_COUNT, "a name per kind");
_Static_assert(COUNT(verdicts) == YK_VERDICT_COUNT, "a name per verdict");
_Static_assert(COUNT(hiddens) == YK_HIDDEN_KIND_COUNT, "a name per kind");
_Static_assert(1u << COUNT(atomics) == YK_ATOMIC_ALL + 1, "a name per operation");
_Static_assert(COUNT(counts) == YK_COUNT_CLASS_COUNT, "a name per class");

static const char *name_of(const char *const *names, size_t n, size_t i)
{
    return i < n ? names[i] : NULL;
}

const char *yk_arg_kind_name(enum yk_arg_kind k)
{
    return name_of(arg_kinds, COUNT(arg_kinds), k);
}

const char *yk_verdict_name(enum yk_verdict v)
{
    return name_of(verdicts, COUNT(verdicts), v);
}

const char *yk_hidden_kind_name(enum yk_hidden_kind k)
{
    return name_of(hiddens, COUNT(hiddens), k);
}

const char *yk_atomic_op_name(unsigned bit)
{
    return name_of(atomics, COUNT(atomics), bit);
}

const char *yk_count_class_name(enum yk_count_class c)
{
    return name_of(counts, COUNT(counts), c);
}

#define ARG(field)                                                                                                     \
    {                                                                                                                  \
#field, offsetof(struct yk_facts_arg, field)                                                                   \
    }
const struct yk_facts_flag yk_facts_arg_flags[] = {
    ARG(read),     ARG(written),     ARG(plain_read), ARG(plain_written), ARG(is_volatile),
    ARG(is_const), ARG(is_restrict), ARG(atomic),     ARG(atomic_used),   ARG(inexact_written),
    ARG(bounded),  ARG(reduces),     {NULL, 0}};

#define KERNEL(field)                                                                                                  \
    {                                                                                                                  \
#field, offsetof(struct yk_facts_kernel, field)                                                                \
    }
const struct yk_facts_flag yk_facts_kernel_flags[] = {KERNEL(needs_variant),
                                                      KERNEL(local_size_matters),
                                                      KERNEL(inexact),
                                                      KERNEL(inexact_escapes),
                                                      KERNEL(float_arith),
                                                      KERNEL(fp64),
                                                      KERNEL(fp16),
                                                      KERNEL(barrier),
                                                      KERNEL(local_memory),
                                                      KERNEL(group_functions),
                                                      KERNEL(sub_groups),
                                                      KERNEL(print),
                                                      KERNEL(images_written),
                                                      KERNEL(images_read),
                                                      KERNEL(enqueues),
                                                      KERNEL(program_scope),
                                                      KERNEL(volatile_read),
                                                      KERNEL(fence),
                                                      KERNEL(waits),
                                                      KERNEL(global_atomics),
                                                      KERNEL(mergeable),
                                                      KERNEL(mixed),
                                                      {NULL, 0}};
