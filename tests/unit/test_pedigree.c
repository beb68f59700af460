/* solver/pedigree_network.c: the networks of random families at two loci have the likelihood that Mendel's rules give,
 * computed without a network from all founders' alleles and all choices in all meioses. */
#include <check.h>
#include <math.h>
#include <string.h>
#include "solver/pedigree.h"
#include "solver/solve.h"
#include "tests/unit/main.h"
#include "tests/unit/random_bucket.h"

enum { PEOPLE = 5, FOUNDERS = 2, LOCI = 2, ALLELES = 3 };

struct world {
    struct yk_family family;
    struct yk_person person[PEOPLE];
    uint64_t phenotype[PEOPLE][LOCI][2];
    struct yk_loci loci;
    struct yk_locus locus[LOCI];
    uint32_t order[LOCI];
    double theta, frequency[LOCI][ALLELES], penetrance[LOCI][2 * 6], male[LOCI][2 * ALLELES];
    unsigned char shows[LOCI][ALLELES * 2];
};

static double chance(uint64_t *s)
{
    return random_below(s, 5) ? (double)random_below(s, 1000) / 1000 : random_below(s, 2);
}

static void make_locus(struct world *w, uint32_t l, uint64_t *s)
{
    struct yk_locus *x = &w->locus[l];
    x->type = (enum yk_locus_type)(1 + random_below(s, 3));
    x->alleles = 2 + random_below(s, ALLELES - 1);
    x->frequency = w->frequency[l];
    x->classes = 2;
    x->penetrance = w->penetrance[l];
    x->male_penetrance = w->male[l];
    x->factors = 2;
    x->shows = w->shows[l];
    double sum = 0;
    for (uint32_t a = 0; a < x->alleles; a++)
        sum += w->frequency[l][a] = 1 + random_below(s, 9);
    for (uint32_t a = 0; a < x->alleles; a++)
        w->frequency[l][a] /= sum;
    for (int i = 0; i < 12; i++)
        w->penetrance[l][i] = chance(s);
    for (int i = 0; i < 2 * ALLELES; i++) {
        w->male[l][i] = chance(s);
        w->shows[l][i] = (unsigned char)random_below(s, 2);
    }
}

static void make(struct world *w, uint64_t seed)
{
    uint64_t s = seed;
    memset(w, 0, sizeof *w);
    w->loci = (struct yk_loci){.n = LOCI, .sex_linked = random_below(&s, 2), .locus = w->locus, .order = w->order};
    w->order[0] = random_below(&s, 2);
    w->order[1] = !w->order[0];
    w->theta = random_below(&s, 4) ? 0.5 * chance(&s) : 0;
    w->loci.theta = &w->theta;
    for (uint32_t l = 0; l < LOCI; l++)
        make_locus(w, l, &s);
    w->family = (struct yk_family){"f", PEOPLE, w->person};
    for (uint32_t i = 0; i < PEOPLE; i++) {
        struct yk_person *p = &w->person[i];
        *p = (struct yk_person){"p", YK_NO_PERSON, YK_NO_PERSON, i < FOUNDERS ? !i : random_below(&s, 2) != 0,
                                w->phenotype[i]};
        if (i >= FOUNDERS)
            for (uint32_t k = 0; k < i; k++) /* loops among relatives too */
                if (k < FOUNDERS || random_below(&s, 2))
                    *(w->person[k].male ? &p->father : &p->mother) = k;
        for (uint32_t l = 0; l < LOCI; l++) {
            const struct yk_locus *x = &w->locus[l];
            const bool single = w->loci.sex_linked && p->male;
            if (random_below(&s, 3) == 0)
                continue; /* unknown */
            uint64_t *y = w->phenotype[i][l];
            if (x->type == YK_LOCUS_AFFECTION) {
                y[0] = 1 + random_below(&s, 2);
                y[1] = 1 + random_below(&s, 2);
            } else if (x->type == YK_LOCUS_BINARY) {
                y[0] = random_below(&s, 4);
                y[1] = 1;
            } else {
                y[0] = 1 + random_below(&s, x->alleles);
                y[1] = single ? y[0] : 1 + random_below(&s, x->alleles);
            }
        }
    }
}

/* Probability of what was seen of a person with alleles F and M; F = M where there is only one. */
static double seen(const struct world *w, uint32_t i, uint32_t l, uint32_t f, uint32_t m, bool single)
{
    const struct yk_locus *x = &w->locus[l];
    const uint64_t *y = w->phenotype[i][l];
    if (x->type == YK_LOCUS_NUMBERED)
        return !y[0] || (y[0] == f + 1 && y[1] == m + 1) || (y[0] == m + 1 && y[1] == f + 1);
    if (x->type == YK_LOCUS_BINARY) {
        uint64_t shown = 0;
        for (int k = 0; k < 2; k++)
            shown |= (uint64_t)(x->shows[2 * f + k] || x->shows[2 * m + k]) << k;
        return !y[1] || shown == y[0];
    }
    if (!y[0])
        return 1;
    size_t at = 0; /* unordered pairs in order */
    for (uint32_t a = 0; a < x->alleles; a++)
        for (uint32_t b = a; b < x->alleles; b++, at++)
            if ((a == f && b == m) || (a == m && b == f)) {
                double affected = single ? x->male_penetrance[(y[1] - 1) * x->alleles + m]
                                         : x->penetrance[(y[1] - 1) * (x->alleles * (x->alleles + 1) / 2) + at];
                return y[0] == 2 ? affected : 1 - affected;
            }
    return 0;
}

/* Locus L, given who hands on which: bit 2 (i - FOUNDERS) of CHOICE the father of i, the next one the mother. */
static double at_locus(const struct world *w, uint32_t l, uint32_t choice)
{
    const uint32_t n = w->locus[l].alleles;
    double sum = 0;
    for (uint32_t code = 0; code < n * n * n * n; code++) {
        uint32_t allele[PEOPLE][2], rest = code;
        double p = 1;
        for (uint32_t i = 0; i < PEOPLE && p > 0; i++) {
            const struct yk_person *q = &w->person[i];
            const bool single = w->loci.sex_linked && q->male;
            for (uint32_t side = 0; side < 2; side++)
                if (i < FOUNDERS) {
                    allele[i][side] = rest % n;
                    rest /= n;
                    p *= w->frequency[l][allele[i][side]];
                } else
                    allele[i][side] = allele[side ? q->mother : q->father][choice >> (2 * (i - FOUNDERS) + side) & 1];
            if (single)
                allele[i][0] = allele[i][1]; /* of a founder the other one's frequencies sum to 1 */
            p *= seen(w, i, l, allele[i][0], allele[i][1], single);
        }
        sum += p;
    }
    return sum;
}

static double likelihood(const struct world *w)
{
    enum { CHILDREN = PEOPLE - FOUNDERS, CHOICES = 1 << (2 * CHILDREN) };
    double first[CHOICES], second[CHOICES], sum = 0;
    for (uint32_t c = 0; c < CHOICES; c++) {
        first[c] = at_locus(w, w->order[0], c);
        second[c] = at_locus(w, w->order[1], c);
    }
    for (uint32_t a = 0; a < CHOICES; a++)
        for (uint32_t b = 0; b < CHOICES; b++) {
            double p = first[a] * second[b] / CHOICES;
            for (uint32_t k = 0; k < 2 * CHILDREN; k++)
                p *= (a >> k & 1) != (b >> k & 1) ? w->theta : 1 - w->theta;
            sum += p;
        }
    return sum;
}

START_TEST(random_families_follow_mendel)
{
    int impossible = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct world w;
        struct yk_network net;
        struct yk_solve_result r;
        struct yk_solve_options o = {.threads = 1};
        char msg[200];
        make(&w, seed);
        ck_assert_int_eq(yk_pedigree_network(&w.family, &w.loci, &w.theta, &net), YK_OK);
        ck_assert_msg(yk_solve(&net, NULL, &o, &r, msg, sizeof msg) == YK_OK, "%s", msg);
        double want = log10(likelihood(&w));
        impossible += isinf(want) != 0;
        ck_assert_msg(isinf(want) ? isinf(r.log10_pr) : fabs(r.log10_pr - want) < 1e-10, "seed %llu: %.12g not %.12g",
                      (unsigned long long)seed, r.log10_pr, want);
        yk_solve_result_finish(&r);
        yk_network_finish(&net);
    }
    ck_assert_msg(impossible < 150, "%d of 200 families are impossible", impossible);
}
END_TEST

/* A trio at one locus: alleles of all, two selectors, and their factors, in scopes that name each other. */
START_TEST(a_trio_is_what_the_papers_draw)
{
    struct world w;
    struct yk_network net;
    uint64_t s = 7;
    make(&w, 1);
    w.loci.n = 1;
    w.order[0] = 0;
    w.loci.sex_linked = false;
    w.family.n = 3;
    make_locus(&w, 0, &s);
    memset(w.phenotype, 0, sizeof w.phenotype);
    ck_assert_int_eq(yk_pedigree_network(&w.family, &w.loci, &w.theta, &net), YK_OK);
    ck_assert_uint_eq(net.nvars, 8);
    ck_assert_uint_eq(net.nfactors, 8); /* 4 frequencies, 2 selectors, 2 inheritances; nothing is known of anybody */
    uint32_t selectors = 0;
    for (uint32_t v = 0; v < net.nvars; v++) {
        ck_assert_ptr_nonnull(net.name[v]);
        selectors += net.domain[v] == 2 && net.name[v][0] == 's';
    }
    ck_assert_uint_eq(selectors, 2);
    for (size_t i = 0; i < net.nfactors; i++) {
        const struct yk_factor *f = &net.factor[i];
        size_t cells = 1;
        double sum = 0;
        for (uint32_t k = 0; k < f->n; k++)
            cells *= net.domain[f->scope[k]];
        ck_assert_uint_eq(cells, f->cells);
        for (size_t c = 0; c < cells; c++)
            sum += f->value[c];
        /* each state of the others sums to 1 over the last */
        ck_assert_double_eq_tol(sum, (double)cells / net.domain[f->scope[f->n - 1]], 1e-12);
    }
    yk_network_finish(&net);
}
END_TEST

START_TEST(families_that_are_too_large_are_refused)
{
    struct world w;
    struct yk_network net;
    make(&w, 2);
    w.loci.sex_linked = false;
    w.loci.n = 1;
    memset(w.phenotype, 0, sizeof w.phenotype);
    double *frequency = calloc(1 << 10, sizeof *frequency);
    ck_assert_ptr_nonnull(frequency);
    for (int l = 0; l < LOCI; l++) {
        w.locus[l].alleles = 1 << 10; /* an inheritance: 2^31 cells */
        w.locus[l].frequency = frequency;
    }
    ck_assert_int_eq(yk_pedigree_network(&w.family, &w.loci, &w.theta, &net), YK_ELIMIT);
    ck_assert_ptr_null(net.arena.head);
    free(frequency);
}
END_TEST

YK_TEST_MAIN("pedigree", random_families_follow_mendel, a_trio_is_what_the_papers_draw,
             families_that_are_too_large_are_refused)
