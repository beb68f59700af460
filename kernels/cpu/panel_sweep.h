/* Most buckets of ICS'08's ranges read one table much larger than the others, and each of its cells once or a few
 * times: then what counts is that memory is read in its order, and in blocks that are small enough for the next one to
 * arrive while this one is computed. Pure; used by panel_shape.c. */
#ifndef YK_KERNELS_CPU_PANEL_SWEEP_H
#define YK_KERNELS_CPU_PANEL_SWEEP_H

#include "kernels/cpu/panel_choice.h"

/* Inner states of a block, at most. */
struct yk_panel_caps {
    double b, m, n, k;
};

/** Should the bucket be swept? Then *TABLE is what is swept, and CAP is changed: its fast variables make the blocks,
 * the whole of class CAP.K and of what it is multiplied with in each. TOTAL: states of each class. */
bool yk_panel_sweep(const struct yk_panel_choice *p, const struct yk_canon *c, uint32_t vl, const double *total,
                    struct yk_panel_caps *cap, uint32_t *table);

/** Set S's loops over blocks, of all classes together, in the order of TABLE. */
void yk_panel_sweep_order(struct yk_panel_shape *s, uint32_t table);

#endif
