/* Genetic linkage: families with what was observed of their members, loci on a chromosome, and the network whose
 * probability of evidence is the likelihood of recombination fractions. Read by read_loci.c and read_pedigree.c from
 * LINKAGE's files, made into networks by pedigree_network.c, evaluated by lod.c. Constant once read. */
#ifndef YK_SOLVER_PEDIGREE_H
#define YK_SOLVER_PEDIGREE_H

#include <stdbool.h>
#include "solver/network.h"

enum yk_locus_type { YK_LOCUS_AFFECTION = 1, YK_LOCUS_BINARY = 2, YK_LOCUS_NUMBERED = 3 };

struct yk_locus {
    enum yk_locus_type type;
    uint32_t alleles;
    double *frequency; /* [alleles] */
    /* affection: probability of being affected, per liability class, of each unordered genotype 11, 12 .. 1n, 22 .. nn;
     * sex-linked: and of a male by his allele */
    uint32_t classes;
    double *penetrance, *male_penetrance; /* [classes][genotypes], [classes][alleles] */
    /* binary factors: which of them an allele shows */
    uint32_t factors;
    unsigned char *shows; /* [alleles][factors] */
};

struct yk_loci {
    uint32_t n;
    bool sex_linked;
    struct yk_locus *locus; /* [n] in the order of the file, which is that of the phenotypes */
    uint32_t *order;        /* [n] loci along the chromosome */
    double *theta;          /* [n - 1] recombination fractions between neighbours on the chromosome */
    bool varies;            /* MLINK: theta[varied] goes from its value up to FINISH in steps of INCREMENT */
    uint32_t varied;
    double increment, finish;
    struct yk_arena arena;
};

enum { YK_NO_PERSON = UINT32_MAX };

struct yk_person {
    const char *id;
    uint32_t father, mother; /* YK_NO_PERSON: a founder */
    bool male;
    /* Per locus: affection: status (0 unknown, 1 not, 2 affected) and class; numbered: two alleles, 0 0 unknown;
     * binary: the factors that show, as bits, and 1 (known) or 0. */
    uint64_t (*phenotype)[2];
};

struct yk_family {
    const char *id;
    uint32_t n;
    struct yk_person *person; /* parents before children */
};

struct yk_pedigree {
    uint32_t n;
    struct yk_family *family;
    struct yk_arena arena;
};

/** A locus file (LINKAGE's datafile). As the readers of read.h. Refused with a sentence: quantitative loci, mutation,
 * risk, linkage disequilibrium, interference, recombination that differs between the sexes. */
yk_status yk_read_loci_text(const char *name, const char *text, size_t len, struct yk_loci *loci, char *msg, size_t n);
yk_status yk_read_loci(const char *path, struct yk_loci *loci, char *msg, size_t n);
void yk_loci_finish(struct yk_loci *loci);

/** A pedigree file with the phenotypes of LOCI, as makeped writes it (with links to offspring and siblings; broken
 * loops are closed again) or as it reads it. What follows the phenotypes on a line is ignored. */
yk_status yk_read_pedigree_text(const char *name, const char *text, size_t len, const struct yk_loci *loci,
                                struct yk_pedigree *ped, char *msg, size_t n);
yk_status yk_read_pedigree(const char *path, const struct yk_loci *loci, struct yk_pedigree *ped, char *msg, size_t n);
void yk_pedigree_finish(struct yk_pedigree *ped);

/**
 * The network of FAMILY at recombination fractions THETA (n - 1 of them): per locus and person the alleles received
 * from father and mother, per locus and meiosis a selector (which of the parent's two), selectors of neighbouring loci
 * tied by recombination, phenotypes as factors. Its partition function is the likelihood. Errors: YK_ENOMEM; YK_ELIMIT
 * (tables beyond 2^31 cells in all). NET ends with yk_network_finish.
 */
yk_status yk_pedigree_network(const struct yk_family *family, const struct yk_loci *loci, const double *theta,
                              struct yk_network *net);

#endif
