/* Kernels written as facts by hand, and what a box of a launch of theirs comes to. Launches are of 3 x 2 x 2
 * work-groups of 4 x 2 x 1 from (10, 20, 0), of which a box is asked for. Included by tests. */
#ifndef YK_TESTS_UNIT_REACH_H
#define YK_TESTS_UNIT_REACH_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include "transform/facts_regions.h"

enum { NODES = 256, SIZE = 1 << 20 };

static struct yk_facts_node node[NODES];
static struct yk_facts_access access[8];
static struct yk_facts_guard guard[64];
static struct yk_facts_arg arg[4];
static struct yk_facts_kernel kernel;
static struct yk_reach_arg value[4];
static struct yk_reach_launch launch;
static struct yk_box box;
static struct yk_reach reach;
static int32_t narrow;
static int64_t wide[2];

static inline void begin(void)
{
    kernel = (struct yk_facts_kernel){.nargs = 4, .arg = arg, .node = node, .access = access, .guard = guard};
    for (unsigned i = 0; i < 4; i++)
        arg[i] = (struct yk_facts_arg){.kind = i < 2 ? YK_ARG_GLOBAL : YK_ARG_VALUE, .bounded = true};
    value[0] = (struct yk_reach_arg){NULL, SIZE};
    value[1] = (struct yk_reach_arg){NULL, SIZE};
    value[2] = (struct yk_reach_arg){&narrow, sizeof narrow};
    value[3] = (struct yk_reach_arg){wide, sizeof wide};
    launch = (struct yk_reach_launch){
        .dims = 3, .groups = {3, 2, 2}, .local = {4, 2, 1}, .offset = {10, 20, 0}, .arg = value};
    box = (struct yk_box){.first = {1, 0, 1}, .count = {2, 1, 1}}; /* ids 14..21, 20..21, 1 */
}

static inline unsigned op3(unsigned op, unsigned bits, unsigned a, unsigned b, unsigned c, int64_t imm)
{
    unsigned i = kernel.nnodes++;
    ck_assert_uint_lt(i, NODES);
    node[i] = (struct yk_facts_node){(uint8_t)op, (uint8_t)bits, (uint16_t)a, (uint16_t)b, (uint16_t)c, imm};
    ck_assert(yk_node_valid(node, i));
    return i;
}

static inline unsigned op(unsigned what, unsigned a, unsigned b)
{
    return op3(what, node[a].bits, a, b, 0, 0);
}

static inline unsigned test(unsigned what, unsigned a, unsigned b)
{
    return op3(what, 1, a, b, 0, 0);
}

static inline unsigned leaf(unsigned what, unsigned d)
{
    return op3(what, 64, 0, 0, 0, d);
}

static inline unsigned id(unsigned d)
{
    return leaf(YK_NODE_GLOBAL_ID, d);
}

static inline unsigned number(int64_t x)
{
    return op3(YK_NODE_CONST, 64, 0, 0, 0, x);
}

static inline unsigned times(unsigned a, int64_t by)
{
    return op(YK_NODE_MUL, a, number(by));
}

static inline unsigned plus(unsigned a, int64_t by)
{
    return op(YK_NODE_ADD, a, number(by));
}

static inline unsigned touches(unsigned kind, unsigned of, unsigned bytes, unsigned at)
{
    access[kernel.naccesses] = (struct yk_facts_access){.arg = (uint16_t)of,
                                                        .kind = (uint8_t)kind,
                                                        .bytes = bytes,
                                                        .node = (uint16_t)at,
                                                        .exact = kind == YK_ACCESS_WRITE,
                                                        .guard = (uint16_t)kernel.nguards};
    return kernel.naccesses++;
}

static inline void writes(unsigned bytes, unsigned at)
{
    touches(YK_ACCESS_WRITE, 0, bytes, at);
}

/* A condition on the access that came last. */
static inline void where(unsigned condition, bool want)
{
    guard[kernel.nguards++] = (struct yk_facts_guard){(uint16_t)condition, want};
    access[kernel.naccesses - 1].nguards++;
}

static inline void run(void)
{
    ck_assert_int_eq(yk_reach_box(&reach, &kernel, &launch, &box), YK_OK);
    unsigned vars = reach.vars.n;
    yk_reach_forms(&reach, &kernel, &launch, &box);
    ck_assert_uint_le(vars, reach.vars.n); /* what conditions needed has been given back */
}

static inline const struct yk_touch *only(void)
{
    run();
    ck_assert_uint_eq(reach.touch.n, 1);
    return &reach.touch.v[0];
}

/* Whether the box comes to what a test expects of it; what it comes to instead is said. */
static inline bool said(bool so, const struct yk_touch *t)
{
    if (!so)
        fprintf(stderr, "%llu bytes from %llu on, %llu rows by %llu, %llu slices,%s%s\n",
                (unsigned long long)t->region.bytes, (unsigned long long)t->region.offset,
                (unsigned long long)t->region.rows, (unsigned long long)t->region.row_pitch,
                (unsigned long long)t->region.slices, t->exact ? " exact" : "", t->whole ? " whole" : "");
    return so;
}

static inline bool rows(uint64_t offset, uint64_t bytes, uint64_t n, uint64_t pitch, bool exact)
{
    const struct yk_touch *t = only();
    return said(t->region.offset == offset && t->region.bytes == bytes && t->region.rows == n &&
                    t->region.row_pitch == pitch && t->region.slices == 1 && t->exact == exact,
                t);
}

static inline bool plain(uint64_t offset, uint64_t bytes, bool exact)
{
    const struct yk_touch *t = only();
    return said(t->region.offset == offset && t->region.bytes == bytes && t->region.rows == 1 &&
                    t->region.slices == 1 && t->exact == exact && !t->whole,
                t);
}

static inline bool nothing(void)
{
    run();
    return reach.touch.n == 0;
}

static inline bool whole(void)
{
    const struct yk_touch *t = only();
    return said(t->whole && !t->exact && t->region.offset == 0 && t->region.bytes == SIZE, t);
}

/* An unknown number from LO to HI. */
static inline unsigned some(int64_t lo, int64_t hi)
{
    unsigned n = op3(YK_NODE_UREM, 64, op3(YK_NODE_ZEXT, 64, op3(YK_NODE_UNKNOWN, 32, 0, 0, 0, 0), 0, 0, 0),
                     number(hi - lo + 1), 0, 0);
    return plus(n, lo);
}

/* Are LO and HI the bounds of node X? */
static inline bool within(unsigned x, int64_t lo, int64_t hi)
{
    run();
    const struct yk_form *f = &reach.form[x];
    if (f->top || f->lo != lo || f->hi != hi)
        fprintf(stderr, "%s%lld to %lld\n", f->top ? "unknown, " : "", (long long)f->lo, (long long)f->hi);
    return !f->top && f->lo == lo && f->hi == hi;
}

/* Is node X known but for ids and loops, or (not YES) is it not? */
static inline bool known(unsigned x, bool yes)
{
    run();
    bool all = !reach.form[x].top;
    for (unsigned i = 0; i < reach.form[x].n; i++)
        all &= !reach.vars.v[reach.form[x].var[i]].free;
    return all == yes;
}

#endif
