/* What the files of `yoke solve` share: the settings made of its options, and what each of them does. */
#ifndef YK_CLI_SOLVE_WORK_H
#define YK_CLI_SOLVE_WORK_H

#include <jansson.h>
#include "solver/solve.h"

struct solve_settings {
    const char *network, *evidence, *pedigree, *loci, *theta, *json, *devices;
    bool quiet;
    struct yk_solve_options options;
};

/* solve_output.c. solve_print_json returns why writing failed, else NULL. */
void solve_print_uai(const struct yk_solve_result *r, bool marginals);
const char *solve_print_json(const char *path, const struct solve_settings *set, const struct yk_network *net,
                             const struct yk_solve_result *r);
/* O to PATH, - is standard output; takes O over. Returns why that failed, else NULL. */
const char *solve_write_json(const char *path, json_t *o);
/* What was done, on standard error. */
void solve_print_summary(const struct solve_settings *set, const struct yk_network *net,
                         const struct yk_solve_result *r);

/* "yoke solve: MSG" on standard error; returns the exit status. */
int solve_failed(const char *msg);

/* solve_pedigree.c: likelihoods and LOD scores. solve_parse_thetas: false if TEXT is no list of fractions; VALUES ends
 * with free. */
int solve_run_pedigree(struct solve_settings *set);
bool solve_parse_thetas(const char *text, double **values, size_t *n);

/* solve_progress.c: a line on the terminal, Ctrl-C. */
void solve_progress_begin(struct solve_settings *set);
void solve_progress_end(void);
bool solve_interrupted(void);

#endif
