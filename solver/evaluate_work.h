/* One evaluation under way. Shared by the files evaluate*.c and by nothing else. */
#ifndef YK_SOLVER_EVALUATE_WORK_H
#define YK_SOLVER_EVALUATE_WORK_H

#include "partitioner/tree_batch.h"
#include "solver/evaluate.h"

/* True values are v * 2^e; logarithms have e = 0. */
struct run_table {
    uint32_t n;
    const uint32_t *scope;
    size_t cells;
    void *v;                 /* NULL: on the device alone */
    yk_gpu_memory on_device; /* 0: not there */
    int64_t e;
    bool owned;
    /* linear arithmetic: bounds in log2 of the positive values of v, once BOUNDED; LEAST may lie below the smallest */
    bool bounded;
    double least, most;
};

struct run {
    const struct yk_solver_plan *plan;
    const struct yk_network *net;
    const struct yk_evaluate_options *opt;
    bool dry;    /* count, compute nothing */
    bool keep;   /* forward tables are kept for the way back */
    size_t cell; /* bytes of a cell */
    uint32_t nleaves, nnodes;
    struct run_table *leaf, *forward, *adjoint; /* [nleaves], [nnodes], [nnodes] */
    uint32_t *parent;                           /* [nleaves + nnodes], NO_PARENT for roots */
    uint32_t *local;                            /* [nvars] number in the bucket that is being made, else NO_LOCAL */
    uint32_t *state;                            /* [nvars] of sliced variables, else NO_STATE */
    double now, peak, done, total, slices;
    uint32_t node;                  /* that is being made */
    unsigned *place;                /* [nnodes] enum yk_place_of; NULL: decided bucket by bucket */
    bool forward_node;              /* a table of the forward pass is being made */
    double *ms;                     /* [nnodes][2] dry run: predicted times of forward nodes; NULL: not asked for */
    int threads;                    /* of the machine */
    struct run_small *small;        /* of evaluate_batch.c; NULL: none */
    bool zero;                      /* the table made last is 0 everywhere */
    struct yk_arena arena, scratch; /* scratch: of one bucket */
};

enum { NO_PARENT = UINT32_MAX, NO_LOCAL = UINT32_MAX, NO_STATE = UINT32_MAX };

/* evaluate.c */
yk_status run_init(struct run *r, const struct yk_solver_plan *plan, const struct yk_network *net,
                   const struct yk_evaluate_options *opt, bool keep, bool dry);
void run_finish(struct run *r);
yk_status run_load_slice(struct run *r); /* leaf tables for the states in r->state */
bool run_next_slice(struct run *r);
yk_status run_forward(struct run *r, struct yk_scaled *z); /* one slice; tables are left if r->keep */
struct run_table *run_child(struct run *r, uint32_t child);
yk_status run_step_done(struct run *r, uint32_t step);

/* evaluate_bucket.c: OUT (scope and nothing else filled in) = sum of the product of the N tables IN over all other
 * variables. */
yk_status run_bucket(struct run *r, struct run_table *const *in, uint32_t n, struct run_table *out);
/* The bucket of run_bucket, in r->scratch; the tables' cells are known, OUT's too. */
yk_status run_describe(struct run *r, struct run_table *const *in, uint32_t n, const struct run_table *out,
                       struct yk_bucket *b);
/* Do all products of the tables IN stay in the range of values? Their bounds in log2. */
bool run_products_safe(struct run *r, struct run_table *const *in, uint32_t n, double *least, double *most);
double run_table_cells(const struct run *r, const struct run_table *t);
yk_status run_table_take(struct run *r, struct run_table *t); /* memory for its scope */
/* T as it was computed (linear arithmetic, its least bound known): scaled, and looked at. Errors: YK_ELIMIT. */
yk_status run_table_settle(struct run *r, struct run_table *t, int threads);
void run_table_free(struct run *r, struct run_table *t);
void run_table_set_scalar(struct run *r, struct run_table *t, struct yk_scaled value);
struct yk_scaled run_table_scalar(const struct run *r, const struct run_table *t, size_t cell);

/* evaluate_device.c. run_on_device: errors of yk_gpu_sumproduct; then OUT is not on the device, and the CPU may do it.
 * *MOST: largest value before scaling. */
void run_predict(struct run *r, const struct yk_bucket *b);
bool run_prefers_device(struct run *r, const struct yk_bucket *b, struct run_table *const *in);
yk_status run_on_device(struct run *r, const struct yk_bucket *b, struct run_table *const *in, struct run_table *out,
                        double *most);
yk_status run_table_to_host(struct run *r, struct run_table *t);
void run_table_off_device(struct run *r, struct run_table *t);
yk_status run_device_range(struct run *r, struct run_table *t, double *least, double *most);

/* evaluate_batch.c. run_small_start: the small buckets at the bottom of the forward pass, together on the device: those
 * that are placed so, or all where that pays; a dry run finds and counts them. run_small_take: instead of run_bucket
 * for a node that run_small_has; run_small_taken: after the last. run_small_model: after a dry run, what going together
 * costs; *B is in ARENA. */
yk_status run_small_start(struct run *r);
yk_status run_small_model(const struct run *r, struct yk_arena *arena, struct yk_tree_batch *b);
bool run_small_has(const struct run *r, uint32_t node);
yk_status run_small_take(struct run *r, uint32_t node);
void run_small_taken(struct run *r);
void run_small_finish(struct run *r);

#endif
