/* Expressions. Each is defined for every input (see gen.h). */
#include "gen.h"

#include <stdio.h>
#include <string.h>

unsigned gen_below(struct gen *g, unsigned n)
{
    return random_below(&g->rng, n);
}

bool gen_one_in(struct gen *g, unsigned n)
{
    return gen_below(g, n) == 0;
}

void cls_name(const struct gen *g, enum cls c, char name[16])
{
    static const char *const scalar[] = {"uint", "ulong", "float", "double"};
    if (c == C_V) {
        snprintf(name, 16, "%s%u", scalar[g->vector_of], g->lanes);
    } else {
        snprintf(name, 16, "%s", scalar[c]);
    }
}

enum cls cls_any(struct gen *g)
{
    for (;;) {
        enum cls c = (enum cls)gen_below(g, C_COUNT);
        if ((c == C_F && !g->floats) || (c == C_D && !g->doubles) || (c == C_V && !g->lanes)) {
            continue;
        }
        return c;
    }
}

static const char *readable(struct gen *g, enum cls c)
{
    const struct names *names = &g->get[c];
    return names->n ? names->v[gen_below(g, names->n)] : NULL;
}

void expr_form(struct gen *g, struct text *to, const char *pattern, unsigned depth)
{
    for (const char *p = pattern; *p; p++) {
        switch (*p) {
        case 'U':
            expr(g, to, C_U, depth);
            break;
        case 'L':
            expr(g, to, C_L, depth);
            break;
        case 'F':
            expr(g, to, C_F, depth);
            break;
        case 'D':
            expr(g, to, C_D, depth);
            break;
        case 'V':
            expr(g, to, C_V, depth);
            break;
        case 'B':
            expr_condition(g, to, depth);
            break;
        case 'K':
            text_add(to, "%uu", gen_below(g, 13) + 1);
            break;
        default:
            text_add(to, "%c", *p);
        }
    }
}

static void work_item_leaf(struct gen *g, struct text *to)
{
    static const char *const global_names[] = {"get_global_id", "get_global_id", "get_global_size", "get_global_offset",
                                               "GID"};
    static const char *const group_names[] = {"get_local_id",   "get_group_id",   "get_group_id",
                                              "get_num_groups", "get_local_size", "GROUP"};
    const char *name = g->groups && gen_one_in(g, 2) ? PICK(g, group_names) : PICK(g, global_names);
    unsigned how = gen_below(g, 12);
    if (g->own) {
        bool local = g->groups && gen_one_in(g, 3);
        text_add(to, "(uint)%s(%u)", local ? "get_local_id" : "get_global_id", gen_below(g, g->dims));
    } else if (g->linear && gen_one_in(g, 4)) {
        text_add(to, g->groups && gen_one_in(g, 2) ? "(uint)get_local_linear_id()" : "(uint)get_global_linear_id()");
    } else if (how == 0) {
        text_add(to, "get_work_dim()");
    } else if (how == 1) {
        text_add(to, "(uint)%s(%s & 1)", name, readable(g, C_U) ? readable(g, C_U) : "1u");
    } else {
        /* Now and then a dimension that the launch does not have. */
        text_add(to, "(uint)%s(%u)", name, how == 2 ? gen_below(g, 4) : gen_below(g, g->dims));
    }
}

static void index_of(struct gen *g, struct text *to, const struct input *input, unsigned per, unsigned depth)
{
    size_t count = input->count / per;
    text_add(to, "(");
    if (g->get[C_U].n && strcmp(g->get[C_U].v[0], "me") == 0 && gen_one_in(g, 2)) {
        /* N: a number, or an argument that holds one. */
        static const char *const near[] = {"me",
                                           "me + N",
                                           "me * N",
                                           "(uint)get_global_id(0) + N",
                                           "me - me % N",
                                           "me / N * N * 2 + me % N",
                                           "mad24(me & 0xffffu, N, me & 3)",
                                           "abs((int)me - (int)N)"};
        char number[24];
        snprintf(number, sizeof(number), "%uu", gen_below(g, 9) + 1);
        const char *n = input->count_name[0] && gen_one_in(g, 3) ? input->count_name : number;
        for (const char *p = near[gen_below(g, 8)]; *p; p++) {
            if (*p == 'N') {
                text_add(to, "%s", n);
            } else {
                text_add(to, "%c", *p);
            }
        }
    } else {
        expr(g, to, C_U, depth ? depth - 1 : 0);
    }
    if (input->count_name[0] && per == 1 && gen_one_in(g, 2)) {
        text_add(to, ") %% %s", input->count_name);
    } else {
        text_add(to, ") %% %zuu", count);
    }
}

void expr_load(struct gen *g, struct text *to, enum cls c, const struct input *input, unsigned depth)
{
    const struct base_info *base = &bases[input->base];
    char type[16];
    cls_name(g, c, type);
    if (c == C_V) {
        text_add(to, "convert_%s(vload%u(", type, g->lanes);
        index_of(g, to, input, g->lanes, depth);
        text_add(to, ", %s))", input->name);
        return;
    }
    bool to_real = c == C_F || c == C_D;
    text_add(to,
             base->real && !to_real ? "(%s)to_int("
             : base->real           ? "(%s)("
             : to_real              ? "(%s)(short)("
                                    : "(%s)(",
             type);
    text_add(to, "%s[", input->name);
    index_of(g, to, input, 1, depth);
    text_add(to, "])");
}

/* Vectors are loaded only from buffers whose conversion is defined for every value. */
static const struct input *any_input(struct gen *g, enum cls c)
{
    if (!g->input_count) {
        return NULL;
    }
    const struct input *input = &g->inputs[gen_below(g, g->input_count)];
    if (bases[input->base].real && !g->floats) {
        return NULL;
    }
    if (c == C_V && (bases[input->base].real != (g->vector_of == C_F || g->vector_of == C_D))) {
        return NULL;
    }
    return input;
}

static void leaf(struct gen *g, struct text *to, enum cls c)
{
    const char *name = readable(g, c);
    char type[16];
    cls_name(g, c, type);
    unsigned how = gen_below(g, 8);
    const struct input *input;
    if (how < 2 && (input = any_input(g, c))) {
        expr_load(g, to, c, input, 0);
    } else if (how == 2 && g->items && c == C_U) {
        work_item_leaf(g, to);
    } else if (name && how < 7) {
        text_add(to, "%s", name);
    } else if (c == C_U && gen_one_in(g, 3)) {
        text_add(to, "SEED");
    } else if (c == C_U || c == C_L) {
        uint64_t bits = random_next(&g->rng);
        unsigned shift = gen_below(g, 64);
        if (c == C_U) {
            text_add(to, "0x%xu", (unsigned)bits >> shift / 2);
        } else {
            text_add(to, "0x%llxul", (unsigned long long)(bits >> shift));
        }
    } else if (c == C_F || c == C_D) {
        unsigned whole = gen_below(g, 4);
        text_add(to, c == C_F ? "%u.%uf" : "%u.%u", whole, gen_below(g, c == C_F ? 1000 : 1000000));
    } else {
        text_add(to, "(%s)(", type);
        expr(g, to, g->vector_of, 0);
        text_add(to, ")");
    }
}

void expr(struct gen *g, struct text *to, enum cls c, unsigned depth)
{
    unsigned cost = g->light ? 2 : 1;
    if (depth == 0 || g->budget < cost) {
        leaf(g, to, c);
        return;
    }
    g->budget -= cost;
    expr_operation(g, to, c, depth - 1);
}

void expr_condition(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const plain[] = {"(U < U)", "((U & K) == 0)",       "(U % 3 != 1)",      "((int)U > (int)U)",
                                        "(L < L)", "((U & 1) && (U & 2))", "((U & 4) || U > U)"};
    static const char *const real[] = {"(F < F)", "(F > 0.5f)", "(fabs(F) >= F)", "isless(F, F)"};
    expr_form(g, to, g->floats && gen_one_in(g, 4) ? PICK(g, real) : PICK(g, plain), depth ? depth - 1 : 0);
}

void expr_as_base(struct gen *g, struct text *to, enum base base, unsigned depth)
{
    const char *name = bases[base].name;
    if (base == B_FLOAT && g->floats) {
        expr_form(g, to, "clean(F)", depth);
    } else if (base == B_DOUBLE && g->doubles) {
        expr_form(g, to, "cleand(D)", depth);
    } else if (base == B_DOUBLE && g->floats) {
        expr_form(g, to, "(double)clean(F)", depth);
    } else if (bases[base].real) {
        text_add(to, "(%s)", name);
        expr_form(g, to, "((int)(U & 0xffffff) - 0x800000)", depth);
    } else {
        text_add(to, "(%s)", name);
        expr_form(g, to, bases[base].size == 8 ? "L" : "U", depth);
    }
}
