/* Evidence of a network of six variables. */
#include "tests/fuzz/fuzz.h"
#include "solver/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char msg[512];
    uint32_t domain[] = {2, 3, 1, 2, 21, 2};
    const char *name[] = {"a", "b", "c", "d", "e", "1"};
    struct yk_network net = {.nvars = 6, .domain = domain, .name = name};
    struct yk_evidence ev;
    yk_status st = yk_read_evidence_text("fuzz", (const char *)data, size, &net, &ev, msg, sizeof msg);
    FUZZ_REQUIRE(st == YK_OK || (ev.n == 0 && !ev.var));
    for (size_t i = 0; i < ev.n; i++)
        FUZZ_REQUIRE(ev.var[i] < 6 && ev.state[i] < domain[ev.var[i]]);
    yk_evidence_finish(&ev);
    return 0;
}
