/* A locus file and a pedigree file, divided by a line "----", and the networks made of them. */
#include <string.h>
#include "tests/fuzz/fuzz.h"
#include "solver/pedigree.h"

static void build(const struct yk_pedigree *ped, const struct yk_loci *loci)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < loci->n; i++)
        size += (uint64_t)loci->locus[i].alleles * loci->locus[i].alleles * loci->locus[i].alleles;
    for (uint32_t f = 0; f < ped->n && size < 4096; f++) {
        struct yk_network net;
        if (ped->family[f].n * size > 1u << 16)
            continue;
        yk_status st = yk_pedigree_network(&ped->family[f], loci, loci->theta, &net);
        fuzz_check_network(st, &net, "no sentence is asked for");
        yk_network_finish(&net);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char msg[512];
    const char *text = (const char *)data, *cut = memmem(data, size, "----\n", 5);
    if (!cut)
        return 0;
    size_t len = (size_t)(cut - text);
    struct yk_loci loci;
    struct yk_pedigree ped;
    if (yk_read_loci_text("loci", text, len, &loci, msg, sizeof msg) != YK_OK)
        return 0;
    if (yk_read_pedigree_text("ped", cut + 5, size - len - 5, &loci, &ped, msg, sizeof msg) == YK_OK) {
        for (uint32_t f = 0; f < ped.n; f++)
            for (uint32_t i = 0; i < ped.family[f].n; i++) {
                const struct yk_person *p = &ped.family[f].person[i];
                FUZZ_REQUIRE((p->father == YK_NO_PERSON) == (p->mother == YK_NO_PERSON));
                FUZZ_REQUIRE(p->father == YK_NO_PERSON || (p->father < i && p->mother < i));
            }
        build(&ped, &loci);
    }
    yk_pedigree_finish(&ped);
    yk_loci_finish(&loci);
    return 0;
}
