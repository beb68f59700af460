/* solver/: readers. What is read, and the sentence for what is malformed. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "solver/lod.h"
#include "solver/read.h"
#include "tests/unit/main.h"

static char msg[512];

static yk_status uai(const char *text, struct yk_network *net)
{
    return yk_read_uai_text("net.uai", text, strlen(text), net, msg, sizeof msg);
}

static yk_status bif(const char *text, struct yk_network *net)
{
    return yk_read_bif_text("net.bif", text, strlen(text), net, msg, sizeof msg);
}

#define SMALL "MARKOV 3 2 2 3 2 2 0 1 1 2 4 1 2.5 3e-1 .4 3 1 0 1"

START_TEST(uai_is_read)
{
    struct yk_network net;
    ck_assert_msg(uai(SMALL, &net) == YK_OK, "%s", msg);
    ck_assert_uint_eq(net.nvars, 3);
    ck_assert_uint_eq(net.domain[2], 3);
    ck_assert_uint_eq(net.nfactors, 2);
    ck_assert(!net.bayes);
    ck_assert_double_eq(net.factor[0].value[1], 2.5);
    ck_assert_double_eq(net.factor[0].value[2], 0.3);
    ck_assert_uint_eq(net.factor[1].scope[0], 2);
    yk_network_finish(&net);
    ck_assert(uai("BAYES\r\n0\r\n0\r\n", &net) == YK_OK);
    ck_assert(net.bayes && net.nvars == 0);
    yk_network_finish(&net);
}
END_TEST

START_TEST(malformed_uai_is_named)
{
    static const char *const cases[][2] = {
        {"", "net.uai:1: expected MARKOV or BAYES, found the end of the file"},
        {"\nMRF", "net.uai:2: expected MARKOV or BAYES, found 'MRF'"},
        {"MARKOV x", "net.uai:1: expected the number of variables, found 'x'"},
        {"MARKOV 4000000000",
         "net.uai:1: expected a number of variables that the file has room for, found '4000000000'"},
        {"MARKOV 2\n2", "net.uai:2: expected the domain size of a variable, found the end of the file"},
        {"MARKOV 1\n0", "net.uai:2: expected the domain size of a variable, from 1 to 16777216, found '0'"},
        {"MARKOV 1 2\n1\n1 1\n", "net.uai:3: expected a variable of a factor, from 0 to 0, found '1'"},
        {"MARKOV 2 2 2\n1\n2 1 1\n", "net.uai:3: expected each variable of a factor once, found '1'"},
        {"MARKOV 1 2 1 1 0\n3 1 2 3",
         "net.uai:2: expected 2 values of factor 0 (the product of its domains), found '3'"},
        {"MARKOV 1 9 1 1 0\n9 1", "net.uai:2: expected 9 values of factor 0, found a file too short for them"},
        {"MARKOV 1 2 1 1 0\n2 1 -1", "net.uai:2: expected a non-negative value of factor 0, at least 0, found '-1'"},
        {"MARKOV 1 2 1 1 0\n2 1 nan", "net.uai:2: expected a non-negative value of factor 0, found 'nan'"},
        {"MARKOV 1 2 1 1 0\n2 1 1e999", "net.uai:2: expected a non-negative value of factor 0, found '1e999'"},
        {"MARKOV 1 2 1 1 0\n2 1 1\n7", "net.uai:3: expected the end of the file after the last factor, found '7'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_network net;
        ck_assert_int_eq(uai(cases[i][0], &net), YK_EFORMAT);
        ck_assert_str_eq(msg, cases[i][1]);
        ck_assert(!net.arena.head && !net.domain);
    }
}
END_TEST

/* Eight domains of 2^24 overflow; nothing may be taken for their table. */
START_TEST(overflowing_tables_are_refused)
{
    struct yk_network net;
    char text[512] = "MARKOV 8";
    for (int i = 0; i < 8; i++)
        strcat(text, " 16777216");
    strcat(text, "\n1 8 0 1 2 3 4 5 6 7\n1\n");
    ck_assert_int_eq(uai(text, &net), YK_EFORMAT);
    ck_assert_str_eq(msg, "net.uai:2: expected a factor of fewer cells: the domains of factor 0 overflow");
}
END_TEST

START_TEST(evidence_has_three_forms)
{
    static const struct {
        const char *text;
        size_t n;
        uint32_t var, state;
    } good[] = {{"0", 0, 0, 0},         {"0\n", 0, 0, 0},          {"1\n0\n", 0, 0, 0},
                {"1 2 1", 1, 2, 1},     {"1\n1 2 1\n", 1, 2, 1},   {"1\n1\n2 1", 1, 2, 1},
                {"2 2 1 0 0", 2, 2, 1}, {"1\n2 2 1 0 0", 2, 2, 1}, {"2\n2 1\n0 0\n", 2, 2, 1},
                {"2 2 1 2 1", 1, 2, 1}};
    static const char *const bad[][2] = {
        {"", "e:1: expected the number of observed variables, found the end of the file"},
        {"1", "e:1: expected the number of observed variables, found the end of the file"},
        {"2 0 1", "e:1: expected 2 pairs of variable and state, found 2 words"},
        {"1 3 0", "e:1: expected an observed variable of the network's 3, found '3'"},
        {"1 0 2", "e:1: expected a state of variable 0, below 2, found '2'"},
        {"2 0 1 0 0", "e:1: expected one state of variable 0, found states 1 and 0"},
        {"1 0 1 5 5", "e:1: expected the end of the file after 0 observations, found '1'"},
        {"0 7", "e:1: expected the end of the file after 0 observations, found '7'"},
    };
    struct yk_network net;
    struct yk_evidence ev;
    ck_assert(uai(SMALL, &net) == YK_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(yk_read_evidence_text("e", good[i].text, strlen(good[i].text), &net, &ev, msg, sizeof msg) ==
                          YK_OK,
                      "%s: %s", good[i].text, msg);
        ck_assert_uint_eq(ev.n, good[i].n);
        if (ev.n)
            ck_assert(ev.var[0] == good[i].var && ev.state[0] == good[i].state);
        yk_evidence_finish(&ev);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(yk_read_evidence_text("e", bad[i][0], strlen(bad[i][0]), &net, &ev, msg, sizeof msg),
                         YK_EFORMAT);
        ck_assert_str_eq(msg, bad[i][1]);
        ck_assert(!ev.var && !ev.n);
    }
    yk_network_finish(&net);
}
END_TEST

#define VARIABLES                                                                                                      \
    "network n { property a b ; }\n// two\nvariable A { type discrete [ 2 ] { yes, no }; }\n"                          \
    "variable B { property x; type discrete[3] {a, b, c}; } /* and */\n"

START_TEST(bif_is_read)
{
    struct yk_network net;
    struct yk_evidence ev;
    ck_assert_msg(bif(VARIABLES "probability ( A ) { table 0.25, 0.75; }\n"
                                "probability ( B | A ) { (no) 0.1, 0.2, 0.7; (yes) 1, 0, 0; }",
                      &net) == YK_OK,
                  "%s", msg);
    ck_assert(net.bayes && net.nvars == 2 && net.nfactors == 2);
    ck_assert_str_eq(net.name[1], "B");
    ck_assert_str_eq(net.state_name[1][2], "c");
    ck_assert_uint_eq(net.factor[1].scope[1], 1);
    ck_assert_double_eq(net.factor[1].value[5], 0.7);
    ck_assert_double_eq(net.factor[1].value[0], 1);
    ck_assert(yk_read_evidence_text("e", "1 B c", 5, &net, &ev, msg, sizeof msg) == YK_OK);
    ck_assert(ev.var[0] == 1 && ev.state[0] == 2);
    yk_evidence_finish(&ev);
    yk_network_finish(&net);
    /* default, and a table with the child slowest */
    ck_assert_msg(bif(VARIABLES "probability ( A ) { table 0.25, 0.75; }\n"
                                "probability ( B | A ) { default 0.5, 0.25, 0.25; (no) 0.1, 0.2, 0.7; }",
                      &net) == YK_OK,
                  "%s", msg);
    ck_assert_double_eq(net.factor[1].value[0], 0.5);
    ck_assert_double_eq(net.factor[1].value[3], 0.1);
    yk_network_finish(&net);
    ck_assert_msg(bif(VARIABLES "probability ( A ) { table 0.25, 0.75; }\n"
                                "probability ( B | A ) { table 1, 0.1, 0, 0.2, 0, 0.7; }",
                      &net) == YK_OK,
                  "%s", msg);
    ck_assert_double_eq(net.factor[1].value[0], 1);
    ck_assert_double_eq(net.factor[1].value[5], 0.7);
    yk_network_finish(&net);
}
END_TEST

/* JavaBayes' files: names in quotes, marks and spaces in them, nothing between values. */
START_TEST(older_bif_is_read)
{
    struct yk_network net;
    ck_assert_msg(bif("\xef\xbb\xbfnetwork \"a {b}\" { property \"by; hand\" ; }\n"
                      "variable \"light-on\" { type discrete[2] { \"yes, on\" \"no\" }; property \"p = (1, 2)\" ; }\n"
                      "variable \"out | of\" { type discrete[2] { \"true\" \"false\" }; }\n"
                      "probability ( \"out | of\" ) { table 0.15 0.85 ; }\n"
                      "probability ( \"light-on\" \"out | of\" ) { (\"false\") 0.05 0.95; (\"true\") 0.6 0.4; }",
                      &net) == YK_OK,
                  "%s", msg);
    ck_assert_str_eq(net.name[1], "out | of");
    ck_assert_str_eq(net.state_name[0][0], "yes, on");
    ck_assert(net.factor[1].n == 2 && net.factor[1].scope[1] == 0);
    ck_assert_double_eq(net.factor[1].value[1], 0.4);
    ck_assert_double_eq(net.factor[1].value[2], 0.05);
    yk_network_finish(&net);
}
END_TEST

START_TEST(malformed_bif_is_named)
{
    static const char *const cases[][2] = {
        {"", "net.bif:1: expected 'network', found the end of the file"},
        {"network x", "net.bif:1: expected '{' after the name of the network, found the end of the file"},
        {VARIABLES "nothing", "net.bif:5: expected 'variable' or 'probability', found 'nothing'"},
        {VARIABLES "variable A", "net.bif:5: expected each variable once, found 'A'"},
        {VARIABLES "variable C { type real",
         "net.bif:5: expected 'discrete' (other types are not supported), found 'real'"},
        {VARIABLES "variable C { type discrete [ 9999 ] { a",
         "net.bif:5: expected a number of states that the file has "
         "room for, found '9999'"},
        {VARIABLES "variable C { type discrete [ 2 ] { a }", "net.bif:5: expected ',', found '}'"},
        {VARIABLES "variable C { }", "net.bif:5: expected a type of variable C before '}'"},
        {VARIABLES "probability ( C", "net.bif:5: expected the name of a declared variable, found 'C'"},
        {VARIABLES "probability ( A | A", "net.bif:5: expected a parent other than the variable itself, found 'A'"},
        {VARIABLES "probability ( A ) { table 1, 2, 3; }", "net.bif:5: expected ';', found ','"},
        {VARIABLES "probability ( A ) { table 1; }", "net.bif:5: expected ',', found ';'"},
        {VARIABLES "probability ( A ) { table -1, 2; }", "net.bif:5: expected a probability, at least 0, found '-1'"},
        {VARIABLES "probability ( A ) { (yes) 1, 2; }", "net.bif:5: expected 'table' or '}', found '('"},
        {VARIABLES "probability ( A | B ) { (a) 1, 0; (b) 1, 0; }", "net.bif:5: expected 3 rows of A, found 2"},
        {VARIABLES "probability ( A | B ) { (a) 1, 0; (a) 1, 0; }", "net.bif:5: expected each row of A once"},
        {VARIABLES "probability ( A | B ) { (d) 1, 0; }", "net.bif:5: expected a state of B, found 'd'"},
        {VARIABLES "probability ( A ) { table 1, 0; }", "net.bif:5: expected a probability block of variable B"},
        {VARIABLES "probability ( A ) { table 1, 0; } probability ( A ) { table 1, 0; }",
         "net.bif:5: expected one probability block per variable, found 'A'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_network net;
        ck_assert_msg(bif(cases[i][0], &net) == YK_EFORMAT, "%s", cases[i][0]);
        ck_assert_str_eq(msg, cases[i][1]);
        ck_assert(!net.arena.head);
    }
}
END_TEST

static double log10_like(const char *loci_text, const char *ped_text, size_t point)
{
    struct yk_loci loci;
    struct yk_pedigree ped;
    struct yk_lod_result r;
    struct yk_solve_options o = {.threads = 1};
    ck_assert_msg(yk_read_loci_text("l", loci_text, strlen(loci_text), &loci, msg, sizeof msg) == YK_OK, "%s", msg);
    ck_assert_msg(yk_read_pedigree_text("p", ped_text, strlen(ped_text), &loci, &ped, msg, sizeof msg) == YK_OK, "%s",
                  msg);
    ck_assert_msg(yk_lod_run(&ped, &loci, NULL, 0, &o, &r, msg, sizeof msg) == YK_OK, "%s", msg);
    ck_assert(point < r.n);
    double found = r.point[point].total;
    yk_lod_result_finish(&r);
    yk_pedigree_finish(&ped);
    yk_loci_finish(&loci);
    return found;
}

#define ONE_LOCUS                                                                                                      \
    "1 0 0 3 << loci\n0 0 0 0\n1\n1 2 << affection\n0.9 0.1 << frequencies\n1 << classes\n0 0 1 recessive\n0 0\n"

/* A child of founders is affected with the square of the allele's frequency; so is each of two, and both with ... */
START_TEST(likelihoods_are_those_of_mendel)
{
    double q = 0.1, both = 0;
    ck_assert_double_eq_tol(log10_like(ONE_LOCUS, "f a 0 0 1 0\nf b 0 0 2 0\nf c a b 1 2\n", 0), log10(q * q), 1e-12);
    /* ... parents of all genotypes: the child of genotypes with i and j bad alleles is affected with i j / 4. */
    double p[] = {(1 - q) * (1 - q), 2 * q * (1 - q), q * q};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            both += p[i] * p[j] * pow(i * j / 4.0, 2);
    ck_assert_double_eq_tol(log10_like(ONE_LOCUS, "f a 0 0 1 0\nf b 0 0 2 0\nf c a b 1 2\nf d a b 2 2\n", 0),
                            log10(both), 1e-12);
    /* children before parents, unaffected, and an inbred loop: the child of two siblings */
    double unaffected = log10_like(ONE_LOCUS, "f c a b 1 1\nf a 0 0 1 0\nf b 0 0 2 0\n", 0);
    ck_assert_double_eq_tol(unaffected, log10(1 - q * q), 1e-12);
    double inbreeding = 0.25;
    double inbred = log10_like(ONE_LOCUS, "f a 0 0 1 0\nf b 0 0 2 0\nf c a b 1 0\nf d a b 2 0\nf e c d 1 2\n", 0);
    ck_assert_double_eq_tol(inbred, log10(q * q * (1 - inbreeding) + q * inbreeding), 1e-12);
    /* the same as makeped writes it, d in two copies */
    double copies = log10_like(ONE_LOCUS,
                               "1 1 0 0 3 0 0 1 1 0\n1 2 0 0 3 0 0 2 0 0\n1 3 1 2 5 4 4 1 0 0\n1 4 1 2 0 0 0 2 2 0\n"
                               "1 5 3 6 0 0 0 1 0 2 Ped: 1\n1 6 0 0 5 0 0 2 2 0\n",
                               0);
    ck_assert_double_eq_tol(copies, inbred, 1e-12);
}
END_TEST

/* Sex-linked recessive: males by their mother only, daughters get their father's. */
START_TEST(sex_linked_loci)
{
    static const char loci[] = "1 0 1 3\n0 0 0 0\n1\n1 2\n0.9 0.1\n1\n0 0 1\n0 1 males\n0 0\n";
    double q = 0.1;
    ck_assert_double_eq_tol(log10_like(loci, "f a 0 0 1 0\nf b 0 0 2 0\nf c a b 1 2\n", 0), log10(q), 1e-12);
    ck_assert_double_eq_tol(log10_like(loci, "f a 0 0 1 0\nf b 0 0 2 0\nf c a b 2 2\n", 0), log10(q * q), 1e-12);
    ck_assert(isinf(log10_like(loci, "f a 0 0 1 1\nf b 0 0 2 0\nf c a b 2 2\n", 0)));
}
END_TEST

/* A doubly heterozygous father of known phase (from his homozygous parents) and a recombinant child: theta / 2 against
 * 1/4 at no linkage, whatever else; two loci of the other types. */
START_TEST(recombination_counts)
{
    static const char loci[] = "2 0 0 5\n0 0 0 0\n2 1\n3 2\n0.5 0.5\n2 2\n0.5 0.5\n2\n1 0\n0 1\n0 0\n0.1\n1 0.1 0.1\n";
    static const char family[] = "1 1 0 0 1 1 1 1 0\n1 2 0 0 2 2 2 0 1\n1 3 1 2 1 1 2 1 1\n1 4 0 0 2 1 1 1 0\n"
                                 "1 5 3 4 1 1 1 1 1 a comment\n";
    double none = log10_like(loci, family, 0), linked = log10_like(loci, family, 1);
    ck_assert_double_eq_tol(linked - none, log10(0.1 / 0.5), 1e-12);
}
END_TEST

START_TEST(malformed_loci_are_named)
{
    static const char *const cases[][2] = {
        {"", "l:1: expected the number of loci, found the end of the file"},
        {"0 0", "l:1: expected the number of loci, from 1 to 65536, found '0'"},
        {"2 1", "l:1: expected 0 (risk is not computed), found '1'"},
        {"60000 0 0 5", "l:1: expected a number of loci that the file has room for, found '5'"},
        {"1 0 0 5\n1", "l:2: expected 0 (mutation is not supported), found '1'"},
        {"1 0 0 5\n0 0 0 1", "l:2: expected 0 (haplotype frequencies are not supported), found '1'"},
        {"2 0 0 5\n0 0 0 0\n1 1", "l:3: expected each locus of the chromosome once, found '1'"},
        {"1 0 0 5\n0 0 0 0\n1\n0 2",
         "l:4: expected a locus of type 1 (affection), 2 (binary) or 3 (numbered alleles); others are not supported, "
         "found '0'"},
        {"1 0 0 5\n0 0 0 0\n1\n3 900", "l:4: expected the number of alleles, from 1 to 255, found '900'"},
        {"1 0 0 5\n0 0 0 0\n1\n3 250\n0.5",
         "l:4: expected 250 numbers, each a gene frequency, found a file too short for them"},
        {"1 0 0 5\n0 0 0 0\n1\n3 2\n0.5 2", "l:5: expected a gene frequency, at most 1, found '2'"},
        {"1 0 0 5\n0 0 0 0\n1\n1 2\n0.5 0.5\n50000",
         "l:6: expected a number of liability classes that the file has room "
         "for, found '50000'"},
        {"2 0 0 5\n0 0 0 0\n1 2\n3 1\n1\n3 1\n1\n1 0",
         "l:8: expected 0 (recombination that differs between the sexes is not supported), found '1'"},
        {"2 0 0 5\n0 0 0 0\n1 2\n3 1\n1\n3 1\n1\n0 0\n0.6",
         "l:9: expected a recombination fraction, at most 0.5, found '0.6'"},
        {"2 0 0 5\n0 0 0 0\n1 2\n3 1\n1\n3 1\n1\n0 0\n0.1\n1 0 0.5\n",
         "l:10: expected an increment of recombination of at least 1e-6, found 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_loci loci;
        ck_assert_msg(yk_read_loci_text("l", cases[i][0], strlen(cases[i][0]), &loci, msg, sizeof msg) == YK_EFORMAT,
                      "%s", cases[i][0]);
        ck_assert_str_eq(msg, cases[i][1]);
        ck_assert(!loci.arena.head);
    }
}
END_TEST

START_TEST(malformed_pedigrees_are_named)
{
    static const char *const cases[][2] = {
        {"", "p:1: expected a line of a person, found the end of the file"},
        {"f a 0 0", "p:1: expected a sex (1 male, 2 female), found the end of the file"},
        {"f a 0 0\n", "p:1: expected a sex (1 male, 2 female), found the end of the line"},
        {"f a 0 0 3 0", "p:1: expected a sex (1 male, 2 female), at most 2, found '3'"},
        {"f a 0 0 1 5", "p:1: expected an affection status (0, 1 or 2), at most 2, found '5'"},
        {"f 0 0 0 1 0", "p:1: expected an id other than 0, found '0'"},
        {"f a 0 0 1 0\nf b a 0 1 0", "p:2: expected two parents or none of person b, found one"},
        {"f a c d 1 0\n", "p:1: expected a father in the family of person a, found c"},
        {"f a 0 0 2 0\nf b 0 0 2 0\nf c a b 1 0", "p:3: expected a male father of person c, found a"},
        {"f a 0 0 1 0\nf a 0 0 1 0", "p:2: expected one line of person a, found a second one"},
        {"f a a b 1 0\nf b 0 0 2 0", "p:1: expected parents who are not descendants of person a"},
        {"f a 0 0 1 0\ng a 0 0 1 0\nf b 0 0 1 0", "p:3: expected the lines of a family together, found 'f'"},
    };
    struct yk_loci loci;
    ck_assert(yk_read_loci_text("l", ONE_LOCUS, strlen(ONE_LOCUS), &loci, msg, sizeof msg) == YK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_pedigree ped;
        ck_assert_msg(yk_read_pedigree_text("p", cases[i][0], strlen(cases[i][0]), &loci, &ped, msg, sizeof msg) ==
                          YK_EFORMAT,
                      "%s", cases[i][0]);
        ck_assert_str_eq(msg, cases[i][1]);
        ck_assert(!ped.arena.head);
    }
    yk_loci_finish(&loci);
}
END_TEST

YK_TEST_MAIN("read", uai_is_read, malformed_uai_is_named, overflowing_tables_are_refused, evidence_has_three_forms,
             bif_is_read, older_bif_is_read, malformed_bif_is_named, likelihoods_are_those_of_mendel, sex_linked_loci,
             recombination_counts, malformed_loci_are_named, malformed_pedigrees_are_named)
