/* Simplification: a network and evidence in, an equivalent set of smaller connected networks out, with a way back to
 * the original variables. Observed and single-state variables are sliced out, states of probability zero removed (each
 * factor on its own made arc consistent, to a fixpoint), factors contained in others multiplied in, variables that a
 * factor does not depend on dropped from it, variables tied one to one substituted, constants folded. Called by
 * solver/solve.c; never searches for a plan and never makes a table larger than those it was given. */
#ifndef YK_SOLVER_SIMPLIFY_H
#define YK_SOLVER_SIMPLIFY_H

#include <stdbool.h>
#include "solver/network.h"
#include "solver/scaled.h"

enum { YK_VAR_FIXED = -1, YK_VAR_FREE = -2, YK_VAR_SUMMED = -3 };

/* Where an original variable has gone. */
struct yk_simplified_var {
    int32_t part;    /* index of the network; FIXED: only state[0] is left; FREE: in no factor, all of state[] alike;
                        SUMMED: summed out (only without marginals) */
    uint32_t var;    /* variable of that network; several may share one */
    uint32_t n;      /* states left */
    uint32_t *state; /* [n] original state of each state of var */
};

struct yk_simplified {
    size_t nparts;
    struct yk_network *part;   /* connected; every domain >= 2, every variable in a factor */
    struct yk_scaled constant; /* the partition function is constant x the product of the parts' */
    uint32_t nvars;
    struct yk_simplified_var *var;                       /* [nvars] of the original network */
    size_t removed_states, removed_vars, merged_factors; /* what it did, for the log */
    struct yk_arena arena;
};

/**
 * Simplify NET under EV (NULL: none). MARGINALS: keep all that marginals of every variable need; otherwise variables of
 * one factor are summed out at once, repeatedly.
 * Owns:   OUT borrows nothing; ends with yk_simplified_finish (also when constant is 0: then there are no parts).
 * Errors: YK_ENOMEM, OUT empty. Thread: any. Cost: a few passes over all tables.
 */
yk_status yk_simplify(const struct yk_network *net, const struct yk_evidence *ev, bool marginals,
                      struct yk_simplified *out);

void yk_simplified_finish(struct yk_simplified *s);

#endif
