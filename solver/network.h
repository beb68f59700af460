/* A discrete graphical model in memory: variables with finite domains and factors over them. Made by solver/read_*.c,
 * shrunk by solver/simplify.c, read by the plan search and the evaluation. Constant while a plan is searched or run.
 *
 * A factor's table is row-major over its scope: the last variable of the scope changes fastest (the UAI format's
 * order). Values are linear (not logarithms), non-negative, finite. */
#ifndef YK_SOLVER_NETWORK_H
#define YK_SOLVER_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/status.h"

struct yk_factor {
    uint32_t n;      /* variables in the scope; 0: a constant */
    uint32_t *scope; /* distinct variable ids */
    size_t cells;    /* product of the domains */
    double *value;   /* cells entries */
};

struct yk_network {
    uint32_t nvars;
    uint32_t *domain;         /* [nvars], >= 1 */
    const char **name;        /* [nvars] or NULL: names of the file format */
    const char ***state_name; /* [nvars][domain] or NULL */
    size_t nfactors;
    struct yk_factor *factor;
    bool bayes;            /* factor i is P(last variable of its scope | the others) */
    struct yk_arena arena; /* owns everything above */
};

/** Evidence: observed variables and their states; owns both arrays (free). */
struct yk_evidence {
    size_t n;
    uint32_t *var, *state;
};

/** Release all; NET is empty. */
void yk_network_finish(struct yk_network *net);
void yk_evidence_finish(struct yk_evidence *ev);

#endif
