/* Likelihoods of recombination fractions and LOD scores of all families of a pedigree file. Called by cli/ and tests.
 */
#ifndef YK_SOLVER_LOD_H
#define YK_SOLVER_LOD_H

#include "solver/pedigree.h"
#include "solver/solve.h"

struct yk_lod_point {
    double *theta;      /* [loci - 1] */
    double *log10_like; /* [families] */
    double *score;      /* [families] LOD: log10_like less that at the reference, 0 there */
    double total, total_score;
};

/* point[0] is the reference: the varied interval at 0.5 (no linkage); without a varied interval, the one point. */
struct yk_lod_result {
    size_t n;
    struct yk_lod_point *point;
    double peak_bytes, forecast_bytes, search_seconds, run_seconds, operations;
    struct yk_arena arena;
};

/**
 * All families at the reference and at each of the N values VALUES of the varied interval (which is that of the locus
 * file, or the last one). VALUES NULL: those that the locus file asks for.
 * Errors: as yk_solve, MSG names the family. OUT ends with yk_lod_result_finish, also after an error.
 */
yk_status yk_lod_run(const struct yk_pedigree *ped, const struct yk_loci *loci, const double *values, size_t n,
                     const struct yk_solve_options *opt, struct yk_lod_result *out, char *msg, size_t nmsg);

void yk_lod_result_finish(struct yk_lod_result *r);

#endif
