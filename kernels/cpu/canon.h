/* A bucket as loops: variables of domain 1 dropped, variables that lie side by side in the same tables merged into one,
 * scalars set apart, each (table, variable) a stride. Made by kernels/cpu once per bucket; never sees values. */
#ifndef YK_KERNELS_CPU_CANON_H
#define YK_KERNELS_CPU_CANON_H

#include <stddef.h>
#include <stdint.h>
#include "kernels/sumproduct.h"

struct yk_canon {
    uint32_t rank, nout; /* variables 0..nout-1 are the output's, in its order; nout..rank-1 are summed */
    uint64_t domain[YK_BUCKET_MAX_RANK];
    uint32_t nin;     /* inputs that are no scalars */
    uint32_t nscalar; /* the others */
    uint32_t *input;  /* [ninputs] the bucket's index of each, scalars last */
    int64_t *stride;  /* [(nin + 1) * YK_BUCKET_MAX_RANK] cells; row nin is the output; 0: not in the table */
};

/** Errors: YK_ENOMEM, YK_EINVAL, YK_ELIMIT; then nothing is owned. */
yk_status yk_canon_init(struct yk_canon *c, const struct yk_bucket *b);
void yk_canon_finish(struct yk_canon *c);

/** Cut each variable of more than 64 states, where it has a divisor in [16, 64], into a slow and a fast one: so that
 * one huge merged variable does not fill a whole block of a table by itself. */
void yk_canon_split(struct yk_canon *c);

static inline int64_t *yk_canon_stride(const struct yk_canon *c, uint32_t table)
{
    return c->stride + (size_t)table * YK_BUCKET_MAX_RANK;
}

/** From TABLE's first cell to behind its last. */
static inline size_t yk_canon_cells(const struct yk_canon *c, uint32_t table)
{
    size_t cells = 1;
    for (uint32_t v = 0; v < c->rank; v++)
        cells += (size_t)yk_canon_stride(c, table)[v] * (c->domain[v] - 1);
    return cells;
}

#endif
