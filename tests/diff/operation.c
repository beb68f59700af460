/* The operations that expressions are made of, in a table for each class. Each is defined for every input (see gen.h).
 */
#include "gen.h"

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
        "mul24(U & 0xffffffu, U & 0xffffffu)",
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
        expr_form(g, to, "U)", depth);
    } else if (how == 5 && g->items) {
        expr_form(g, to, "(uint)EXTRA(U)", depth);
    } else if (how == 0 && g->floats) {
        expr_form(g, to, gen_one_in(g, 4) ? "as_uint(clean(F))" : "(uint)to_int(F)", depth);
    } else if (how == 1 && g->helpers) {
        expr_form(g, to, PICK(g, calls), depth);
    } else if (how == 2 && g->helpers && g->items && !g->own) {
        expr_form(g, to, g->groups && gen_one_in(g, 2) ? PICK(g, group_calls) : PICK(g, item_calls), depth);
    } else if (how == 3 && g->lanes >= 2 && g->vector_of == C_U) {
        text_add(to, "(");
        expr(g, to, C_V, depth);
        text_add(to, ")%s", part[gen_below(g, g->lanes > 2 ? 4 : 2)]);
    } else {
        expr_form(g, to, PICK(g, plain), depth);
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
        expr_form(g, to, "((ulong)U << 32 | U)", depth);
    } else {
        expr_form(g, to, PICK(g, plain), depth);
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
        expr_form(g, to, "(float)D", depth);
    } else if (g->light) {
        expr_form(g, to, PICK(g, light), depth);
    } else if (how == 1 && g->helpers) {
        expr_form(g, to, gen_one_in(g, 2) ? "hf0(F, F)" : "hf1(F, F)", depth);
    } else {
        expr_form(g, to, PICK(g, plain), depth);
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
        expr_form(g, to, PICK(g, light), depth);
    } else if (how == 0 && g->helpers) {
        expr_form(g, to, "hd0(D, D)", depth);
    } else if (how == 1 && g->floats) {
        expr_form(g, to, "(double)F", depth);
    } else {
        expr_form(g, to, PICK(g, plain), depth);
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
        expr_form(g, to, "select(V, V, V > V)", depth);
    } else {
        expr_form(g, to, is_real && g->light ? PICK(g, light) : is_real ? PICK(g, real) : PICK(g, whole), depth);
    }
}

void expr_operation(struct gen *g, struct text *to, enum cls c, unsigned depth)
{
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
