/* Statements: assignments, branches, loops, private arrays, phases with local memory. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

struct text *line(struct gen *g)
{
    text_add(g->out, "%*s", (int)g->indent * 4, "");
    return g->out;
}

static const char *assignable(struct gen *g, enum cls c)
{
    const struct names *names = &g->set[c];
    return names->n ? names->v[gen_below(g, names->n)] : NULL;
}

static void name_add(struct names *names, const char *name)
{
    if (names->n < NAMES) {
        snprintf(names->v[names->n++], sizeof(names->v[0]), "%s", name);
    }
}

/* Floats are kept below 1024 so that a chain of statements does not end in infinities only. */
static void value(struct gen *g, enum cls c, unsigned depth)
{
    static const char *const calm[] = {"", "", "tame(", "tamed("};
    g->budget = 12;
    if (c == C_V) {
        bool real = g->vector_of == C_F || g->vector_of == C_D;
        text_add(g->out, real ? "TAMEV(" : "(");
    } else {
        text_add(g->out, "%s", calm[c]);
    }
    expr(g, g->out, c, depth);
    if (c == C_V) {
        char type[16];
        cls_name(g, c, type);
        text_add(g->out, g->vector_of == C_F || g->vector_of == C_D ? ", %s)" : ")", type);
    } else if (calm[c][0]) {
        text_add(g->out, ")");
    }
}

void declare(struct gen *g, enum cls c)
{
    char type[16], name[12];
    cls_name(g, c, type);
    snprintf(name, sizeof(name), "%c%u", "ulfdv"[c], g -> next_name++);
    text_add(line(g), "%s %s = ", type, name);
    value(g, c, 2);
    text_add(g->out, ";\n");
    name_add(&g->set[c], name);
    name_add(&g->get[c], name);
}

static void assign(struct gen *g)
{
    enum cls c = cls_any(g);
    const char *name = assignable(g, c);
    if (!name) {
        return;
    }
    text_add(line(g), "%s = ", name);
    value(g, c, 4);
    text_add(g->out, ";\n");
}

static void update(struct gen *g)
{
    static const char *const ops[] = {"+=", "-=", "*=", "^=", "|="};
    const char *name = assignable(g, C_U);
    text_add(line(g), "%s %s ", name, ops[gen_below(g, 5)]);
    value(g, C_U, 2);
    text_add(g->out, ";\n");
}

static void inner(struct gen *g, unsigned n)
{
    struct names set[C_COUNT], get[C_COUNT];
    memcpy(set, g->set, sizeof(set));
    memcpy(get, g->get, sizeof(get));
    g->indent++;
    statements(g, n);
    g->indent--;
    memcpy(g->set, set, sizeof(set));
    memcpy(g->get, get, sizeof(get));
}

static void branch(struct gen *g)
{
    text_add(line(g), "if (");
    g->budget = 6;
    expr_condition(g, g->out, 2);
    text_add(g->out, ") {\n");
    inner(g, 1 + gen_below(g, 2));
    if (gen_one_in(g, 2)) {
        text_add(line(g), "} else {\n");
        inner(g, 1);
    }
    text_add(line(g), "}\n");
}

static void loop(struct gen *g)
{
    char name[12];
    snprintf(name, sizeof(name), "i%u", g->next_name++);
    unsigned how = gen_below(g, 4), most = g->loops ? 3 : 7;
    if (how == 0) {
        text_add(line(g), "LOOP(%s, %u) {\n", name, 1 + gen_below(g, most));
    } else if (how == 1) {
        text_add(line(g), "for (uint %s = 0; %s < ((", name, name);
        g->budget = 3;
        expr(g, g->out, C_U, 1);
        text_add(g->out, ") & %u); %s++) {\n", most, name);
    } else if (how == 2) {
        text_add(line(g), "for (uint %s = %u; %s > 0; %s >>= 1) {\n", name, 1u << gen_below(g, most), name, name);
    } else {
        text_add(line(g), "uint %s = 0;\n", name);
        text_add(line(g), "while (++%s < %u) {\n", name, 2 + gen_below(g, most));
    }
    struct names get = g->get[C_U];
    name_add(&g->get[C_U], name);
    g->loops++;
    inner(g, 1 + gen_below(g, 2));
    if (gen_one_in(g, 5)) {
        g->indent++;
        text_add(line(g), "if (");
        g->budget = 3;
        expr_condition(g, g->out, 1);
        text_add(g->out, gen_one_in(g, 2) ? ")\n%*sbreak;\n" : ")\n%*scontinue;\n", (int)(g->indent + 1) * 4, "");
        g->indent--;
    }
    g->loops--;
    text_add(line(g), "}\n");
    g->get[C_U] = get;
}

/* A sum over products of two inputs, as in a matrix product. */
static void dot_product(struct gen *g)
{
    enum cls c = g->doubles && gen_one_in(g, 3) ? C_D : g->floats ? C_F : C_U;
    const char *to = assignable(g, c);
    if (!to || !g->input_count) {
        return;
    }
    const struct input *a = &g->inputs[gen_below(g, g->input_count)], *b = &g->inputs[gen_below(g, g->input_count)];
    char name[12];
    snprintf(name, sizeof(name), "k%u", g->next_name++);
    text_add(line(g), "for (uint %s = 0; %s < %u; %s++)\n", name, name, 4 + gen_below(g, 12), name);
    struct names get = g->get[C_U];
    name_add(&g->get[C_U], name);
    text_add(g->out, "%*s%s %s ", (int)(g->indent + 1) * 4, "", to, "+=");
    g->budget = 4;
    expr_load(g, g->out, c, a, 1);
    text_add(g->out, " * ");
    expr_load(g, g->out, c, b, 1);
    text_add(g->out, ";\n");
    g->get[C_U] = get;
    if (c != C_U) {
        text_add(line(g), "%s = %s(%s);\n", to, c == C_D ? "tamed" : "tame", to);
    }
}

static void private_array(struct gen *g)
{
    unsigned id = g->next_name++;
    const char *to = assignable(g, C_U);
    text_add(line(g), "uint a%u[8];\n", id);
    text_add(line(g), "for (uint j = 0; j < 8; j++)\n");
    text_add(g->out, "%*sa%u[j] = j * ", (int)(g->indent + 1) * 4, "", id);
    value(g, C_U, 2);
    text_add(g->out, ";\n");
    text_add(line(g), "%s ^= a%u[%s & 7] + a%u[%u];\n", to, id, to, id, gen_below(g, 8));
}

static void choose(struct gen *g)
{
    const char *by = assignable(g, C_U), *to = assignable(g, C_U);
    text_add(line(g), "switch (%s %% 4) {\n", by);
    for (unsigned i = 0; i < 3; i++) {
        text_add(line(g), "case %u:\n", i);
        text_add(g->out, "%*s%s = ", (int)(g->indent + 1) * 4, "", to);
        value(g, C_U, 2);
        text_add(g->out, ";\n");
        if (gen_below(g, 4)) {
            text_add(g->out, "%*sbreak;\n", (int)(g->indent + 1) * 4, "");
        }
    }
    text_add(line(g), "default:\n%*s%s++;\n", (int)(g->indent + 1) * 4, "", to);
    text_add(line(g), "}\n");
}

void statements(struct gen *g, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned how = gen_below(g, 16);
        if (how < 6) {
            assign(g);
        } else if (how == 6) {
            update(g);
        } else if (how == 7 && g->loops < 2) {
            branch(g);
        } else if (how < 10 && g->loops < 2) {
            loop(g);
        } else if (how == 10) {
            dot_product(g);
        } else if (how == 11 && !g->loops) {
            private_array(g);
        } else if (how == 12 && !g->loops && !g->limits->plain) {
            choose(g);
        } else if (how == 13 && g->helpers) {
            const char *a = assignable(g, C_U), *b = assignable(g, C_U);
            text_add(line(g), "swap_private(&%s, &%s);\n", a, b);
        } else {
            declare(g, cls_any(g));
        }
    }
}
