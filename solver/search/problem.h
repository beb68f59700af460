/* A network as the search sees it: leaves (factors) as sets of variables, and what a table costs. Variables of one
 * factor alone ("private") are summed in that leaf before anything else, so they occur in no set. Constant while trees
 * are searched; slicing makes a copy with fewer variables and the same leaves. Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_PROBLEM_H
#define YK_SOLVER_SEARCH_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/status.h"
#include "solver/network.h"
#include "solver/search/bits.h"

enum { YK_NO_VAR = UINT32_MAX };

struct problem {
    const struct yk_network *net;
    uint32_t words, nbits; /* nbits = 64 * words; not every bit is a variable */
    uint32_t nvars;        /* variables in the sets */
    uint32_t nleaves;      /* factors with at least one variable in a set */
    uint32_t *leaf;        /* [nleaves] index of the factor */
    uint64_t *legs;        /* [nleaves * words] */
    double *power;         /* [words * YK_POWERS] */
    double *domain;        /* [nbits], 1 where no variable */
    uint32_t *var;         /* [nbits] the network's variable or YK_NO_VAR */
    uint64_t *sliced;      /* [words] variables fixed by slicing: in no leg */
    double cell_cost;      /* cost of one cell of a result (written, then read), in multiply-adds */
    double cells_max;      /* tables beyond this are penalised; infinite: no bound */
    struct yk_arena arena;
};

/* P of NET; cell_cost and cells_max are the caller's to set. Errors: YK_ENOMEM, P finished. */
yk_status problem_init(struct problem *p, const struct yk_network *net);
void problem_finish(struct problem *p);
/* Fix the variable of bit V: it leaves every set. */
void problem_slice(struct problem *p, uint32_t v);
/* Undo problem_slice of V. */
void problem_unslice(struct problem *p, uint32_t v);
/* For makers of problems: the arrays, zeroed, by words and nleaves; then power from domain (each word of one domain).
 */
bool problem_allocate(struct problem *p);
void problem_fill_powers(struct problem *p);

/* Cost of making and reading a result of CELLS cells, in multiply-adds; a step costs this and its union's cells. Too
 * large a table is worth far more operations to avoid; the slope leads back under the bound. */
YK_INLINE double keep_cost(double cells, double cell_cost, double cells_max)
{
    double c = cell_cost * cells;
    return cells > cells_max ? c + 64 * cells * (cells / cells_max) : c;
}

#endif
