/* A whole program: macros, helper functions, build options, kernels. */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct base_info bases[B_COUNT] = {
    {"char", 1, false, true}, {"uchar", 1, false, false}, {"short", 2, false, true}, {"ushort", 2, false, false},
    {"int", 4, false, true},  {"uint", 4, false, false},  {"long", 8, false, true},  {"ulong", 8, false, false},
    {"float", 4, true, true}, {"double", 8, true, true},
};

static void options_make(struct gen *g)
{
    struct plan *plan = g->plan;
    static const char *const more[] = {
        "", " -cl-std=CL1.2", " -w", " -DFLAG", " -D FLAG=1 -DUNUSED=\"a b\"", " -cl-std=CL1.2 -DFLAG"};
    unsigned value = (unsigned)random_next(&g->rng), by = 1 + gen_below(g, 30);
    g->linear = !g->limits->plain && gen_one_in(g, 4);
    const char *rest = more[gen_below(g, 6)];
    const char *plain = value % 4 * 25 + value / 4 % 25 < g->limits->optimised ? "" : " -cl-opt-disable";
    snprintf(plan->options, sizeof(plan->options), "-D SEED=0x%xu -DTWIST_BY=%u%s%s", value, by,
             g->linear ? " -cl-std=CL3.0" : rest, plain);
}

static void prologue(struct gen *g)
{
    struct text *s = &g->plan->source;
    if (g->limits->doubles) {
        text_add(s, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    }
    text_add(s,
             "#define MIX(a, b) ((a) * 0x9e3779b1u ^ ((b) >> 3))\n"
             "#define TWIST(a) rotate((uint)(a), (uint)TWIST_BY)\n"
             "#define GID get_global_id\n"
             "#define GROUP(d) get_group_id(d) /* get_group_id(0) in a comment */\n"
             "#ifdef FLAG\n#define EXTRA(a) ((a) + get_global_id(0))\n#else\n#define EXTRA(a) (a)\n#endif\n"
             "#define LOOP(i, n) \\\n    for (uint i = 0; i < (n); i++)\n"
             "#define STORE(p, i, v) (p)[i] = (v)\n"
             "#define TAMEV(v, T) select((T)(0.5f), (v), fabs(v) < (T)(1024.0f))\n"
             "#define CLEANV(v, T) select((T)(0.5f), (v), isequal((v), (v)))\n\n"
             "float tame(float x)\n{\n    return fabs(x) < 1024.0f ? x : fabs(x) < 1e30f ? 1024.0f / x : 0.5f;\n}\n\n"
             "float clean(float x)\n{\n    return isnan(x) ? 0.5f : x;\n}\n\n"
             "int to_int(float x)\n{\n    return fabs(x) < 1e9f ? (int)x : 7;\n}\n\n");
    text_add(s, "__constant uint primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};\n\n");
    if (g->limits->doubles) {
        text_add(
            s, "double tamed(double x)\n{\n    return fabs(x) < 1024.0 ? x : fabs(x) < 1e30 ? 1024.0 / x : 0.5;\n}\n\n"
               "double cleand(double x)\n{\n    return isnan(x) ? 0.5 : x;\n}\n\n");
    }
}

/* One helper: parameters a and b of class C. ITEMS, GROUPS: may ask for ids. */
static void helper(struct gen *g, const char *kind, unsigned number, enum cls c, unsigned params, bool items,
                   bool groups)
{
    static const char *const storage[] = {"", "", "static ", "inline "};
    struct text *s = &g->plan->source;
    char type[16];
    memset(g->set, 0, sizeof(g->set));
    memset(g->get, 0, sizeof(g->get));
    cls_name(g, c, type);
    g->items = items;
    g->groups = groups;
    g->floats = c == C_F || c == C_D;
    g->doubles = c == C_D;
    g->dims = 1 + gen_below(g, 3);
    g->lanes = 0;
    g->budget = 10;
    /* "inline" alone may leave no definition to call in C99, which OpenCL C follows. */
    const char *how = storage[gen_below(g, 4)];
    text_add(s, "%s%s %s%u(%s a%s%s%s)\n{\n", strcmp(how, "inline ") == 0 ? "static inline " : how, type, kind, number,
             type, params > 1 ? ", " : "", params > 1 ? type : "", params > 1 ? " b" : "");
    g->get[c].n = params;
    strcpy(g->get[c].v[0], "a");
    strcpy(g->get[c].v[1], "b");
    if (number > 0 && gen_one_in(g, 2)) {
        text_add(s, "    a += %s%u(a%s);\n", kind, number - 1, params > 1 ? ", b" : "");
    }
    if (gen_one_in(g, 3)) {
        text_add(s, params > 1 ? "    if (a > b)\n        return " : "    if (a & 1)\n        return ");
        expr(g, s, c, 2);
        text_add(s, ";\n");
    }
    text_add(s, "    return ");
    expr(g, s, c, 3);
    text_add(s, ";\n}\n\n");
}

static void helpers(struct gen *g)
{
    for (unsigned i = 0; i < 3; i++) {
        helper(g, "hu", i, C_U, 2, false, false);
        helper(g, "hg", i, C_U, 1, true, false);
    }
    for (unsigned i = 0; i < 2; i++) {
        helper(g, "hl", i, C_U, 1, true, true);
        helper(g, "hf", i, C_F, 2, false, false);
    }
    if (g->limits->doubles) {
        helper(g, "hd", 0, C_D, 2, false, false);
    }
    unsigned ahead = gen_below(g, 9) + 1, mask = gen_below(g, 15) + 1;
    text_add(&g->plan->source,
             "uint hp0(__global const uint *p, uint n, uint i)\n{\n    return p[i %% n] ^ p[(i + %u) %% n];\n}\n\n"
             "void hw0(__global uint *p, size_t i, uint v)\n{\n    if (v & %u)\n        p[i] = v;\n}\n\n"
             "void swap_private(uint *a, uint *b)\n{\n    uint t = *a;\n    *a = *b;\n    *b = t;\n}\n\n",
             ahead, mask);
    g->helpers = true;
}

void plan_make(struct plan *plan, uint64_t seed, const struct limits *limits)
{
    memset(plan, 0, sizeof(*plan));
    plan->seed = seed;
    plan->kernel_count = limits->kernels;
    plan->kernels = alloc_or_end(limits->kernels * sizeof(*plan->kernels));
    struct gen g = {.rng = seed * 0x5851f42d4c957f2du + 1, .plan = plan, .limits = limits};
    options_make(&g);
    prologue(&g);
    helpers(&g);
    for (unsigned i = 0; i < limits->kernels; i++) {
        kernel_make(&g, &plan->kernels[i], i);
    }
    text_finish(&g.params);
}

void plan_finish(struct plan *plan)
{
    text_finish(&plan->source);
    free(plan->kernels);
    free(plan->buffers);
    memset(plan, 0, sizeof(*plan));
}

void plan_buffer_fill(const struct plan_buffer *buffer, void *to)
{
    uint64_t state = buffer->seed;
    size_t bytes = buffer->count * bases[buffer->base].size;
    if (buffer->permutation) {
        uint32_t *number = to;
        memset(to, 0, bytes);
        for (size_t i = 0; i < buffer->permutation; i++) {
            size_t other = random_next(&state) % (i + 1);
            number[i] = number[other];
            number[other] = (uint32_t)i;
        }
        return;
    }
    for (size_t i = 0; i < buffer->count && bases[buffer->base].real; i++) {
        uint64_t r = random_next(&state);
        double v = (double)(int64_t)r * 0x1p-61; /* -4 to 4 */
        if (r % 64 == 0) {
            v = r % 128 ? -0.0 : 0x1p-140; /* a denormal float */
        }
        if (buffer->base == B_FLOAT) {
            ((float *)to)[i] = (float)v;
        } else {
            ((double *)to)[i] = v;
        }
    }
    for (size_t i = 0; i < bytes && !bases[buffer->base].real; i++) {
        ((unsigned char *)to)[i] = (unsigned char)random_next(&state);
    }
}

void plan_print(const struct plan *plan)
{
    for (unsigned k = 0; k < plan->kernel_count; k++) {
        const struct plan_kernel *kernel = &plan->kernels[k];
        printf("// %s: ", kernel->name);
        for (unsigned d = 0; d < kernel->dims; d++) {
            printf("%s%zu+%zu", d ? " x " : "", kernel->offset[d], kernel->global[d]);
        }
        printf(kernel->has_local ? " local" : " local NULL");
        for (unsigned d = 0; d < kernel->dims && kernel->has_local; d++) {
            printf(" %zu", kernel->local[d]);
        }
        printf(", %u launches, queue %u%s%s\n//   ", kernel->launches, kernel->queue,
               kernel->inexact ? ", inexact" : "", kernel->swap[0] >= 0 ? ", swaps two buffers" : "");
        for (unsigned a = 0; a < kernel->arg_count; a++) {
            const struct plan_arg *arg = &kernel->args[a];
            if (arg->kind == ARG_BUFFER) {
                const struct plan_buffer *b = &plan->buffers[arg->buffer];
                printf(" #%u=%s[%zu]%s", arg->buffer, bases[b->base].name, b->count, b->written ? "w" : "");
            } else {
                printf(arg->kind == ARG_LOCAL ? " local:%zu" : " scalar:%zu", arg->bytes);
            }
        }
        printf("\n");
    }
}
