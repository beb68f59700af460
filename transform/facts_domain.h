/* The values that the variables of a launch's forms take together where conditions hold: those that a condition binds
 * are a bundle, whose sum has a range; all others take each value of theirs. Who uses it: facts_regions.c. Pure;
 * allocates nothing. Facts are read from files: numbers that do not fit in 64 bits are told of, never wrapped. */
#ifndef YK_TRANSFORM_FACTS_DOMAIN_H
#define YK_TRANSFORM_FACTS_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>
#include "transform/facts_form.h"
#include "transform/facts_regions.h"

/* Variables that conditions bind together: u = sum of k*v, which takes every value of [lo, hi]. */
struct yk_bundle {
    unsigned n;
    uint8_t var[YK_FORM_TERMS];
    int64_t k[YK_FORM_TERMS];
    int64_t lo, hi;
    bool dense;
};

/* No condition: n 0, neither loose nor empty. */
struct yk_domain {
    unsigned n;
    struct yk_bundle b[YK_REACH_CONDITIONS]; /* one for each condition at most */
    bool loose;                              /* it may be smaller than the bundles say */
    bool empty;
};

/** CONDITION >= 0, which does not hold for all values of its variables, narrows D. At most YK_REACH_CONDITIONS times.
 */
void yk_domain_narrow(struct yk_domain *d, const struct yk_form_vars *v, const struct yk_form *condition);

/**
 * The numbers that F takes in D: *START plus a sum of strides, into *S. *EXACT becomes false where they may be fewer.
 * False: that does not fit in 64 bits.
 */
bool yk_domain_strides(const struct yk_domain *d, const struct yk_form_vars *v, const struct yk_form *f,
                       struct yk_strides *s, int64_t *start, bool *exact);

/** From where on (downwards, where its factor is negative) variable I of F's terms is such that F >= 0: for *SURE and
 * beyond whatever the others are, up to *POSSIBLE for some of theirs. False: beyond 64 bits. */
bool yk_form_threshold(const struct yk_form_vars *v, const struct yk_form *f, unsigned i, int64_t *sure,
                       int64_t *possible);

/** Least and most of K * x for x in [LO, HI], added to *LEAST and *MOST. False: beyond 64 bits. */
bool yk_form_add_range(int64_t k, int64_t lo, int64_t hi, int64_t *least, int64_t *most);

/** A / BY, rounded down; BY > 0. */
int64_t yk_floor_div(int64_t a, int64_t by);

#endif
