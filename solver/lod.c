#include "solver/lod.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The values that MLINK would go through. */
static size_t asked_for(const struct yk_loci *loci, double *values)
{
    size_t n = 0;
    if (!loci->varies)
        return 0;
    for (double t = loci->theta[loci->varied]; n == 0 || (t <= loci->finish + 1e-9 && loci->increment > 0);
         t = loci->theta[loci->varied] + (double)n * loci->increment) {
        if (values)
            values[n] = t;
        n++;
    }
    return n;
}

static bool take_points(struct yk_lod_result *out, uint32_t families, uint32_t loci, size_t n)
{
    out->n = n;
    out->point = yk_arena_array(&out->arena, struct yk_lod_point, n);
    for (size_t i = 0; out->point && i < n; i++) {
        struct yk_lod_point *p = &out->point[i];
        p->theta = yk_arena_array(&out->arena, double, loci);
        p->log10_like = yk_arena_array(&out->arena, double, families);
        p->score = yk_arena_array(&out->arena, double, families);
        if (!p->theta || !p->log10_like || !p->score)
            return false;
    }
    return out->point != NULL;
}

static yk_status run_family(const struct yk_family *f, const struct yk_loci *loci, const double *theta,
                            const struct yk_solve_options *opt, struct yk_lod_result *out, double *log10_like,
                            char *msg, size_t nmsg)
{
    struct yk_network net;
    struct yk_solve_result r;
    char why[512] = "";
    yk_status st = yk_pedigree_network(f, loci, theta, &net);
    if (st != YK_OK) {
        snprintf(msg, nmsg, "family %s: %s", f->id,
                 st == YK_ENOMEM ? "not enough memory for its network" : "too many people, loci or alleles");
        return st;
    }
    st = yk_solve(&net, NULL, opt, &r, why, sizeof why);
    if (st != YK_OK)
        snprintf(msg, nmsg, "family %s: %s", f->id, why);
    *log10_like = r.log10_pr;
    out->peak_bytes = fmax(out->peak_bytes, r.peak_bytes);
    out->forecast_bytes = fmax(out->forecast_bytes, r.forecast_bytes);
    out->search_seconds += r.search_seconds;
    out->run_seconds += r.run_seconds;
    out->operations += r.operations;
    yk_solve_result_finish(&r);
    yk_network_finish(&net);
    return st;
}

yk_status yk_lod_run(const struct yk_pedigree *ped, const struct yk_loci *loci, const double *values, size_t n,
                     const struct yk_solve_options *opt, struct yk_lod_result *out, char *msg, size_t nmsg)
{
    *out = (struct yk_lod_result){0};
    uint32_t intervals = loci->n - 1, varied = loci->varies ? loci->varied : intervals ? intervals - 1 : 0;
    if (intervals == 0 && n) {
        snprintf(msg, nmsg, "there is one locus, so no recombination fraction to vary");
        return YK_EINVAL;
    }
    double *asked = NULL;
    if (!values) {
        n = asked_for(loci, NULL);
        asked = yk_arena_array(&out->arena, double, n);
        if (asked)
            asked_for(loci, asked);
        values = asked;
    }
    if (!values || !take_points(out, ped->n, loci->n, n + 1)) {
        snprintf(msg, nmsg, "not enough memory");
        return YK_ENOMEM;
    }
    for (size_t i = 0; i <= n; i++) {
        struct yk_lod_point *p = &out->point[i];
        if (intervals)
            memcpy(p->theta, loci->theta, intervals * sizeof *p->theta);
        if (n)
            p->theta[varied] = i ? values[i - 1] : 0.5;
        for (uint32_t f = 0; f < ped->n; f++) {
            yk_status st = run_family(&ped->family[f], loci, p->theta, opt, out, &p->log10_like[f], msg, nmsg);
            if (st != YK_OK)
                return st;
            p->score[f] = i ? p->log10_like[f] - out->point[0].log10_like[f] : 0;
            p->total += p->log10_like[f];
            p->total_score += p->score[f];
        }
    }
    return YK_OK;
}

void yk_lod_result_finish(struct yk_lod_result *r)
{
    yk_arena_finish(&r->arena);
    *r = (struct yk_lod_result){0};
}
