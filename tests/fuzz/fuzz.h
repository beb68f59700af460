/* What the fuzzers share. A fuzzer is LLVMFuzzerTestOneInput; with clang it is libFuzzer that calls it, otherwise
 * mutate.c, which changes the corpus blindly. */
#ifndef YK_TESTS_FUZZ_H
#define YK_TESTS_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "solver/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(x)                                                                                                \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline void fuzz_check_network(yk_status st, const struct yk_network *net, const char *msg)
{
    if (st != YK_OK) {
        FUZZ_REQUIRE(msg[0] && !net->arena.head && !net->nvars && !net->nfactors);
        return;
    }
    for (uint32_t v = 0; v < net->nvars; v++)
        FUZZ_REQUIRE(net->domain[v] >= 1);
    for (size_t i = 0; i < net->nfactors; i++) {
        const struct yk_factor *f = &net->factor[i];
        size_t cells = 1;
        for (uint32_t k = 0; k < f->n; k++) {
            FUZZ_REQUIRE(f->scope[k] < net->nvars);
            cells *= net->domain[f->scope[k]];
        }
        FUZZ_REQUIRE(cells == f->cells);
        for (size_t c = 0; c < cells; c++)
            FUZZ_REQUIRE(isfinite(f->value[c]) && f->value[c] >= 0);
    }
}

#endif
