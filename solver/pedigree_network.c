/* A family as a Bayesian network. Alleles are variables, so are selectors: 0 picks what the parent got from his father,
 * 1 what he got from his mother. Sex-linked: a male has one allele, from his mother, and hands it on as it is; the
 * daughter's allele from her father is then the same variable as his. */
#include <string.h>
#include "solver/pedigree.h"

static const size_t MAX_CELLS = (size_t)1 << 31;
enum { NO_VAR = UINT32_MAX };

struct builder {
    const struct yk_family *family;
    const struct yk_loci *loci;
    struct yk_network *net;
    size_t room, cells; /* factors the array holds; cells so far */
    /* [person] at the present locus and, for selectors, at the one before it; [0] from father, [1] from mother */
    uint32_t (*allele)[2], (*selector)[2], (*last)[2];
    yk_status failed;
};

static double *add_factor(struct builder *b, uint32_t n, const uint32_t *scope)
{
    struct yk_factor *f = &b->net->factor[b->net->nfactors++];
    f->n = n;
    f->cells = 1;
    for (uint32_t i = 0; i < n; i++)
        f->cells *= b->net->domain[scope[i]];
    b->cells += f->cells;
    if (b->cells > MAX_CELLS)
        b->failed = YK_ELIMIT;
    if (b->failed != YK_OK)
        return NULL;
    f->scope = yk_arena_array(&b->net->arena, uint32_t, n);
    f->value = yk_arena_array(&b->net->arena, double, f->cells);
    if (!f->scope || !f->value) {
        b->failed = YK_ENOMEM;
        return NULL;
    }
    memcpy(f->scope, scope, n * sizeof *scope);
    return f->value;
}

static uint32_t add_var(struct builder *b, uint32_t domain, const char *what, const struct yk_person *p, uint32_t locus)
{
    uint32_t v = b->net->nvars++;
    b->net->domain[v] = domain;
    b->net->name[v] = yk_arena_printf(&b->net->arena, "%s_%s_%u", what, p->id, locus + 1);
    if (!b->net->name[v])
        b->failed = YK_ENOMEM;
    return v;
}

/* The allele CHILD got from PARENT through SELECTOR: a table of (parent's two, selector, child's). */
static void add_inheritance(struct builder *b, const uint32_t parent[2], uint32_t selector, uint32_t child)
{
    uint32_t scope[] = {parent[0], parent[1], selector, child}, n = b->net->domain[child];
    double *v = add_factor(b, 4, scope);
    for (uint32_t f = 0; v && f < n; f++)
        for (uint32_t m = 0; m < n; m++)
            for (uint32_t s = 0; s < 2; s++)
                v[(((size_t)f * n + m) * 2 + s) * n + (s ? m : f)] = 1;
}

/* A selector: even at the first locus, tied to the one before by recombination at the others. */
static void add_selector(struct builder *b, uint32_t before, uint32_t selector, double theta)
{
    uint32_t scope[] = {before, selector};
    double *v = before == NO_VAR ? add_factor(b, 1, &selector) : add_factor(b, 2, scope);
    if (!v)
        return;
    if (before == NO_VAR) {
        v[0] = v[1] = 0.5;
    } else {
        v[0] = v[3] = 1 - theta;
        v[1] = v[2] = theta;
    }
}

/* Place of the unordered pair (a, b) in 11, 12 .. 1n, 22 .. nn. */
static size_t genotype(uint32_t a, uint32_t b, uint32_t n)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (size_t)low * n - (size_t)low * (low + 1) / 2 + high;
}

/* Probability of the phenotype given alleles F and M; given M alone of a male at a sex-linked locus (F is NO_VAR). */
static double penetrance(const struct yk_locus *x, const uint64_t phenotype[2], uint32_t f, uint32_t m)
{
    if (x->type == YK_LOCUS_NUMBERED) {
        uint32_t a = (uint32_t)phenotype[0] - 1, c = (uint32_t)phenotype[1] - 1;
        if (f == NO_VAR)
            return m == a;
        return (f == a && m == c) || (f == c && m == a);
    }
    if (x->type == YK_LOCUS_BINARY) {
        uint64_t shown = 0;
        for (uint32_t k = 0; k < x->factors; k++)
            if (x->shows[(size_t)m * x->factors + k] || (f != NO_VAR && x->shows[(size_t)f * x->factors + k]))
                shown |= UINT64_C(1) << k;
        return shown == phenotype[0];
    }
    size_t genotypes = (size_t)x->alleles * (x->alleles + 1) / 2, c = phenotype[1] - 1;
    double affected = f == NO_VAR ? x->male_penetrance[c * x->alleles + m]
                                  : x->penetrance[c * genotypes + genotype(f, m, x->alleles)];
    return phenotype[0] == 2 ? affected : 1 - affected;
}

static bool known(const struct yk_locus *x, const uint64_t phenotype[2])
{
    return x->type == YK_LOCUS_BINARY ? phenotype[1] != 0 : phenotype[0] != 0;
}

static void add_phenotype(struct builder *b, const struct yk_locus *x, const uint64_t phenotype[2],
                          const uint32_t allele[2])
{
    bool single = allele[0] == NO_VAR;
    if (!known(x, phenotype))
        return;
    double *v = single ? add_factor(b, 1, &allele[1]) : add_factor(b, 2, allele);
    for (uint32_t m = 0; v && single && m < x->alleles; m++)
        v[m] = penetrance(x, phenotype, NO_VAR, m);
    for (uint32_t f = 0; v && !single && f < x->alleles; f++)
        for (uint32_t m = 0; m < x->alleles; m++)
            v[(size_t)f * x->alleles + m] = penetrance(x, phenotype, f, m);
}

static void add_founder_allele(struct builder *b, const struct yk_locus *x, uint32_t var)
{
    double *v = add_factor(b, 1, &var);
    if (v)
        memcpy(v, x->frequency, x->alleles * sizeof *v);
}

/* SIDE 0: from the father, 1: from the mother. */
static void add_allele(struct builder *b, uint32_t person, int side, uint32_t locus, double theta)
{
    const struct yk_person *p = &b->family->person[person];
    const struct yk_locus *x = &b->loci->locus[locus];
    bool founder = p->father == YK_NO_PERSON, single_father = b->loci->sex_linked && side == 0;
    b->selector[person][side] = NO_VAR;
    if (single_father && p->male) {
        b->allele[person][0] = NO_VAR;
    } else if (single_father && !founder) {
        b->allele[person][0] = b->allele[p->father][1];
    } else {
        uint32_t var = b->allele[person][side] = add_var(b, x->alleles, side ? "m" : "f", p, locus);
        if (founder) {
            add_founder_allele(b, x, var);
            return;
        }
        uint32_t s = b->selector[person][side] = add_var(b, 2, side ? "sm" : "sf", p, locus);
        add_selector(b, b->last[person][side], s, theta);
        add_inheritance(b, b->allele[side ? p->mother : p->father], s, var);
    }
}

static bool allocate(struct builder *b)
{
    struct yk_network *net = b->net;
    uint64_t n = b->family->n, most = 4 * n * b->loci->n;
    if (most > UINT32_MAX / 2) {
        b->failed = YK_ELIMIT;
        return false;
    }
    b->failed = YK_ENOMEM;
    net->domain = yk_arena_array(&net->arena, uint32_t, most);
    net->name = yk_arena_array(&net->arena, const char *, most);
    net->factor = yk_arena_array(&net->arena, struct yk_factor, 5 * n * b->loci->n);
    b->allele = yk_arena_alloc(&net->arena, n * sizeof *b->allele);
    b->selector = yk_arena_alloc(&net->arena, n * sizeof *b->selector);
    b->last = yk_arena_alloc(&net->arena, n * sizeof *b->last);
    if (!net->domain || !net->name || !net->factor || !b->allele || !b->selector || !b->last)
        return false;
    b->failed = YK_OK;
    memset(b->selector, 0xff, n * sizeof *b->selector);
    return true;
}

yk_status yk_pedigree_network(const struct yk_family *family, const struct yk_loci *loci, const double *theta,
                              struct yk_network *net)
{
    *net = (struct yk_network){0};
    struct builder b = {.family = family, .loci = loci, .net = net};
    bool ok = allocate(&b);
    for (uint32_t j = 0; ok && j < loci->n && b.failed == YK_OK; j++) {
        uint32_t locus = loci->order[j];
        memcpy(b.last, b.selector, family->n * sizeof *b.last);
        for (uint32_t i = 0; i < family->n && b.failed == YK_OK; i++) {
            for (int side = 0; side < 2; side++)
                add_allele(&b, i, side, locus, j ? theta[j - 1] : 0);
            add_phenotype(&b, &loci->locus[locus], family->person[i].phenotype[locus], b.allele[i]);
        }
    }
    if (b.failed != YK_OK)
        yk_network_finish(net);
    return b.failed;
}
