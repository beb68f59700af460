/* The arguments of a kernel, the buffers behind them, and which of them are one memory. */
#include "argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void kernel_input(struct gen *g)
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

void kernel_scalar(struct gen *g)
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
