/* Records of facts: no crash, no hang; what is accepted can be evaluated, and every region lies in its buffer. The last
 * line, a checksum, is put right here, or nothing would ever get past it. */
#include <inttypes.h>
#include <string.h>
#include "base/hash.h"
#include "tests/fuzz/fuzz.h"
#include "transform/facts_regions.h"

static void evaluate(const struct yk_facts_kernel *k)
{
    static const unsigned char zeros[4096], ones[4096] = {1};
    static const struct yk_box box[2] = {{{0, 0, 0}, {4, 3, 2}}, {{3, 1, 0}, {5, 1, 2}}};
    struct yk_reach_arg *arg = calloc(k->nargs + 1u, sizeof *arg);
    struct yk_reach r = {.form = NULL};
    struct yk_reach_launch l = {3, {8, 3, 2}, {64, 2, 1}, {0, 5, 1}, arg};
    FUZZ_REQUIRE(arg);
    for (unsigned i = 0; i < k->nargs; i++) {
        bool value = k->arg[i].kind == YK_ARG_VALUE && k->arg[i].size <= sizeof zeros;
        arg[i] = (struct yk_reach_arg){value ? (i & 1 ? ones : zeros) : NULL, value ? k->arg[i].size : 1000 * i};
    }
    for (unsigned b = 0; b < 2; b++) {
        FUZZ_REQUIRE(yk_reach_box(&r, k, &l, &box[b]) == YK_OK);
        for (size_t t = 0; t < r.touch.n; t++)
            FUZZ_REQUIRE(r.touch.v[t].arg < k->nargs &&
                         yk_region_end(&r.touch.v[t].region) <= arg[r.touch.v[t].arg].size);
    }
    yk_reach_finish(&r);
    free(arg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 64);
    struct yk_facts f;
    FUZZ_REQUIRE(text);
    if (size)
        memcpy(text, data, size);
    int n = sprintf(text + size, "sum %016" PRIx64 "\n", yk_hash_bytes((struct yk_hash){0, 0}, text, size).lo);
    if (yk_facts_parse(text, size + (size_t)n, &f) == YK_OK)
        for (unsigned i = 0; i < f.nkernels; i++)
            evaluate(&f.kernel[i]);
    else
        FUZZ_REQUIRE(!f.nkernels && !f.arena.head);
    yk_facts_finish(&f);
    free(text);
    return 0;
}
