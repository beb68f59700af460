/* The network while it is being simplified: tables that shrink, merge and die, and what is known of each variable.
 * Shared by the files simplify*.c and by nothing else. */
#ifndef YK_SOLVER_SIMPLIFY_WORK_H
#define YK_SOLVER_SIMPLIFY_WORK_H

#include "base/array.h"
#include "solver/simplify.h"

enum { NO_VAR = UINT32_MAX };

/* Row-major, the last variable fastest; all domains >= 2; largest value in [0.5, 1). */
struct table {
    uint32_t n, *var;
    size_t cells;
    double *v;
    bool dead, queued;
};

struct variable {
    uint32_t n;      /* states left */
    uint32_t *state; /* [n] original states */
    uint32_t alias;  /* tied one to one to this variable (its states run parallel), or NO_VAR */
    uint32_t tied;   /* first of those tied to this one, then along next_tied */
    uint32_t next_tied;
    bool summed;
    YK_ARRAY(uint32_t) in; /* tables that contain it */
};

struct work {
    uint32_t nvars;
    struct variable *var;
    size_t ntables;
    struct table *table;
    struct yk_scaled constant;
    bool marginals, failed; /* failed: out of memory; everything stops */
    YK_ARRAY(uint32_t) queue;
    size_t removed_states, removed_vars, merged_factors;
};

/* simplify_table.c: one table. All keep the scale and set failed where memory is out. */
size_t work_stride(const struct work *w, const struct table *t, uint32_t at); /* of the variable at place AT */
void work_rescale(struct work *w, struct table *t); /* exponent into the constant; dead if 0 */
void work_take_slices(struct work *w, struct table *t, uint32_t at, const uint32_t *keep, uint32_t nkeep);
void work_sum_out(struct work *w, struct table *t, uint32_t at);
void work_drop_var(struct work *w, struct table *t, uint32_t at, uint32_t slice); /* keep one slice */
void work_diagonal(struct work *w, struct table *t, uint32_t at, uint32_t other); /* both equal; OTHER leaves */
bool work_depends(const struct work *w, const struct table *t, uint32_t at);
bool work_multiply_into(struct work *w, const struct table *small, struct table *big); /* false: would underflow */
void work_supported(const struct work *w, const struct table *t, unsigned char *const *supported);
bool work_is_bijection(const struct work *w, const struct table *t, uint32_t *to);

/* simplify_rules.c */
void work_run(struct work *w);
void work_enqueue(struct work *w, uint32_t table);
int work_place(const struct table *t, uint32_t var); /* -1: not in it */

#endif
