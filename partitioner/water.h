/* The level of the water: what devices, alone or behind shared links, can do by a time, and the time at which all
 * together can do everything. Who uses it: strategy_waterfill.c. Pure; work-groups are real numbers here. */
#ifndef YK_PARTITIONER_WATER_H
#define YK_PARTITIONER_WATER_H

#include "partitioner/strategy.h"

/* One device with its lines; in and out are straight. */
struct yk_water_taker {
    const struct yk_point *v;
    unsigned n, index;
    double in, in_per, run, out, out_per, merge;
    struct yk_point two[2]; /* of a device without a table */
};

/* Takers of one link, in order; `left_out` is a bit each. */
struct yk_water_group {
    unsigned first, n, number;
    uint32_t left_out;
    double share; /* the first share at the last level: where the next search begins */
};

struct yk_water {
    struct yk_water_taker taker[YK_SPLIT_MAX];
    struct yk_water_group group[YK_SPLIT_MAX];
    double groups[YK_SPLIT_MAX]; /* by taker, at the last level */
    unsigned ntakers, ngroups;
    double total;
};

/** Time of X work-groups of T with A + B * X on top; *PER: of one more. */
double yk_water_rise(const struct yk_water_taker *t, double x, double a, double b, double *per);

/** The most work-groups that T does by MS with its link to itself; 0: none. *PER: how many more a ms more brings. */
double yk_water_alone(const struct yk_water_taker *t, double ms, double *per);

/** What group G can do by MS, by taker into W->groups; returns the sum. *PER as above. */
double yk_water_group(struct yk_water *w, struct yk_water_group *g, double ms, double *per);

/** The same for all groups together. */
double yk_water_all(struct yk_water *w, double ms, double *per);

/** The time at which all of W->total is done, between 0 and HIGH; begins at GUESS. W->groups holds the shares then.
 * Cost: some ten times all devices. */
double yk_water_level(struct yk_water *w, double high, double guess);

#endif
