/* Saved plans: no crash, no hang, and what is accepted is a plan of the network. */
#include <stdio.h>
#include <stdlib.h>
#include "solver/search/plan_tools.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* the network that the corpus was saved for: a ring of six variables, and a factor over three of them */
    static uint32_t domain[6] = {2, 3, 2, 4, 2, 3}, scope[6][2], three[3] = {0, 2, 4};
    static struct yk_factor factor[7];
    static const struct yk_search_model model = {.per_node = 1e-6, .per_operation = 1e-9, .per_cell = 1e-9};
    char msg[512];
    struct yk_solver_plan p;
    for (uint32_t i = 0; i < 6; i++) {
        scope[i][0] = i;
        scope[i][1] = (i + 1) % 6;
        factor[i] = (struct yk_factor){.n = 2, .scope = scope[i], .cells = (size_t)domain[i] * domain[(i + 1) % 6]};
    }
    factor[6] = (struct yk_factor){.n = 3, .scope = three, .cells = 8};
    const struct yk_network net = {.nvars = 6, .domain = domain, .nfactors = 7, .factor = factor};
    FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!f)
        return 0;
    yk_status st = yk_solver_plan_read(&p, &net, f, "fuzz", &model, false, msg, sizeof msg);
    fclose(f);
    if (st == YK_OK && yk_solver_plan_check(&p, &net, msg, sizeof msg) != YK_OK)
        abort();
    if (st != YK_OK && (p.node || !msg[0]))
        abort();
    yk_solver_plan_finish(&p);
    return 0;
}
