/* Along which dimension a launch is cut: what each choice costs. Who uses it: the shim (queue/cut.c, which knows where
 * bytes are), `yoke explain`, tests. Pure. */
#ifndef YK_TRANSFORM_FACTS_CUT_H
#define YK_TRANSFORM_FACTS_CUT_H

#include "transform/facts_regions.h"

/* All shares together. */
struct yk_cut_cost {
    uint64_t bytes;   /* to be brought; twice those that a share may have written, which are compared afterwards */
    uint64_t pieces;  /* contiguous runs of bytes that the shares write, or, of what they compare, one each */
    uint64_t fetched; /* and that must be brought */
    uint64_t boxes;   /* launches */
};

/** Cost as one number, in bytes. SAME_MEMORY: the devices work in one memory, where a piece costs no transfer but a
 * shared cache line. */
uint64_t yk_cut_weigh(const struct yk_cut_cost *c, bool same_memory);

/** R cut for TAKERS as evenly as its grain allows: work-groups [*FROM, *TO) for number I. May be empty. */
void yk_cut_even(const struct yk_range *r, unsigned takers, unsigned i, uint64_t *from, uint64_t *to);

/** Add what touching T costs, of whose bytes LACKS must be brought. */
void yk_cut_add(struct yk_cut_cost *c, const struct yk_region *region, bool write, bool exact, uint64_t lacks);

/**
 * What it costs to cut R evenly for TAKERS that have no byte yet, into *C. REACH is scratch as in yk_reach_share.
 * Errors: YK_ENOMEM. Cost: a few microseconds for each taker.
 */
yk_status yk_cut_evaluate(struct yk_reach *reach, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                          const struct yk_range *r, unsigned takers, struct yk_cut_cost *c);

/** The cheapest dimension of R by COST[dims]; among equals the last. */
unsigned yk_cut_best(const struct yk_range *r, const struct yk_cut_cost *cost, bool same_memory);

#endif
