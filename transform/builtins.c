#include "transform/builtins.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transform/assembly.h"
#include "transform/facts.h"

static const struct {
    enum yk_builtin_class class;
    const char *names; /* parted by spaces; a * at the end takes any rest */
} table[] = {
    {YK_BI_ID, "get_global_id get_global_size get_global_offset get_global_linear_id get_work_dim"},
    {YK_BI_LOCAL_ID,
     "get_local_id get_local_size get_enqueued_local_size get_local_linear_id get_group_id get_num_groups"},
    {YK_BI_BARRIER, "barrier work_group_barrier"},
    {YK_BI_FENCE, "mem_fence read_mem_fence write_mem_fence atomic_work_item_fence"},
    {YK_BI_EXACT, "abs abs_diff add_sat sub_sat hadd rhadd clz ctz mad_hi mad_sat mul_hi rotate upsample popcount "
                  "fabs floor ceil trunc rint round copysign fma nan convert_* vec_step"},
    {YK_BI_EXACT, YK_ASSEMBLY_EXACT "*"},
    {YK_BI_RANGED, "mad24 mul24"},
    {YK_BI_TEST,
     "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal "
     "isordered isunordered signbit any all"},
    {YK_BI_MINMAX, "min max clamp fmin fmax sign bitselect"},
    {YK_BI_MOVE, "select shuffle shuffle2"},
    {YK_BI_SQRT, "sqrt"},
    {YK_BI_MATH, "acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt cos cosh cospi erfc erf exp "
                 "exp2 exp10 expm1 "
                 "fdim fmod hypot ilogb ldexp lgamma log log2 log10 log1p logb mad maxmag minmag nextafter pow pown "
                 "powr remainder rootn "
                 "rsqrt sin sinh sinpi tan tanh tanpi tgamma degrees radians mix step smoothstep cross dot distance "
                 "length normalize "
                 "fast_distance fast_length fast_normalize half_* native_*"},
    {YK_BI_MATH, YK_ASSEMBLY_ROUNDED "*"},
    {YK_BI_MATH_POINTER, "fract modf sincos frexp remquo lgamma_r"},
    {YK_BI_LOAD, "vload2 vload3 vload4 vload8 vload16 vload_half* vloada_half*"},
    {YK_BI_STORE, "vstore2 vstore3 vstore4 vstore8 vstore16"},
    {YK_BI_COPY, "async_work_group_copy async_work_group_strided_copy"},
    {YK_BI_NOTHING, "prefetch wait_group_events get_fence"},
    {YK_BI_PRINT, "printf"},
    {YK_BI_IMAGE_READ_FLOAT, "read_imagef read_imageh"},
    {YK_BI_IMAGE_READ, "read_imagei read_imageui"},
    {YK_BI_IMAGE_WRITE, "write_image*"},
    {YK_BI_IMAGE_QUERY, "get_image_*"},
    {YK_BI_GROUP, "work_group_all work_group_any work_group_broadcast work_group_reduce_* work_group_scan_*"},
    {YK_BI_SUB_GROUP, "sub_group_* intel_sub_group_* get_sub_group_* get_num_sub_groups get_enqueued_num_sub_groups "
                      "get_max_sub_group_size"},
    {YK_BI_PIPE, "read_pipe* write_pipe* __read_pipe* __write_pipe* reserve_* commit_* __reserve_* __commit_* "
                 "work_group_reserve_* work_group_commit_* __work_group_reserve_* __work_group_commit_* get_pipe_* "
                 "__get_pipe_*"},
    {YK_BI_ENQUEUE,
     "enqueue_kernel enqueue_marker __enqueue_kernel* get_default_queue ndrange_* retain_event release_event "
     "create_user_event __get_kernel_*"},
    {YK_BI_CAST, "to_global to_local to_private __to_global __to_local __to_private"},
    {YK_BI_SAMPLER, "__translate_sampler_initializer"},
};

/* Operations after "atomic_" or "atom_", without "fetch_" and "_explicit". */
static const struct {
    const char *name;
    uint32_t op;
} atomics[] = {
    {"add", YK_ATOMIC_ADD},
    {"sub", YK_ATOMIC_ADD},
    {"inc", YK_ATOMIC_ADD},
    {"dec", YK_ATOMIC_ADD},
    {"and", YK_ATOMIC_AND},
    {"or", YK_ATOMIC_OR},
    {"xor", YK_ATOMIC_XOR},
    {"min", YK_ATOMIC_MIN},
    {"max", YK_ATOMIC_MAX},
    {"xchg", YK_ATOMIC_XCHG},
    {"exchange", YK_ATOMIC_XCHG},
    {"cmpxchg", YK_ATOMIC_CMPXCHG},
    {"compare_exchange_strong", YK_ATOMIC_CMPXCHG},
    {"compare_exchange_weak", YK_ATOMIC_CMPXCHG},
    {"load", YK_ATOMIC_LOAD},
    {"store", YK_ATOMIC_STORE},
    {"init", YK_ATOMIC_STORE},
    {"flag_test_and_set", YK_ATOMIC_XCHG},
    {"flag_clear", YK_ATOMIC_STORE},
};

/* "_Z3foo..." is foo; anything else is itself. */
static bool plain_name(const char *symbol, char *name, size_t n)
{
    size_t len = strlen(symbol);
    if (!strncmp(symbol, "_Z", 2) && isdigit((unsigned char)symbol[2])) {
        char *end;
        unsigned long k = strtoul(symbol + 2, &end, 10);
        if (k > strlen(end))
            return false;
        symbol = end;
        len = k;
    }
    if (!len || len >= n)
        return false;
    memcpy(name, symbol, len);
    name[len] = 0;
    return true;
}

static bool listed(const char *name, const char *names)
{
    size_t n = strlen(name);
    for (const char *p = names; *p;) {
        size_t k = strcspn(p, " ");
        bool rest = p[k - 1] == '*';
        if (rest ? n >= k - 1 && !memcmp(p, name, k - 1) : n == k && !memcmp(p, name, k))
            return true;
        p += k;
        p += strspn(p, " ");
    }
    return false;
}

static uint32_t atomic_op(const char *name)
{
    char op[64];
    if (!strncmp(name, "atomic_", 7))
        name += 7;
    else if (!strncmp(name, "atom_", 5))
        name += 5;
    else
        return 0;
    if (!strncmp(name, "fetch_", 6))
        name += 6;
    snprintf(op, sizeof op, "%s", name);
    char *tail = strstr(op, "_explicit");
    if (tail)
        *tail = 0;
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
        if (!strcmp(atomics[i].name, op))
            return atomics[i].op;
    return 0;
}

/* vstore_half, vstore_half4_rte, vstorea_half16... */
static enum yk_builtin_class half_store(const char *name)
{
    if (strncmp(name, "vstore_half", 11) && strncmp(name, "vstorea_half", 12))
        return YK_BI_UNKNOWN;
    const char *end = strrchr(name, '_');
    bool mode = !strcmp(end, "_rte") || !strcmp(end, "_rtz") || !strcmp(end, "_rtp") || !strcmp(end, "_rtn");
    return mode ? YK_BI_STORE : YK_BI_STORE_ROUNDED;
}

struct yk_builtin yk_builtin_of(const char *symbol)
{
    struct yk_builtin b = {.class = YK_BI_UNKNOWN};
    if (!plain_name(symbol, b.name, sizeof b.name)) {
        snprintf(b.name, sizeof b.name, "%.60s", symbol);
        return b;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (listed(b.name, table[i].names)) {
            b.class = table[i].class;
            return b;
        }
    b.op = atomic_op(b.name);
    b.class = b.op ? YK_BI_ATOMIC : half_store(b.name);
    return b;
}
