/* What a launch of an invented size would come to, for `yoke explain`: along which dimension it would be cut, and how
 * its outputs would be put together. Real launches are judged by their own sizes and by where their bytes are. */
#include <inttypes.h>
#include "transform/facts_cut.h"
#include "transform/facts_explain.h"

enum { ARGS = 64, TAKERS = 2 };

struct example {
    struct yk_range range;
    struct yk_reach_launch launch;
    struct yk_reach_arg arg[ARGS];
    uint64_t scalar; /* the value of every integer argument */
};

/* As many dimensions as K's expressions speak of. */
static unsigned dims_of(const struct yk_facts_kernel *k)
{
    unsigned dims = 1;
    for (unsigned i = 0; i < k->nnodes; i++)
        if (k->node[i].op >= YK_NODE_GLOBAL_ID && k->node[i].op <= YK_NODE_GLOBAL_OFFSET && k->node[i].imm >= dims &&
            k->node[i].imm < 3)
            dims = (unsigned)k->node[i].imm + 1;
    return dims;
}

static bool make(struct example *e, const struct yk_facts_kernel *k)
{
    static const uint64_t side[3] = {65536, 256, 64}, group[3][3] = {{64, 1, 1}, {16, 16, 1}, {8, 4, 4}};
    unsigned dims = dims_of(k);
    uint64_t items = 1;
    *e = (struct example){.range = {.dims = dims}, .launch = {.dims = dims, .arg = e->arg}, .scalar = side[dims - 1]};
    for (unsigned d = 0; d < 3; d++) {
        uint64_t local = k->reqd_group[0] ? k->reqd_group[d] : group[dims - 1][d];
        local = d < dims && local ? local : 1;
        e->launch.local[d] = local;
        e->launch.groups[d] = e->range.groups[d] = d < dims ? (side[dims - 1] + local - 1) / local : 1;
        items *= e->launch.groups[d] * local;
    }
    for (unsigned i = 0; i < k->nargs && i < ARGS; i++) {
        if (k->arg[i].kind == YK_ARG_VALUE)
            e->arg[i] = (struct yk_reach_arg){&e->scalar, k->arg[i].size < 8 ? k->arg[i].size : 8};
        else if (k->arg[i].kind == YK_ARG_GLOBAL || k->arg[i].kind == YK_ARG_CONSTANT)
            e->arg[i].size = items * 64;
    }
    return k->nargs <= ARGS;
}

static const char *outputs(const struct yk_facts_kernel *k, const struct yk_reach *r)
{
    bool written = false, inexact = false, whole = false;
    for (size_t i = 0; i < r->touch.n; i++) {
        const struct yk_touch *t = &r->touch.v[i];
        if (t->kind == YK_ACCESS_READ || k->arg[t->arg].reduces)
            continue;
        written = true;
        inexact |= !t->exact;
        whole |= t->whole;
    }
    return !written       ? "none in the example, but for atomics"
           : !inexact     ? "exact regions: every byte between the first and the last of a row is surely written"
           : k->mergeable ? whole
                                ? "merge kernel, or byte difference where that is cheaper: some store may go anywhere"
                                : "merge kernel, or byte difference where that is cheaper: some store may not happen, "
                                  "or it is not known where"
           : whole        ? "byte difference: some store may go anywhere in its buffer"
                          : "byte difference within bounds: some store may not happen, or it is not known where";
}

static void print(const struct example *e, const struct yk_cut_cost *cost, FILE *out)
{
    unsigned best = yk_cut_best(&e->range, cost, false);
    fprintf(out, "  cut         along dimension %u, for example two devices, %" PRIu64, best, e->scalar);
    for (unsigned d = 1; d < e->range.dims; d++)
        fprintf(out, " x %" PRIu64, e->scalar);
    fprintf(out, " work-items, integers %" PRIu64 ":", e->scalar);
    for (unsigned d = 0; d < e->range.dims; d++)
        fprintf(out, "%s dimension %u %" PRIu64 " bytes in, %" PRIu64 " pieces out", d ? ";" : "", d, cost[d].bytes,
                cost[d].pieces);
    putc('\n', out);
}

void yk_facts_explain_example(FILE *out, const struct yk_facts_kernel *k)
{
    struct example e;
    struct yk_reach reach = {0};
    struct yk_cut_cost cost[3];
    bool known = k->verdict != YK_VERDICT_WHOLE && make(&e, k);
    for (unsigned d = 0; known && d < e.range.dims; d++) {
        e.range.axis = d + 1;
        known = yk_cut_evaluate(&reach, k, &e.launch, &e.range, TAKERS, &cost[d]) == YK_OK;
    }
    if (known) {
        if (e.range.dims > 1)
            print(&e, cost, out);
        fprintf(out, "  outputs     %s\n", outputs(k, &reach));
        if (k->unmerged[0])
            fprintf(out, "  no merge kernel: %s\n", k->unmerged);
    }
    yk_reach_finish(&reach);
}
