/* What a kernel that was never measured may take on a device: a regression tree over what its code looks like and how
 * it is launched, grown from the samples of all kernels whose code is known. Who uses it: profile.c (for the planner),
 * `yoke profile model`. Pure; thread: the caller's.
 * Source: the chapter's section 3.3.1, with instruction counts in place of its list of features. */
#ifndef YK_PROFILER_MODEL_H
#define YK_PROFILER_MODEL_H

#include "profiler/database.h"
#include "profiler/regress.h"

enum { YK_MODEL_COUNTS = 18, YK_MODEL_KERNELS = 8 /* the fewest that a tree is grown from */ };

struct yk_model {
    struct yk_regress tree;
    double factor; /* half of the kernels left out were predicted within it: 2 is from half to twice the time */
    size_t kernels, samples;
};

/** COUNT[YK_MODEL_COUNTS], static counts of instructions (transform/facts.h), as a series of kind YK_SAMPLE_CODE: the
 * classes that occur (numbered from 1) and how often, 16 of them at most. */
void yk_model_code(const uint32_t *count, struct yk_series *out);

/* Series of one database, collected. */
struct yk_model_data;

/** Of whole launches MOST samples are taken over, further ones not. NULL: no memory. */
struct yk_model_data *yk_model_data_new(size_t most);
void yk_model_data_free(struct yk_model_data *d);

/** Take S over if it says something of code or of whole launches. False: no memory. */
bool yk_model_data_add(struct yk_model_data *d, const struct yk_database_key *k, const struct yk_series *s);

/**
 * Grow the tree of DEVICE (as in the database). The error is found by leaving out each quarter of the kernels in turn.
 * Errors: YK_EINVAL (fewer than YK_MODEL_KERNELS kernels), YK_ENOMEM. Cost: 3 ms for 200 samples, 30
 * for 1,000, 300 for 8,000.
 */
yk_status yk_model_train(struct yk_model_data *d, const char *device, struct yk_model *m);

/** Milliseconds for ITEMS work-items in work-groups of LOCAL (1: open) of a kernel with COUNT[YK_MODEL_COUNTS]. */
double yk_model_ms(const struct yk_model *m, const uint32_t *count, double items, double local);

#endif
