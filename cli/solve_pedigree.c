/* `yoke solve --pedigree`: likelihoods of recombination fractions and LOD scores, as text and as JSON. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "cli/command.h"
#include "cli/solve_work.h"
#include "solver/lod.h"

bool solve_parse_thetas(const char *text, double **values, size_t *n)
{
    YK_ARRAY(double) list = {0};
    bool ok = true;
    for (char *rest; ok; text = rest + 1) {
        double t = strtod(text, &rest);
        ok = rest != text && t >= 0 && t <= 0.5 && (*rest == ',' || *rest == 0) && yk_array_push(&list, t);
        if (!ok || *rest == 0)
            break;
    }
    *values = list.v;
    *n = list.n;
    return ok;
}

static void print_text(const struct yk_pedigree *ped, const struct yk_loci *loci, const struct yk_lod_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct yk_lod_point *p = &r->point[i];
        printf("%sTHETAS", i ? "\n" : "");
        for (uint32_t k = 0; k + 1 < loci->n; k++)
            printf(" %.4g", p->theta[k]);
        printf("\n%-12s %14s %14s %12s\n", "PEDIGREE", "LN LIKE", "LOG10 LIKE", "LOD");
        for (uint32_t f = 0; f < ped->n; f++)
            printf("%-12s %14.6f %14.6f %12.6f\n", ped->family[f].id, p->log10_like[f] * M_LN10, p->log10_like[f],
                   p->score[f]);
        printf("%-12s %14.6f %14.6f %12.6f\n", "TOTALS", p->total * M_LN10, p->total, p->total_score);
        printf("-2 LN(LIKE) %.6g, LOG LIKE DIFFERENCE %.6f\n", -2 * p->total * M_LN10, 2 * p->total_score * M_LN10);
    }
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *point_of(const struct yk_pedigree *ped, const struct yk_loci *loci, const struct yk_lod_point *p)
{
    json_t *theta = json_array(), *families = json_array();
    for (uint32_t k = 0; k + 1 < loci->n; k++)
        json_array_append_new(theta, json_real(p->theta[k]));
    for (uint32_t f = 0; f < ped->n; f++)
        json_array_append_new(families, json_pack("{s:s, s:o, s:o}", "id", ped->family[f].id, "log10_pr",
                                                  number(p->log10_like[f]), "lod", number(p->score[f])));
    return json_pack("{s:o, s:o, s:o, s:o}", "theta", theta, "families", families, "log10_pr", number(p->total), "lod",
                     number(p->total_score));
}

/* log10_pr of the whole: at the first fractions after the reference, those of the locus file. */
static const char *print_json(const char *path, const struct yk_pedigree *ped, const struct yk_loci *loci,
                              const struct yk_lod_result *r)
{
    json_t *points = json_array();
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(points, point_of(ped, loci, &r->point[i]));
    json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:f}}", "task", "LOD", "log10_pr",
                          number(r->point[r->n > 1].total), "points", points, "forecast_bytes",
                          number(r->forecast_bytes), "peak_bytes", number(r->peak_bytes), "operations",
                          number(r->operations), "seconds", "search", r->search_seconds, "run", r->run_seconds);
    return solve_write_json(path, o);
}

static int answer(const struct solve_settings *set, const struct yk_pedigree *ped, const struct yk_loci *loci,
                  const struct yk_lod_result *r)
{
    if (!set->quiet)
        fprintf(stderr, "%s: %u families, %u loci, %zu points; search %.2f s, run %.2f s, peak memory %.1f MB\n",
                set->pedigree, ped->n, loci->n, r->n, r->search_seconds, r->run_seconds, r->peak_bytes * 1e-6);
    const char *why = set->json ? print_json(set->json, ped, loci, r) : NULL;
    if (why) {
        fprintf(stderr, "yoke solve: %s: %s\n", set->json, why);
        return YK_EXIT_FAILED;
    }
    if (!set->json || strcmp(set->json, "-") != 0)
        print_text(ped, loci, r);
    return 0;
}

int solve_run_pedigree(struct solve_settings *set)
{
    char msg[1024] = "";
    struct yk_loci loci;
    struct yk_pedigree ped = {0};
    struct yk_lod_result r = {0};
    double *values = NULL;
    size_t n = 0;
    yk_status st = yk_read_loci(set->loci, &loci, msg, sizeof msg);
    if (st == YK_OK)
        st = yk_read_pedigree(set->pedigree, &loci, &ped, msg, sizeof msg);
    if (st == YK_OK && set->theta)
        solve_parse_thetas(set->theta, &values, &n);
    if (st == YK_OK) {
        solve_progress_begin(set);
        st = yk_lod_run(&ped, &loci, values, n, &set->options, &r, msg, sizeof msg);
        solve_progress_end();
    }
    int status = st == YK_OK ? answer(set, &ped, &loci, &r) : solve_failed(msg);
    free(values);
    yk_lod_result_finish(&r);
    yk_pedigree_finish(&ped);
    yk_loci_finish(&loci);
    return status;
}
