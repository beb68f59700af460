/* Sum-product as (batched) matrix products over packed panels: the inputs fall into two groups, each group's product is
 * formed block by block while it is packed, and register-blocked kernels multiply the panels. No table larger than a
 * cache is ever made. Called by kernels/cpu only. */
#ifndef YK_KERNELS_CPU_PANEL_H
#define YK_KERNELS_CPU_PANEL_H

#include "kernels/cpu/panel_shape.h"

/* What one instruction set offers: tiles of at most MR x NR vectors (lanes of the second factor: 1 | all). */
struct yk_panel_isa {
    const char *name;
    struct yk_panel_tile tile;
    yk_status (*run_double)(const struct yk_panel_shape *s, const double *const *in, double *out, int threads);
    yk_status (*run_float)(const struct yk_panel_shape *s, const float *const *in, float *out, int threads);
};

extern const struct yk_panel_isa yk_panel_base;
#if defined(__x86_64__)
extern const struct yk_panel_isa yk_panel_avx2, yk_panel_avx512;
#endif

/** The best that this processor runs; YOKE_CPU_ISA=base|avx2|avx512 asks for less. Thread: any. */
const struct yk_panel_isa *yk_panel_isa(void);

/** Has B work enough for a plan of panels to pay? */
bool yk_panels_pay(const struct yk_bucket *b);

/** The bucket C (cut up by yk_canon_split here) with at least one and at most YK_PANEL_INPUTS inputs that are no
 * scalars. Errors: YK_ENOMEM. */
enum { YK_PANEL_INPUTS = 64, YK_PANEL_LANES = 8 /* of a vector of doubles */ };
yk_status yk_panel_double(const struct yk_panel_isa *isa, struct yk_canon *c, const double *const *in, double *out,
                          int threads);
yk_status yk_panel_float(const struct yk_panel_isa *isa, struct yk_canon *c, const float *const *in, float *out,
                         int threads);

#endif
