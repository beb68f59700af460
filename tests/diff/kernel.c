/* One kernel: the range, the arguments, the body, the stores (store.c). */
#include "gen.h"
#include "store.h"

#include <stdio.h>
#include <string.h>

#define MOST_ITEMS 8192

unsigned kernel_buffer(struct gen *g, enum base base, size_t count, const char *name)
{
    struct plan *plan = g->plan;
    if (plan->buffer_count == plan->buffer_room) {
        struct plan_buffer *more = alloc_or_end((plan->buffer_room + 256) * sizeof(*more));
        if (plan->buffer_count) {
            memcpy(more, plan->buffers, plan->buffer_count * sizeof(*more));
        }
        free(plan->buffers);
        plan->buffers = more;
        plan->buffer_room += 256;
    }
    struct plan_buffer *buffer = &plan->buffers[plan->buffer_count];
    *buffer = (struct plan_buffer){.base = base, .count = count, .seed = random_next(&g->rng)};
    buffer->kernel = (unsigned)(g->kernel - plan->kernels);
    buffer->fill = (enum fill_way)gen_below(g, FILL_WAYS);
    buffer->read = (enum read_way)gen_below(g, READ_WAYS);
    buffer->part = gen_one_in(g, 5);
    snprintf(buffer->name, sizeof(buffer->name), "%s", name);
    return plan->buffer_count++;
}

struct plan_arg *kernel_arg(struct gen *g, enum arg_kind kind)
{
    struct plan_arg *arg = &g->kernel->args[g->kernel->arg_count++];
    *arg = (struct plan_arg){.kind = kind};
    if (g->params.n) {
        text_add(&g->params, ", ");
    }
    return arg;
}

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

/* The first number of a buffer of numbers of SIZE bytes at or behind number AT where a sub-buffer may begin. */
static size_t aligned(size_t at, size_t size)
{
    return (at * size + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN / size;
}

/* A buffer that the kernel has already as an input, or a sub-buffer of it: into IN and *ARG. */
static bool same_again(struct gen *g, struct input *in, struct plan_arg *arg)
{
    const struct input *old = g->input_count ? &g->inputs[gen_below(g, g->input_count)] : NULL;
    if (!old || !old->shareable) {
        return false;
    }
    const struct plan_buffer *buffer = &g->plan->buffers[old->buffer];
    size_t at = aligned(old->count / 4, bases[old->base].size);
    *in = *old;
    arg->buffer = old->buffer;
    if (!buffer->part && at + 64 <= buffer->count && gen_one_in(g, 2)) {
        arg->view_at = at;
        in->count = arg->view_count = buffer->count - at;
    }
    return true;
}

/* What lies behind the cells of a buffer that the kernel writes, as a sub-buffer: into IN and *ARG. */
static bool behind_output(struct gen *g, struct input *in, struct plan_arg *arg)
{
    struct plan_kernel *k = g->kernel;
    for (unsigned a = 0; a < k->arg_count; a++) {
        struct plan_buffer *buffer = k->args[a].kind == ARG_BUFFER ? &g->plan->buffers[k->args[a].buffer] : NULL;
        if (!buffer || !buffer->written || (int)a == k->swap[0] || (int)a == k->swap[1] ||
            &g->plan->kernels[buffer->kernel] != k || (bases[buffer->base].real && !g->floats) ||
            strncmp(buffer->name, "out", 3) != 0) {
            continue;
        }
        arg->buffer = k->args[a].buffer;
        arg->view_at = aligned(buffer->count, bases[buffer->base].size);
        arg->view_count = 64 + gen_below(g, 500) / 16 * 16;
        buffer->count = arg->view_at + arg->view_count;
        buffer->part = false;
        in->base = buffer->base;
        in->count = arg->view_count;
        return true;
    }
    return false;
}

/* An input that is one memory with another argument. */
static bool alias(struct gen *g, struct input *in)
{
    struct plan_arg arg = {.kind = ARG_BUFFER};
    struct input made = {.count = 0};
    unsigned number = g->input_count;
    bool behind = gen_one_in(g, 2);
    if (g->limits->apart || !(behind ? behind_output(g, &made, &arg) : same_again(g, &made, &arg))) {
        return false;
    }
    *in = made;
    in->shareable = false;
    in->count_name[0] = 0;
    in->for_helper = in->base == B_UINT;
    snprintf(in->name, sizeof(in->name), "in%u", number);
    struct plan_arg *to = kernel_arg(g, ARG_BUFFER);
    to->buffer = arg.buffer;
    to->view_at = arg.view_at;
    to->view_count = arg.view_count;
    text_add(&g->params, "__global const %s *%s", bases[in->base].name, in->name);
    g->input_count++;
    return true;
}

static void input(struct gen *g)
{
    struct plan *plan = g->plan;
    struct input *in = &g->inputs[g->input_count];
    unsigned number = g->input_count;
    if (gen_one_in(g, 5) && alias(g, in)) {
        return;
    }
    *in = (struct input){.count = 0};
    snprintf(in->name, sizeof(in->name), "in%u", number);
    unsigned buffer = 0;
    bool chained = false;
    for (unsigned try = 0; g->limits->chain && !g->limits->apart && try < 3 && plan->buffer_count && !chained; try++) {
        buffer = gen_below(g, plan->buffer_count);
        const struct plan_buffer *old = &plan->buffers[buffer];
        chained = old->written && &plan->kernels[old->kernel] != g->kernel && old->count >= 64 &&
                  (!bases[old->base].real || g->floats);
    }
    if (!chained) {
        enum base base = (enum base)gen_below(g, B_COUNT);
        if (bases[base].real && (!g->floats || (base == B_DOUBLE && !g->limits->doubles))) {
            base = B_UINT;
        }
        buffer = kernel_buffer(g, base, 64 + gen_below(g, 4096), in->name);
    }
    in->base = plan->buffers[buffer].base;
    in->count = plan->buffers[buffer].count;
    in->buffer = buffer;
    in->shareable = true;
    static const char *const spaces[] = {"__global const", "__global const", "global", "const __global",
                                         "__constant const"};
    bool constant_fits = in->count * bases[in->base].size <= 16384;
    kernel_arg(g, ARG_BUFFER)->buffer = buffer;
    unsigned space = gen_below(g, constant_fits ? 5 : 4);
    in->for_helper = in->base == B_UINT && space < 4;
    text_add(&g->params, "%s %s *%s%s", spaces[space], bases[in->base].name, gen_one_in(g, 4) ? "restrict " : "",
             in->name);
    g->input_count++;
    if (gen_one_in(g, 2)) {
        snprintf(in->count_name, sizeof(in->count_name), "n%u", number);
        struct plan_arg *arg = kernel_arg(g, ARG_SCALAR);
        arg->bytes = 4;
        for (unsigned l = 0; l < PLAN_LAUNCHES; l++) {
            uint32_t count = (uint32_t)in->count;
            memcpy(arg->value[l], &count, 4);
        }
        text_add(&g->params, "uint %s", in->count_name);
    }
}

/* A scalar argument of any size and width, with another value at each launch; the body sees it as a uint or float. */
static void scalar(struct gen *g)
{
    static const unsigned widths[] = {1, 1, 1, 2, 3, 4, 8, 16};
    enum base base = (enum base)gen_below(g, B_COUNT);
    if (bases[base].real && (!g->floats || (base == B_DOUBLE && !g->limits->doubles))) {
        base = B_USHORT;
    }
    unsigned lanes = widths[gen_below(g, 8)], id = g->next_name++;
    struct plan_arg *arg = kernel_arg(g, ARG_SCALAR);
    arg->bytes = bases[base].size * (lanes == 3 ? 4 : lanes);
    struct plan_buffer as = {.base = base, .count = arg->bytes / bases[base].size};
    for (unsigned l = 0; l < PLAN_LAUNCHES; l++) {
        as.seed = random_next(&g->rng);
        plan_buffer_fill(&as, arg->value[l]);
    }
    char part[16] = "", width[16] = "";
    if (lanes > 1) {
        snprintf(part, sizeof(part), ".s%x", gen_below(g, lanes));
        snprintf(width, sizeof(width), "%u", lanes);
    }
    text_add(&g->params, "%s%s%s s%u", gen_one_in(g, 4) ? "const " : "", bases[base].name, width, id);
    bool real = bases[base].real;
    text_add(line(g), "%s %c%u = (%s)s%u%s;\n", real ? "float" : "uint", real ? 'f' : 'u', id, real ? "float" : "uint",
             id, part);
    enum cls c = real ? C_F : C_U;
    snprintf(g->get[c].v[g->get[c].n++], sizeof(g->get[c].v[0]), "%c%u", real ? 'f' : 'u', id);
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
        input(g);
    }
    for (unsigned i = 0, n = gen_below(g, 4); i < n && kernel->arg_count < 18; i++) {
        scalar(g);
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
