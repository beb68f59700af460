/* The reference: the definition, word for word, in long double. */
#include "kernels/sumproduct.h"

/* Index into T of the joint state X. */
static size_t offset_of(const struct yk_bucket *b, const struct yk_bucket_table *t, const uint32_t *x)
{
    size_t at = 0;
    for (uint32_t i = 0; i < t->n; i++)
        at = at * b->domain[t->var[i]] + x[t->var[i]];
    return at;
}

/* Next joint state of the N variables VAR, the last fastest; 0 after the last state. */
static int next_state(const struct yk_bucket *b, const uint32_t *var, uint32_t n, uint32_t *x)
{
    while (n--) {
        if (++x[var[n]] < b->domain[var[n]])
            return 1;
        x[var[n]] = 0;
    }
    return 0;
}

void yk_sumproduct_naive(const struct yk_bucket *b, const double *const *in, long double *out)
{
    uint32_t x[YK_BUCKET_MAX_RANK] = {0};
    do {
        long double sum = 0;
        do {
            long double product = 1;
            for (uint32_t i = 0; i < b->ninputs; i++)
                product *= in[i][offset_of(b, &b->input[i], x)];
            sum += product;
        } while (next_state(b, b->sum, b->nsum, x));
        out[offset_of(b, &b->out, x)] = sum;
    } while (next_state(b, b->out.var, b->out.n, x));
}
