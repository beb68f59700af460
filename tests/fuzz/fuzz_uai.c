/* UAI models: no crash, no hang, and what is accepted is a network. */
#include "tests/fuzz/fuzz.h"
#include "solver/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char msg[512];
    struct yk_network net;
    yk_status st = yk_read_uai_text("fuzz", (const char *)data, size, &net, msg, sizeof msg);
    fuzz_check_network(st, &net, msg);
    yk_network_finish(&net);
    return 0;
}
