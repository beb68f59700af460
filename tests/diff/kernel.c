/* One kernel: the range, the arguments (argument.c), the body, the stores (store.c). */
#include "gen.h"
#include "argument.h"
#include "store.h"

#include <stdio.h>
#include <string.h>

#define MOST_ITEMS 8192

static size_t product(const size_t v[3])
{
    return v[0] * v[1] * v[2];
}

/* Ranges of 16 to 8,192 work-items, in at least two work-groups save one in two hundred. No work-group is larger than
 * what the smallest device at hand takes. */
static void range(struct gen *g)
{
    struct plan_kernel *k = g->kernel;
    static const size_t sides[3][8] = {
        {8, 16, 32, 64, 10, 33, 7, 64}, {4, 8, 16, 2, 5, 8, 1, 3}, {2, 4, 1, 3, 2, 4, 2, 1}};
    static const unsigned most_groups[3] = {32, 7, 4};
    k->dims = 1 + gen_below(g, 3);
    k->has_local = gen_below(g, 4) != 0;
    k->has_offset = gen_one_in(g, 4);
    bool lonely = gen_one_in(g, 200);
    for (unsigned d = 0; d < 3; d++) {
        k->local[d] = k->global[d] = 1;
    }
    for (unsigned d = 0; d < k->dims; d++) {
        do {
            k->local[d] = sides[d][gen_below(g, 8)];
        } while (product(k->local) > 256);
        size_t most = MOST_ITEMS / (k->local[d] * product(k->global)), groups = 1;
        if (!lonely && most > 1) {
            groups = (d == 0 ? 2 : 1) + gen_below(g, most_groups[k->dims - 1]);
            groups = groups < most ? groups : most;
        }
        k->global[d] = k->local[d] * groups;
        k->offset[d] = k->has_offset ? gen_below(g, 20) : 0;
    }
    if (!k->has_local && k->global[0] % 8) {
        k->global[0] += 8 - k->global[0] % 8; /* so that a driver finds work-groups to cut it into */
    }
    while (!k->has_local && product(k->global) < 256) {
        k->global[0] *= 2;
    }
    g->dims = k->dims;
    g->groups = k->has_local;
    g->items_total = product(k->global);
}

/* The number of this work-item, from 0, each once. */
static void number_items(struct gen *g)
{
    struct plan_kernel *k = g->kernel;
    char id[3][64], size[3][32];
    unsigned form = gen_below(g, k->has_local ? 5 : 4);
    if (g->own) {
        form = 0;
    } else if (g->linear && gen_one_in(g, 4)) {
        text_add(line(g), "uint me = (uint)get_global_linear_id();\n");
        g->get[C_U].n = 1;
        strcpy(g->get[C_U].v[0], "me");
        return;
    }
    for (unsigned d = 0; d < 3; d++) {
        bool given = d < k->dims;
        if (given && g->own && k->offset[d]) {
            snprintf(id[d], sizeof(id[d]), "(get_global_id(%u) - %zu)", d, k->offset[d]);
        } else {
            snprintf(id[d], sizeof(id[d]),
                     given ? k->offset[d] ? "(get_global_id(%u) - get_global_offset(%u))" : "get_global_id(%u)" : "0",
                     d, d);
        }
        if (form == 1) {
            snprintf(size[d], sizeof(size[d]), "get_global_size(%u)", d);
        } else {
            snprintf(size[d], sizeof(size[d]), "%zu", k->global[d]);
        }
    }
    if (form == 4) {
        text_add(line(g), "uint me = (uint)(");
        const char *const dims[] = {
            "get_group_id(0)", "(get_group_id(1) * get_num_groups(0) + GROUP(0))",
            "((get_group_id(2) * get_num_groups(1) + GROUP(1)) * get_num_groups(0) + get_group_id(0))"};
        text_add(g->out, "%s * %zu + (get_local_id(2) * %zu + get_local_id(1)) * %zu + get_local_id(0));\n",
                 dims[k->dims - 1], product(k->local), k->local[1], k->local[0]);
    } else if (form == 2) {
        text_add(line(g), "uint me = (uint)((%s * %s + %s) * %s + %s);\n", id[0], size[1], id[1], size[2], id[2]);
    } else if (form == 3 && k->dims > 1) {
        struct plan_arg *arg = kernel_arg(g, ARG_SCALAR);
        text_add(&g->params, "uint width");
        arg->bytes = 4;
        for (unsigned l = 0; l < PLAN_LAUNCHES; l++) {
            uint32_t width = (uint32_t)k->global[0];
            memcpy(arg->value[l], &width, 4);
        }
        text_add(line(g), "uint me = (uint)(%s * width * %zu + %s * width + %s);\n", id[2], k->global[1], id[1], id[0]);
    } else {
        text_add(line(g), "uint me = (uint)((%s * %s + %s) * %s + %s);\n", id[2], size[1], id[1], size[0], id[0]);
    }
    g->get[C_U].n = 1;
    strcpy(g->get[C_U].v[0], "me");
}

/* A phase through local memory: what the work-items of a group put there, others read. */
static void local_phase(struct gen *g)
{
    struct plan_kernel *k = g->kernel;
    size_t size = product(k->local);
    enum cls c = g->floats && gen_one_in(g, 2) ? C_F : C_U;
    const char *type = c == C_F ? "float" : "uint";
    unsigned id = g->next_name++, how = gen_below(g, 4);
    if (gen_one_in(g, 2)) {
        kernel_arg(g, ARG_LOCAL)->bytes = size * 4;
        text_add(&g->params, "__local %s *lm%u", type, id);
    } else {
        text_add(line(g), "__local %s lm%u[%zu];\n", type, id, size);
    }
    text_add(line(g), "%s t%u = ", type, id);
    g->budget = 8;
    text_add(g->out, c == C_F ? "tame(" : "(");
    expr(g, g->out, c, 3);
    text_add(g->out, ");\n");
    unsigned rounds = how == 3 ? 2 + gen_below(g, 3) : 1;
    if (rounds > 1) {
        text_add(line(g), "for (uint r = 0; r < %u; r++) {\n", rounds);
        g->indent++;
    }
    text_add(line(g), "lm%u[lid] = t%u;\n", id, id);
    text_add(line(g), "barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (how == 0) {
        text_add(line(g), "for (uint s = %u; s > 0; s >>= 1) {\n",
                 1u << (31 - (unsigned)__builtin_clz((unsigned)size)));
        text_add(line(g), "    if (lid < s && lid + s < %zu)\n", size);
        text_add(line(g), "        lm%u[lid] += lm%u[lid + s];\n", id, id);
        text_add(line(g), "    barrier(CLK_LOCAL_MEM_FENCE);\n");
        text_add(line(g), "}\n");
        text_add(line(g), "t%u = lm%u[0];\n", id, id);
    } else if (how == 1) {
        text_add(line(g), "t%u = lm%u[%zu - lid];\n", id, id, size - 1);
    } else {
        text_add(line(g), "t%u += lm%u[(lid + %u) %% %zu];\n", id, id, 1 + gen_below(g, 40), size);
    }
    text_add(line(g), "barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (rounds > 1) {
        g->indent--;
        text_add(line(g), "}\n");
    }
    if (c == C_F) {
        text_add(line(g), "t%u = tame(t%u);\n", id, id);
    }
    snprintf(g->get[c].v[g->get[c].n++], sizeof(g->get[c].v[0]), "t%u", id);
}

static void begin(struct gen *g, struct plan_kernel *kernel, unsigned number, struct text *body)
{
    g->kernel = kernel;
    kernel->swap[0] = kernel->swap[1] = -1;
    snprintf(kernel->name, sizeof(kernel->name), "k%u_%llx", number, (unsigned long long)g->plan->seed);
    kernel->inexact = gen_below(g, 100) < g->limits->inexact;
    kernel->launches = gen_one_in(g, 3) && !g->limits->apart ? 2 + gen_below(g, PLAN_LAUNCHES - 1) : 1;
    kernel->queue = gen_one_in(g, 6);
    kernel->touched = kernel->launches > 1 && gen_one_in(g, 3);
    g->params.n = 0;
    g->out = body;
    g->indent = 1;
    g->loops = 0;
    g->input_count = 0;
    g->items = true;
    g->floats = kernel->inexact;
    g->doubles = kernel->inexact && g->limits->doubles && gen_one_in(g, 2);
    g->light = g->limits->light && gen_below(g, 100) < g->limits->light;
    g->own = g->light && gen_below(g, 4);
    static const unsigned widths[] = {0, 2, 4, 8, 16, 0};
    g->lanes = widths[gen_below(g, g->light ? 3 : 6)];
    g->vector_of = g->doubles && gen_one_in(g, 2) ? C_D
                   : g->floats && gen_below(g, 4) ? C_F
                   : gen_one_in(g, 3)             ? C_L
                                                  : C_U;
    memset(g->set, 0, sizeof(g->set));
    memset(g->get, 0, sizeof(g->get));
}

void kernel_make(struct gen *g, struct plan_kernel *kernel, unsigned number)
{
    struct text body = {0}, *source = &g->plan->source;
    begin(g, kernel, number, &body);
    range(g);
    number_items(g);
    struct store_set stores;
    stores_plan(g, &stores);
    for (unsigned i = 0, n = gen_below(g, 4); i < n && kernel->arg_count < 16; i++) {
        kernel_input(g);
    }
    for (unsigned i = 0, n = gen_below(g, 4); i < n && kernel->arg_count < 18; i++) {
        kernel_scalar(g);
    }
    bool phases = kernel->has_local && gen_one_in(g, g->light ? 4 : 2);
    if (kernel->has_local) {
        text_add(line(g), "uint lid = (uint)((get_local_id(2) * %zu + get_local_id(1)) * %zu + get_local_id(0));\n",
                 kernel->local[1], kernel->local[0]);
    }
    if (!phases && gen_one_in(g, 5)) {
        text_add(line(g),
                 gen_one_in(g, 2) ? "if (me >= %zu)\n        return;\n" : "if (me %% %zu == 3)\n        return;\n",
                 g->items_total - g->items_total / 7);
    }
    declare(g, C_U);
    declare(g, C_U);
    if (g->floats) {
        declare(g, C_F);
    }
    if (g->doubles) {
        declare(g, C_D);
    }
    if (g->lanes) {
        declare(g, C_V);
    }
    declare(g, C_L);
    stores_load(g, &stores);
    statements(g, g->light ? gen_below(g, 3) : 2 + gen_below(g, 4));
    for (unsigned i = 0, n = phases ? g->light ? 1 : 1 + gen_below(g, 2) : 0; i < n; i++) {
        local_phase(g);
        statements(g, g->light ? gen_below(g, 2) : 1 + gen_below(g, 2));
    }
    stores_write(g, &stores);

    text_add(source, "%s", gen_one_in(g, 4) ? "kernel " : "__kernel ");
    if (kernel->has_local && gen_one_in(g, 6)) {
        text_add(source, "__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ", kernel->local[0], kernel->local[1],
                 kernel->local[2]);
    }
    text_add(source, "void %s(%s)\n{\n%s}\n\n", kernel->name, g->params.v, body.v);
    text_finish(&body);
}
