#include "store.h"
#include "argument.h"

#include <stdio.h>
#include <string.h>

static enum base base_to_write(struct gen *g)
{
    if (g->floats && gen_below(g, 3)) {
        return g->doubles && gen_one_in(g, 2) ? B_DOUBLE : B_FLOAT;
    }
    enum base base = (enum base)gen_below(g, B_COUNT);
    return base == B_DOUBLE && !g->limits->doubles ? B_FLOAT : base;
}

static void output(struct gen *g, struct plan_buffer *buffer, unsigned number, const char *type, const char *name)
{
    buffer->written = true;
    kernel_arg(g, ARG_BUFFER)->buffer = number;
    text_add(&g->params, "%s %s *%s", gen_one_in(g, 4) ? "global" : "__global", type, name);
}

/* One more input of the same size, which changes places with the output between launches. */
static void twin(struct gen *g, const struct store *store, size_t count)
{
    struct input *in = &g->inputs[g->input_count];
    *in = (struct input){.base = store->base, .count = count};
    snprintf(in->name, sizeof(in->name), "in%u", g->input_count);
    unsigned buffer = kernel_buffer(g, store->base, count, in->name);
    g->plan->buffers[buffer].written = true;
    g->kernel->swap[0] = (int)g->kernel->arg_count - 1;
    g->kernel->swap[1] = (int)g->kernel->arg_count;
    kernel_arg(g, ARG_BUFFER)->buffer = buffer;
    text_add(&g->params, "__global %s *%s", bases[store->base].name, in->name);
    g->input_count++;
}

void stores_plan(struct gen *g, struct store_set *set)
{
    static const unsigned lanes[] = {2, 3, 4, 8, 16, 4};
    memset(set, 0, sizeof(*set));
    bool power = (g->items_total & (g->items_total - 1)) == 0;
    set->order = gen_below(g, power ? 5 : 3);
    if (gen_one_in(g, 6)) {
        set->order = SCATTERED;
        unsigned buffer = kernel_buffer(g, B_UINT, g->items_total + gen_below(g, 9), "places");
        g->plan->buffers[buffer].permutation = g->items_total;
        kernel_arg(g, ARG_BUFFER)->buffer = buffer;
        text_add(&g->params, "__global const uint *places");
    }
    set->n = 1 + gen_below(g, 3);
    for (unsigned i = 0; i < set->n; i++) {
        struct store *s = &set->v[i];
        s->base = base_to_write(g);
        s->layout = (enum layout)gen_below(g, 3);
        s->per_item = s->layout == BY_VECTOR ? lanes[gen_below(g, g->light ? 3 : 6)]
                      : gen_one_in(g, 2)     ? 1
                                             : 1 + gen_below(g, 3);
        s->pad = gen_one_in(g, 3) ? gen_below(g, 40) : 0;
        s->vector_pointer = s->layout == BY_VECTOR && s->per_item != 3 && gen_one_in(g, 2);
        if (s->vector_pointer) {
            s->pad = s->pad / s->per_item * s->per_item;
        }
        snprintf(s->name, sizeof(s->name), "out%u", i);
        /* Whole vectors, also for those who later read it as vectors. */
        size_t count = (s->pad + s->per_item * g->items_total + gen_below(g, 40) + 63) / 16 * 16;
        unsigned buffer = kernel_buffer(g, s->base, count, s->name);
        char type[24];
        snprintf(type, sizeof(type), s->vector_pointer ? "%s%u" : "%s", bases[s->base].name, s->per_item);
        output(g, &g->plan->buffers[buffer], buffer, type, s->name);
        bool readable_base = g->floats || !bases[s->base].real;
        if (g->kernel->launches > 1 && g->kernel->swap[0] < 0 && !s->vector_pointer && readable_base &&
            gen_one_in(g, 3)) {
            twin(g, s, count);
        }
    }
    const struct plan_kernel *k = g->kernel;
    set->group = k->has_local && gen_one_in(g, 3);
    if (set->group) {
        size_t groups = 1;
        for (unsigned d = 0; d < k->dims; d++) {
            groups *= k->global[d] / k->local[d];
        }
        set->group_base = base_to_write(g);
        unsigned buffer = kernel_buffer(g, set->group_base, groups + gen_below(g, 5), "group_out");
        output(g, &g->plan->buffers[buffer], buffer, bases[set->group_base].name, "group_out");
    }
    set->flags = gen_one_in(g, 25) && !g->limits->apart;
    set->atomics = gen_one_in(g, 15) && !g->limits->apart;
    if (set->flags) {
        unsigned buffer = kernel_buffer(g, B_UCHAR, 16, "flags");
        output(g, &g->plan->buffers[buffer], buffer, "uchar", "flags");
    }
    if (set->atomics) {
        unsigned buffer = kernel_buffer(g, B_UINT, 16, "sums");
        output(g, &g->plan->buffers[buffer], buffer, "uint", "sums");
    }
}

static void cell(struct gen *g, const struct store_set *set)
{
    size_t n = g->items_total;
    text_add(line(g), "size_t cell = ");
    if (set->order < 2) {
        text_add(g->out, "me");
    } else if (set->order == 2) {
        text_add(g->out, "%zu - me", n - 1);
    } else if (set->order == SCATTERED) {
        text_add(g->out, "places[me]");
    } else if (set->order == 3) {
        text_add(g->out, "me ^ %zu", (size_t)gen_below(g, (unsigned)n));
    } else {
        text_add(g->out, "(me * %u + 5) & %zu", 2 * gen_below(g, 50) + 1, n - 1);
    }
    text_add(g->out, ";\n");
}

/* Where the work-item's number K of STORE lies; K is text. */
static void place(struct gen *g, const struct store *s, const char *k)
{
    if (s->layout == BY_NUMBER) {
        text_add(g->out, "%u + %s * %zu + cell", s->pad, k, g->items_total);
    } else {
        text_add(g->out, "%u + cell * %u + %s", s->pad, s->per_item, k);
    }
}

/* In-place kernels begin with what their cells hold. */
void stores_load(struct gen *g, const struct store_set *set)
{
    cell(g, set);
    for (unsigned i = 0; i < set->n; i++) {
        const struct store *s = &set->v[i];
        bool real = bases[s->base].real;
        if (s->vector_pointer || gen_below(g, 3) || (real && !g->floats)) {
            continue;
        }
        enum cls c = real ? C_F : C_U;
        unsigned id = g->next_name++;
        text_add(line(g), "%s %c%u = (%s)%s[", real ? "float" : "uint", real ? 'f' : 'u', id, real ? "float" : "uint",
                 s->name);
        place(g, s, "0");
        text_add(g->out, "];\n");
        if (g->get[c].n < NAMES) {
            snprintf(g->get[c].v[g->get[c].n++], sizeof(g->get[c].v[0]), "%c%u", real ? 'f' : 'u', id);
        }
    }
}

static void written_value(struct gen *g, enum base base, unsigned depth)
{
    g->budget = 8;
    expr_as_base(g, g->out, base, depth);
}

/* A vector value of LANES numbers: the kernel's own vector converted, or put together from numbers. */
static void vector_value(struct gen *g, const struct store *s)
{
    const char *base = bases[s->base].name;
    bool same = bases[s->base].real == (g->vector_of == C_F || g->vector_of == C_D);
    if (g->lanes == s->per_item && same && g->get[C_V].n) {
        char type[16];
        cls_name(g, C_V, type);
        text_add(g->out, "convert_%s%u(", base, s->per_item);
        g->budget = 8;
        text_add(g->out, bases[s->base].real ? "CLEANV(" : "(");
        expr(g, g->out, C_V, 2);
        text_add(g->out, bases[s->base].real ? ", %s))" : "))", type);
        return;
    }
    text_add(g->out, "(%s%u)(", base, s->per_item);
    for (unsigned i = 0; i < s->per_item; i++) {
        text_add(g->out, i ? ", " : "");
        g->budget = 4;
        expr_as_base(g, g->out, s->base, s->per_item > 4 ? 1 : 2);
    }
    text_add(g->out, ")");
}

static void guard(struct gen *g)
{
    if (gen_one_in(g, 4)) {
        text_add(line(g), "if (");
        g->budget = 5;
        expr_condition(g, g->out, 2);
        text_add(g->out, ")\n");
        text_add(g->out, "    ");
    }
}

static void write_vector(struct gen *g, const struct store *s)
{
    guard(g);
    if (s->vector_pointer) {
        bool part = gen_one_in(g, 3);
        text_add(line(g), "%s[%u + cell]", s->name, s->pad / s->per_item);
        text_add(g->out, part ? ".s%x = " : " = ", gen_below(g, s->per_item));
        if (part) {
            written_value(g, s->base, 3);
        } else {
            vector_value(g, s);
        }
        text_add(g->out, ";\n");
        return;
    }
    text_add(line(g), "vstore%u(", s->per_item);
    vector_value(g, s);
    text_add(g->out, ", cell, %s + %u);\n", s->name, s->pad);
}

static void write_numbers(struct gen *g, const struct store *s)
{
    bool real = bases[s->base].real;
    unsigned how = gen_below(g, 7);
    const char *name = s->name, *type = bases[s->base].name;
    if (s->per_item > 1 && how < 3) { /* all of them in a loop */
        text_add(line(g), "for (uint k = 0; k < %u; k++)\n    ", s->per_item);
        text_add(line(g), "%s[", name);
        place(g, s, "k");
        text_add(g->out, "] = ");
        struct names get = g->get[C_U];
        snprintf(g->get[C_U].v[g->get[C_U].n < NAMES ? g->get[C_U].n++ : 1], sizeof(g->get[C_U].v[0]), "k");
        written_value(g, s->base, 3);
        g->get[C_U] = get;
        text_add(g->out, ";\n");
        return;
    }
    if (s->layout == BY_ITEM && how == 3) { /* through a pointer of its own */
        text_add(line(g), "__global %s *p_%s = %s + %u + cell * %u;\n", type, name, name, s->pad, s->per_item);
        for (unsigned k = 0; k < s->per_item; k++) {
            text_add(line(g), k + 1 < s->per_item ? "*p_%s++ = " : "*p_%s = ", name);
            written_value(g, s->base, 3);
            text_add(g->out, ";\n");
        }
        return;
    }
    for (unsigned k = 0; k < s->per_item; k++) {
        char number[16];
        snprintf(number, sizeof(number), "%u", k);
        if (k && gen_one_in(g, 4)) {
            continue; /* stays what it was */
        }
        guard(g);
        unsigned style = gen_below(g, 6);
        if (style == 0 && s->base == B_UINT) {
            text_add(line(g), "hw0(%s, ", name);
            place(g, s, number);
            text_add(g->out, ", ");
            written_value(g, s->base, 2);
            text_add(g->out, ");\n");
        } else if (style == 1) {
            text_add(line(g), "STORE(%s, ", name);
            place(g, s, number);
            text_add(g->out, ", ");
            written_value(g, s->base, 3);
            text_add(g->out, ");\n");
        } else if (style == 2 && !real && !bases[s->base].is_signed) {
            text_add(line(g), "%s[", name);
            place(g, s, number);
            text_add(g->out, "] %s ", gen_one_in(g, 2) ? "+=" : "^=");
            written_value(g, s->base, 3);
            text_add(g->out, ";\n");
        } else {
            text_add(line(g), "%s[", name);
            place(g, s, number);
            text_add(g->out, "] = ");
            written_value(g, s->base, 4);
            text_add(g->out, ";\n");
        }
    }
}

void stores_write(struct gen *g, const struct store_set *set)
{
    for (unsigned i = 0; i < set->n; i++) {
        const struct store *s = &set->v[i];
        if (s->layout == BY_VECTOR) {
            write_vector(g, s);
        } else {
            write_numbers(g, s);
        }
    }
    if (set->group) {
        static const char *const linear[] = {
            "get_group_id(0)", "get_group_id(1) * get_num_groups(0) + get_group_id(0)",
            "(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)"};
        text_add(line(g), "if (lid == 0)\n    ");
        text_add(line(g), "group_out[%s] = ", linear[g->dims - 1]);
        written_value(g, set->group_base, 3);
        text_add(g->out, ";\n");
    }
    if (set->flags) {
        text_add(line(g), "if (");
        g->budget = 4;
        expr_condition(g, g->out, 2);
        text_add(g->out, ")\n    ");
        text_add(line(g), "flags[(");
        expr(g, g->out, C_U, 1);
        text_add(g->out, ") & 15] = 1;\n");
    }
    if (set->atomics) {
        static const char *const commuting[] = {"add", "sub", "and", "or", "xor", "min", "max"};
        const char *op = commuting[gen_below(g, 7)];
        text_add(line(g), "atomic_%s(&sums[(", op);
        expr(g, g->out, C_U, 1);
        text_add(g->out, ") & 15], ");
        g->budget = 4;
        expr(g, g->out, C_U, 2);
        text_add(g->out, ");\n");
    }
}
