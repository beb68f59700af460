/* LINKAGE's locus file. Numbers are read across lines as its Pascal programs do; what is left of a line after the
 * numbers that belong to it is a comment. */
#include <stdlib.h>
#include <string.h>
#include "solver/pedigree.h"
#include "solver/scan.h"

enum { MAX_LOCI = 1 << 16, MAX_ALLELES = 255, MAX_FACTORS = 63, MAX_CLASSES = 1 << 16, MLINK = 5 };

struct reader {
    struct yk_scan s;
    struct yk_loci *loci;
};

static yk_status no_memory(struct reader *r)
{
    yk_scan_fail(&r->s, "not enough memory");
    return YK_ENOMEM;
}

/* N numbers in [0, MAX]; the rest of the line is skipped. */
static yk_status read_reals(struct reader *r, const char *what, double *to, size_t n, double max)
{
    for (size_t i = 0; i < n; i++) {
        yk_status st = yk_scan_real(&r->s, what, 0, &to[i]);
        if (st != YK_OK)
            return st;
        if (to[i] > max)
            return yk_scan_expected(&r->s, "%s, at most %g", what, max);
    }
    yk_scan_skip_line(&r->s);
    return YK_OK;
}

static yk_status take_reals(struct reader *r, const char *what, double **to, size_t n, double max)
{
    if (n > yk_scan_left(&r->s))
        return yk_scan_fail(&r->s, "expected %zu numbers, each %s, found a file too short for them", n, what);
    if (!(*to = yk_arena_array(&r->loci->arena, double, n)))
        return no_memory(r);
    return read_reals(r, what, *to, n, max);
}

static yk_status read_header(struct reader *r)
{
    uint64_t n, risk, sex, program, mutation, haplotypes;
    double rate;
    yk_status st;
    if ((st = yk_scan_whole(&r->s, "the number of loci", 1, MAX_LOCI, &n)) != YK_OK ||
        (st = yk_scan_whole(&r->s, "the risk locus", 0, MAX_LOCI, &risk)) != YK_OK)
        return st;
    if (risk)
        return yk_scan_expected(&r->s, "0 (risk is not computed)");
    if ((st = yk_scan_whole(&r->s, "0 or 1 (sex-linked)", 0, 1, &sex)) != YK_OK ||
        (st = yk_scan_whole(&r->s, "the number of a program", 0, 99, &program)) != YK_OK)
        return st;
    yk_scan_skip_line(&r->s);
    if (n > yk_scan_left(&r->s))
        return yk_scan_expected(&r->s, "a number of loci that the file has room for");
    r->loci->n = (uint32_t)n;
    r->loci->sex_linked = sex;
    r->loci->varies = program == MLINK;
    if ((st = yk_scan_whole(&r->s, "the mutation locus", 0, MAX_LOCI, &mutation)) != YK_OK)
        return st;
    if (mutation)
        return yk_scan_expected(&r->s, "0 (mutation is not supported)");
    if ((st = yk_scan_real(&r->s, "the mutation rate of males", 0, &rate)) != YK_OK ||
        (st = yk_scan_real(&r->s, "the mutation rate of females", 0, &rate)) != YK_OK ||
        (st = yk_scan_whole(&r->s, "0 or 1 (haplotype frequencies)", 0, 1, &haplotypes)) != YK_OK)
        return st;
    if (haplotypes)
        return yk_scan_expected(&r->s, "0 (haplotype frequencies are not supported)");
    yk_scan_skip_line(&r->s);
    return YK_OK;
}

static yk_status read_order(struct reader *r)
{
    struct yk_loci *l = r->loci;
    l->order = yk_arena_array(&l->arena, uint32_t, l->n);
    bool *seen = yk_arena_array(&l->arena, bool, l->n);
    if (!l->order || !seen)
        return no_memory(r);
    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t k;
        yk_status st = yk_scan_whole(&r->s, "a locus of the chromosome", 1, l->n, &k);
        if (st != YK_OK)
            return st;
        if (seen[k - 1])
            return yk_scan_expected(&r->s, "each locus of the chromosome once");
        seen[k - 1] = true;
        l->order[i] = (uint32_t)k - 1;
    }
    yk_scan_skip_line(&r->s);
    return YK_OK;
}

static yk_status read_affection(struct reader *r, struct yk_locus *x)
{
    uint64_t classes;
    yk_status st = yk_scan_whole(&r->s, "the number of liability classes", 1, MAX_CLASSES, &classes);
    if (st != YK_OK)
        return st;
    yk_scan_skip_line(&r->s);
    x->classes = (uint32_t)classes;
    size_t genotypes = (size_t)x->alleles * (x->alleles + 1) / 2;
    if (classes * genotypes > yk_scan_left(&r->s))
        return yk_scan_expected(&r->s, "a number of liability classes that the file has room for");
    x->penetrance = yk_arena_array(&r->loci->arena, double, classes *genotypes);
    x->male_penetrance = yk_arena_array(&r->loci->arena, double, classes * x->alleles);
    if (!x->penetrance || !x->male_penetrance)
        return no_memory(r);
    for (uint32_t c = 0; c < classes && st == YK_OK; c++) {
        st = read_reals(r, "a penetrance", x->penetrance + c * genotypes, genotypes, 1);
        if (st == YK_OK && r->loci->sex_linked)
            st = read_reals(r, "a penetrance of males", x->male_penetrance + (size_t)c * x->alleles, x->alleles, 1);
    }
    return st;
}

static yk_status read_binary(struct reader *r, struct yk_locus *x)
{
    uint64_t factors, bit;
    yk_status st = yk_scan_whole(&r->s, "the number of binary factors", 1, MAX_FACTORS, &factors);
    if (st != YK_OK)
        return st;
    yk_scan_skip_line(&r->s);
    x->factors = (uint32_t)factors;
    if (!(x->shows = yk_arena_array(&r->loci->arena, unsigned char, factors * x->alleles)))
        return no_memory(r);
    for (uint32_t a = 0; a < x->alleles; a++) {
        for (uint32_t f = 0; f < factors; f++) {
            if ((st = yk_scan_whole(&r->s, "0 or 1 (allele shows factor)", 0, 1, &bit)) != YK_OK)
                return st;
            x->shows[(size_t)a * factors + f] = (unsigned char)bit;
        }
        yk_scan_skip_line(&r->s);
    }
    return YK_OK;
}

static yk_status read_locus(struct reader *r, struct yk_locus *x)
{
    uint64_t type, alleles;
    yk_status st = yk_scan_whole(&r->s, "the type of a locus", 0, 4, &type);
    if (st != YK_OK)
        return st;
    if (type < YK_LOCUS_AFFECTION || type > YK_LOCUS_NUMBERED)
        return yk_scan_expected(&r->s, "a locus of type 1 (affection), 2 (binary) or 3 (numbered alleles); others are "
                                       "not supported");
    if ((st = yk_scan_whole(&r->s, "the number of alleles", 1, MAX_ALLELES, &alleles)) != YK_OK)
        return st;
    yk_scan_skip_line(&r->s);
    x->type = (enum yk_locus_type)type;
    x->alleles = (uint32_t)alleles;
    if ((st = take_reals(r, "a gene frequency", &x->frequency, alleles, 1)) != YK_OK)
        return st;
    if (type == YK_LOCUS_AFFECTION)
        return read_affection(r, x);
    return type == YK_LOCUS_BINARY ? read_binary(r, x) : YK_OK;
}

static yk_status read_recombination(struct reader *r)
{
    struct yk_loci *l = r->loci;
    uint64_t sex, interference, which;
    yk_status st;
    if ((st = yk_scan_whole(&r->s, "0 (sex difference)", 0, 2, &sex)) != YK_OK)
        return st;
    if (sex)
        return yk_scan_expected(&r->s, "0 (recombination that differs between the sexes is not supported)");
    if ((st = yk_scan_whole(&r->s, "0 (interference)", 0, 2, &interference)) != YK_OK)
        return st;
    if (interference)
        return yk_scan_expected(&r->s, "0 (interference is not supported)");
    yk_scan_skip_line(&r->s);
    if (l->n == 1) { /* its line may be there, and says nothing */
        l->varies = false;
        l->theta = yk_arena_array(&l->arena, double, 0);
        return l->theta ? YK_OK : no_memory(r);
    }
    if ((st = take_reals(r, "a recombination fraction", &l->theta, l->n - 1, 0.5)) != YK_OK || !l->varies)
        return st;
    if ((st = yk_scan_whole(&r->s, "the interval whose recombination varies", 1, l->n - 1, &which)) != YK_OK ||
        (st = yk_scan_real(&r->s, "the increment of recombination", 0, &l->increment)) != YK_OK)
        return st;
    l->varied = (uint32_t)which - 1;
    if ((st = yk_scan_real(&r->s, "the last recombination fraction", 0, &l->finish)) != YK_OK)
        return st;
    if (l->finish > 0.5)
        return yk_scan_expected(&r->s, "a recombination fraction, at most 0.5");
    if (l->increment < 1e-6 && l->finish > l->theta[l->varied])
        return yk_scan_fail(&r->s, "expected an increment of recombination of at least 1e-6, found %g", l->increment);
    yk_scan_skip_line(&r->s);
    if (yk_scan_next(&r->s))
        return yk_scan_expected(&r->s, "the end of the file (one varied interval)");
    return YK_OK;
}

static yk_status read_all(struct reader *r)
{
    yk_status st = read_header(r);
    if (st == YK_OK)
        st = read_order(r);
    if (st != YK_OK)
        return st;
    if (!(r->loci->locus = yk_arena_array(&r->loci->arena, struct yk_locus, r->loci->n)))
        return no_memory(r);
    for (uint32_t i = 0; i < r->loci->n && st == YK_OK; i++)
        st = read_locus(r, &r->loci->locus[i]);
    return st == YK_OK ? read_recombination(r) : st;
}

yk_status yk_read_loci_text(const char *name, const char *text, size_t len, struct yk_loci *loci, char *msg, size_t n)
{
    *loci = (struct yk_loci){0};
    struct reader r = {.loci = loci};
    yk_scan_init(&r.s, name, text, len, msg, n);
    yk_status st = read_all(&r);
    if (st != YK_OK)
        yk_loci_finish(loci);
    return st;
}

yk_status yk_read_loci(const char *path, struct yk_loci *loci, char *msg, size_t n)
{
    char *text;
    size_t len;
    *loci = (struct yk_loci){0};
    yk_status st = yk_scan_load(path, &text, &len, msg, n);
    if (st != YK_OK)
        return st;
    st = yk_read_loci_text(path, text, len, loci, msg, n);
    free(text);
    return st;
}

void yk_loci_finish(struct yk_loci *loci)
{
    yk_arena_finish(&loci->arena);
    *loci = (struct yk_loci){0};
}
