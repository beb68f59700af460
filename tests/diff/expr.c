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

/* Capital letters of a pattern stand for sub-expressions: U L F D V of those classes, B a condition, K a small number.
 */
static void form(struct gen *g, struct text *to, const char *pattern, unsigned depth)
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

#define PICK(g, list) (list)[gen_below(g, sizeof(list) / sizeof((list)[0]))]

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
        static const char *const near[] = {"me", "me + ", "me * ", "(uint)get_global_id(0) + "};
        unsigned how = gen_below(g, 4);
        text_add(to, "%s", near[how]);
        if (how) {
            text_add(to, "%u", gen_below(g, 9) + 1);
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

static void expr_u(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const plain[] = {
        "(U + U)",
        "(U - U)",
        "(U * U)",
        "(U & U)",
        "(U | U)",
        "(U ^ U)",
        "(U << (U & 31))",
        "(U >> (U & 31))",
        "(U / (U | 1))",
        "(U % (U | 1))",
        "(~U)",
        "(-U)",
        "(B ? U : U)",
        "min(U, U)",
        "max(U, U)",
        "rotate(U, K)",
        "clz(U)",
        "popcount(U)",
        "mul_hi(U, U)",
        "abs_diff(U, U)",
        "add_sat(U, U)",
        "hadd(U, U)",
        "bitselect(U, U, U)",
        "(uint)((int)U >> (K & 31))",
        "(uint)(L >> 32)",
        "(uint)L",
        "(uint)B",
        "MIX(U, U)",
        "select(U, U, (uint)B)",
        "(uint)((int)(U >> 1) / ((int)(U & 255) + 1))",
        "(uint)(uchar)U",
        "(uint)(short)U",
        "as_uint((char4)((char)U, 1, 2, (char)U))",
        "TWIST(U)",
        "primes[U & 15]",
    };
    static const char *const calls[] = {"hu0(U, U)", "hu1(U, U)", "hu2(U, U)"};
    static const char *const item_calls[] = {"hg0(U)", "hg1(U)", "hg2(U)"};
    static const char *const group_calls[] = {"hl0(U)", "hl1(U)"};
    static const char *const part[] = {".s0", ".s1", ".lo.s0", ".odd.s0"};
    unsigned how = gen_below(g, 20);
    const struct input *in = g->input_count ? &g->inputs[gen_below(g, g->input_count)] : NULL;
    if (how == 4 && in && in->for_helper && g->helpers) {
        text_add(to, "hp0(%s, %zu, ", in->name, in->count);
        form(g, to, "U)", depth);
    } else if (how == 5 && g->items) {
        form(g, to, "(uint)EXTRA(U)", depth);
    } else if (how == 0 && g->floats) {
        form(g, to, gen_one_in(g, 4) ? "as_uint(clean(F))" : "(uint)to_int(F)", depth);
    } else if (how == 1 && g->helpers) {
        form(g, to, PICK(g, calls), depth);
    } else if (how == 2 && g->helpers && g->items && !g->own) {
        form(g, to, g->groups && gen_one_in(g, 2) ? PICK(g, group_calls) : PICK(g, item_calls), depth);
    } else if (how == 3 && g->lanes >= 2 && g->vector_of == C_U) {
        text_add(to, "(");
        expr(g, to, C_V, depth);
        text_add(to, ")%s", part[gen_below(g, g->lanes > 2 ? 4 : 2)]);
    } else {
        form(g, to, PICK(g, plain), depth);
    }
}

static void expr_l(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const plain[] = {
        "(L + L)",
        "(L - L)",
        "(L * L)",
        "(L ^ L)",
        "(L | U)",
        "(L >> (U & 63))",
        "(L << (U & 63))",
        "upsample(U, U)",
        "((ulong)U * U)",
        "(L / (L | 1))",
        "(L % ((ulong)U + 1))",
        "rotate(L, (ulong)K)",
        "upsample(U, U)",
        "(B ? L : L)",
        "max(L, L)",
        "popcount(L)",
        "mad_hi(L, L, L)",
        "(ulong)((long)L >> (K & 63))",
    };
    if (!g->limits->plain && gen_one_in(g, 12)) {
        form(g, to, "((ulong)U << 32 | U)", depth);
    } else {
        form(g, to, PICK(g, plain), depth);
    }
}

static void expr_f(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const plain[] = {
        "(F + F)",
        "(F - F)",
        "(F * F)",
        "(F * F + F)",
        "(F * F - F * F)",
        "(F / (fabs(F) + 0.5f))",
        "fma(F, F, F)",
        "exp(sin(F))",
        "sin(F)",
        "cos(F)",
        "sqrt(fabs(F))",
        "log(fabs(F) + 1.0f)",
        "exp2(cos(F))",
        "tanh(F)",
        "pow(fabs(F) + 0.25f, 1.5f)",
        "rsqrt(fabs(F) + 0.5f)",
        "fmin(F, F)",
        "fmax(F, F)",
        "floor(F)",
        "mix(F, F, 0.25f)",
        "hypot(F, F)",
        "atan2(F, F)",
        "fmod(F, 3.0f)",
        "ldexp(F, (int)(U & 3))",
        "(B ? F : F)",
        "fabs(F)",
        "copysign(F, F)",
        "(float)(U & 0xfffff)",
        "(float)(int)U",
        "as_float((U & 0x7fffff) | 0x3f800000)",
        "clamp(F, -2.0f, 2.0f)",
        "smoothstep(0.0f, 2.0f, F)",
        "rint(F)",
        "native_sin(F)",
        "expm1(sin(F))",
        "cbrt(F)",
        "(1.0f / (1.0f + exp(-clamp(F, -8.0f, 8.0f))))",
        "tame(F)",
        "trunc(F)",
        "dot((float4)(F, F, 1.0f, 2.0f), (float4)(F, 0.5f, F, F))",
        "length((float2)(F, F))",
        "erf(F)",
    };
    static const char *const light[] = {
        "(F + F)",        "(F - F)",
        "(F * F)",        "(F * F + F)",
        "fmin(F, F)",     "fmax(F, F)",
        "(B ? F : F)",    "fabs(F)",
        "copysign(F, F)", "(float)(U & 0xfffff)",
        "(float)(int)U",  "(F / (fabs(F) + 0.5f))",
        "fma(F, F, F)",   "as_float((U & 0x7fffff) | 0x3f800000)",
    };
    unsigned how = gen_below(g, 12);
    if (how == 0 && g->doubles) {
        form(g, to, "(float)D", depth);
    } else if (g->light) {
        form(g, to, PICK(g, light), depth);
    } else if (how == 1 && g->helpers) {
        form(g, to, gen_one_in(g, 2) ? "hf0(F, F)" : "hf1(F, F)", depth);
    } else {
        form(g, to, PICK(g, plain), depth);
    }
}

static void expr_d(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const plain[] = {
        "(D + D)",
        "(D - D)",
        "(D * D)",
        "(D * D + D)",
        "(D / (fabs(D) + 0.5))",
        "fma(D, D, D)",
        "exp(sin(D))",
        "sin(D)",
        "sqrt(fabs(D))",
        "log(fabs(D) + 1.0)",
        "fmin(D, D)",
        "floor(D)",
        "mix(D, D, 0.25)",
        "(B ? D : D)",
        "(double)U",
        "(double)(long)L",
        "cos(D)",
        "pow(fabs(D) + 0.25, 1.25)",
        "hypot(D, D)",
        "rint(D)",
        "tanh(D)",
        "cbrt(D)",
    };
    static const char *const light[] = {"(D + D)",     "(D - D)",   "(D * D + D)", "fmin(D, D)",
                                        "(B ? D : D)", "(double)U", "fma(D, D, D)"};
    unsigned how = gen_below(g, 10);
    if (g->light && how != 1) {
        form(g, to, PICK(g, light), depth);
    } else if (how == 0 && g->helpers) {
        form(g, to, "hd0(D, D)", depth);
    } else if (how == 1 && g->floats) {
        form(g, to, "(double)F", depth);
    } else {
        form(g, to, PICK(g, plain), depth);
    }
}

static void expr_v(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const whole[] = {
        "(V + V)",   "(V - V)",   "(V * V)",      "(V & V)", "(V ^ V)",      "(V >> 3)", "(V << 2)",
        "min(V, V)", "max(V, V)", "rotate(V, V)", "(V + 7)", "mul_hi(V, V)", "(~V)",
    };
    static const char *const real[] = {
        "(V + V)",  "(V - V)",     "(V * V)",          "(V * V + V)", "fma(V, V, V)", "sqrt(fabs(V))",
        "sin(V)",   "exp(sin(V))", "fmin(V, V)",       "fmax(V, V)",  "mix(V, V, V)", "(V / (fabs(V) + 1))",
        "floor(V)", "cos(V)",      "log(fabs(V) + 1)",
    };
    static const char *const light[] = {"(V + V)", "(V - V)", "(V * V + V)", "fmin(V, V)", "fma(V, V, V)"};
    static const char *const swizzle[] = {".s10", ".s0101", ".s10325476", ".s0123012301230123"};
    bool is_real = g->vector_of == C_F || g->vector_of == C_D;
    char type[16];
    cls_name(g, C_V, type);
    unsigned how = gen_below(g, 8);
    if (how == 0) {
        text_add(to, "(");
        expr(g, to, C_V, depth);
        text_add(to, ")%s", swizzle[g->lanes == 2 ? 0 : g->lanes == 4 ? 1 : g->lanes == 8 ? 2 : 3]);
    } else if (how == 1 && g->lanes >= 4) {
        text_add(to, "(%s)((", type);
        expr(g, to, C_V, depth);
        text_add(to, ").hi, (");
        expr(g, to, C_V, depth);
        text_add(to, ").even)");
    } else if (how == 2 && g->lanes == 2) {
        text_add(to, "(%s)(", type);
        expr(g, to, g->vector_of, depth);
        text_add(to, ", ");
        expr(g, to, g->vector_of, depth);
        text_add(to, ")");
    } else if (!g->limits->plain && gen_one_in(g, 14)) {
        form(g, to, "select(V, V, V > V)", depth);
    } else {
        form(g, to, is_real && g->light ? PICK(g, light) : is_real ? PICK(g, real) : PICK(g, whole), depth);
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
    depth--;
    switch (c) {
    case C_U:
        expr_u(g, to, depth);
        break;
    case C_L:
        expr_l(g, to, depth);
        break;
    case C_F:
        expr_f(g, to, depth);
        break;
    case C_D:
        expr_d(g, to, depth);
        break;
    default:
        expr_v(g, to, depth);
    }
}

void expr_condition(struct gen *g, struct text *to, unsigned depth)
{
    static const char *const plain[] = {"(U < U)", "((U & K) == 0)",       "(U % 3 != 1)",      "((int)U > (int)U)",
                                        "(L < L)", "((U & 1) && (U & 2))", "((U & 4) || U > U)"};
    static const char *const real[] = {"(F < F)", "(F > 0.5f)", "(fabs(F) >= F)", "isless(F, F)"};
    form(g, to, g->floats && gen_one_in(g, 4) ? PICK(g, real) : PICK(g, plain), depth ? depth - 1 : 0);
}

void expr_as_base(struct gen *g, struct text *to, enum base base, unsigned depth)
{
    const char *name = bases[base].name;
    if (base == B_FLOAT && g->floats) {
        form(g, to, "clean(F)", depth);
    } else if (base == B_DOUBLE && g->doubles) {
        form(g, to, "cleand(D)", depth);
    } else if (base == B_DOUBLE && g->floats) {
        form(g, to, "(double)clean(F)", depth);
    } else if (bases[base].real) {
        text_add(to, "(%s)", name);
        form(g, to, "((int)(U & 0xffffff) - 0x800000)", depth);
    } else {
        text_add(to, "(%s)", name);
        form(g, to, bases[base].size == 8 ? "L" : "U", depth);
    }
}
