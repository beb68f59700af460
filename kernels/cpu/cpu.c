/* The native CPU implementation: which way a bucket goes, and on how many threads. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "kernels/cpu/canon.h"
#include "kernels/cpu/memo.h"
#include "kernels/cpu/panel.h"
#include "kernels/cpu/stream.h"

/* Starting a team costs some microseconds: below this much work one thread is faster. */
static const double SERIAL_OPERATIONS = 1e5;
/* Below this, deciding how to pack costs more than the bucket. */
static const double STREAM_OPERATIONS = 4000;
/* Above this, planning is a small part of it. */
static const double KEPT_OPERATIONS = 1e7;

const struct yk_panel_isa *yk_panel_isa(void)
{
#if defined(__x86_64__)
    static const struct yk_panel_isa *chosen;
    const struct yk_panel_isa *isa = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    if (!isa) {
        const char *most = yk_env_str("YOKE_CPU_ISA", "avx512");
        __builtin_cpu_init();
        isa = &yk_panel_base;
        if (strcmp(most, "base") != 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            isa = &yk_panel_avx2;
            if (strcmp(most, "avx2") != 0 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
                isa = &yk_panel_avx512;
        }
        __atomic_store_n(&chosen, isa, __ATOMIC_RELEASE);
    }
    return isa;
#else
    return &yk_panel_base;
#endif
}

bool yk_panels_pay(const struct yk_bucket *b)
{
    return yk_bucket_operations(b) >= STREAM_OPERATIONS;
}

static int team(const struct yk_bucket *b, int threads)
{
    if (threads <= 0)
        threads = omp_get_max_threads();
    return yk_bucket_operations(b) + yk_bucket_cells(b) < SERIAL_OPERATIONS ? 1 : threads;
}

#define PANELS(real, lanes_per_vector)                                                                                 \
    yk_status yk_panel_##real(const struct yk_panel_isa *isa, struct yk_canon *c, const real *const *in, real *out,    \
                              int threads)                                                                             \
    {                                                                                                                  \
        struct yk_panel_shape s;                                                                                       \
        yk_canon_split(c);                                                                                             \
        yk_status status = yk_panel_shape_init(&s, c, lanes_per_vector, &isa->tile, threads);                          \
        if (status == YK_OK)                                                                                           \
            status = isa->run_##real(&s, in, out, threads);                                                            \
        yk_panel_shape_finish(&s);                                                                                     \
        return status;                                                                                                 \
    }

PANELS(double, YK_PANEL_LANES)
PANELS(float, 2 * YK_PANEL_LANES)

/* A bucket with a plan, kept if it is small. */
#define PLANNED(real, lanes_per_vector)                                                                                \
    static yk_status planned_##real(const struct yk_bucket *b, const real *const *in, real *out, int threads)          \
    {                                                                                                                  \
        const struct yk_panel_isa *isa = yk_panel_isa();                                                               \
        struct yk_memo_key key;                                                                                        \
        bool keep = yk_bucket_operations(b) < KEPT_OPERATIONS && yk_memo_key(&key, b, lanes_per_vector, threads);      \
        const struct yk_cpu_plan *kept = keep ? yk_memo_find(&key) : NULL;                                             \
        if (kept)                                                                                                      \
            return isa->run_##real(&kept->shape, in, out, threads);                                                    \
        struct yk_cpu_plan *plan = calloc(1, sizeof *plan);                                                            \
        if (!plan)                                                                                                     \
            return YK_ENOMEM;                                                                                          \
        yk_status s = yk_canon_init(&plan->canon, b);                                                                  \
        if (s != YK_OK) {                                                                                              \
            free(plan);                                                                                                \
            return s;                                                                                                  \
        }                                                                                                              \
        if (plan->canon.nin == 0 || plan->canon.nin > YK_PANEL_INPUTS) {                                               \
            s = yk_stream_##real(&plan->canon, in, out, threads);                                                      \
            keep = false;                                                                                              \
        } else {                                                                                                       \
            yk_canon_split(&plan->canon);                                                                              \
            s = yk_panel_shape_init(&plan->shape, &plan->canon, lanes_per_vector, &isa->tile, threads);                \
            if (s == YK_OK)                                                                                            \
                s = isa->run_##real(&plan->shape, in, out, threads);                                                   \
        }                                                                                                              \
        if (keep && s == YK_OK)                                                                                        \
            yk_memo_keep(&key, plan);                                                                                  \
        else                                                                                                           \
            yk_cpu_plan_free(plan);                                                                                    \
        return s;                                                                                                      \
    }

PLANNED(double, YK_PANEL_LANES)
PLANNED(float, 2 * YK_PANEL_LANES)

#define CPU(name, real)                                                                                                \
    yk_status name(const struct yk_bucket *b, const real *const *in, real *out, int threads)                           \
    {                                                                                                                  \
        struct yk_canon c;                                                                                             \
        yk_status s = yk_bucket_check(b, NULL, 0);                                                                     \
        if (s != YK_OK)                                                                                                \
            return s;                                                                                                  \
        if (yk_panels_pay(b))                                                                                          \
            return planned_##real(b, in, out, team(b, threads));                                                       \
        s = yk_canon_init(&c, b);                                                                                      \
        if (s != YK_OK)                                                                                                \
            return s;                                                                                                  \
        s = yk_stream_##real(&c, in, out, team(b, threads));                                                           \
        yk_canon_finish(&c);                                                                                           \
        return s;                                                                                                      \
    }

CPU(yk_sumproduct_cpu, double)
CPU(yk_sumproduct_cpu_f, float)

yk_status yk_sumproduct_cpu_log(const struct yk_bucket *b, const double *const *in, double *out, int threads)
{
    struct yk_canon c;
    yk_status s = yk_canon_init(&c, b);
    if (s != YK_OK)
        return s;
    s = yk_stream_log(&c, in, out, team(b, threads));
    yk_canon_finish(&c);
    return s;
}
