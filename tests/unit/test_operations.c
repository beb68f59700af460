/* Each operation of transform/facts_eval.c, loops and conditions, against every value that random operands of every
 * width take: what is not right is seen there. What is known less well than when this was written is seen in what all
 * forms together come to; more is welcome, and then written down here (YOKE_TEST_SHOW=1 prints it). */
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/main.h"
#include "tests/unit/operands.h"

enum { ROUNDS = 100, WIDEST = 1 << 20 };

/* What all forms of an operation come to. */
struct sums {
    unsigned top, unknown; /* that depend on something nobody knows */
    uint64_t width;
};

static void add(struct sums *s, const struct yk_form *f)
{
    bool is_unknown = f->top;
    for (unsigned i = 0; i < f->n && !f->top; i++)
        is_unknown |= f->var[i] >= 6;
    s->top += f->top;
    s->unknown += is_unknown;
    s->width += f->top || f->hi - f->lo > WIDEST ? WIDEST : (uint64_t)(f->hi - f->lo);
}

/* Is node I's form right for every work-item? */
static void right(unsigned i, const char *what, uint64_t seed)
{
    const struct yk_form *f = &reach.form[i];
    unsigned bits = node[i].bits;
    struct item it = first_item();
    if (f->top)
        return;
    ck_assert_int_le(f->lo, f->hi);
    for (unsigned t = 0; t < f->n; t++) /* only ids take all their values */
        ck_assert(f->var[t] < 6 || reach.vars.v[f->var[t]].free);
    do {
        int64_t lo, hi, near;
        compute(&it);
        if (!it.made[i])
            continue;
        bounds(f, &it, &lo, &hi);
        lo = lo > f->lo ? lo : f->lo;
        hi = hi < f->hi ? hi : f->hi;
        /* the least number from LO on that is the same in so many bits */
        near = bits == 64 ? (int64_t)it.value[i] : lo + (int64_t)((it.value[i] - (uint64_t)lo) & nodes_mask(bits));
        if (near < lo || near > hi)
            ck_abort_msg("%s of %u bits, seed %llu: %llx is not within %lld and %lld", what, bits,
                         (unsigned long long)seed, (unsigned long long)it.value[i], (long long)lo, (long long)hi);
    } while (next_item(&it));
}

/* No worse than WAS, written down. */
static void no_worse(const char *what, const struct sums *s, const struct sums *was)
{
    if (getenv("YOKE_TEST_SHOW"))
        printf("%s {%u, %u, %llu},\n", what, s->top, s->unknown, (unsigned long long)s->width);
    else if (s->top > was->top || s->unknown > was->unknown || s->width > was->width)
        ck_abort_msg("%s: %u top, %u unknown, %llu wide, and was %u, %u, %llu", what, s->top, s->unknown,
                     (unsigned long long)s->width, was->top, was->unknown, (unsigned long long)was->width);
}

static const unsigned widths[] = {8, 16, 32, 64};

static const struct sums operations[YK_NODE_OP_COUNT] = {
    [YK_NODE_SOME] = {3, 83, 8652120},   [YK_NODE_JOIN] = {4, 79, 8011234},   [YK_NODE_BELOW] = {4, 44, 8520609},
    [YK_NODE_SBELOW] = {1, 46, 1082379}, [YK_NODE_ADD] = {1, 58, 5639477},    [YK_NODE_SUB] = {2, 55, 6491356},
    [YK_NODE_MUL] = {6, 84, 23298559},   [YK_NODE_UDIV] = {9, 70, 19423817},  [YK_NODE_SDIV] = {9, 84, 21735849},
    [YK_NODE_UREM] = {7, 91, 21632986},  [YK_NODE_SREM] = {4, 93, 18767030},  [YK_NODE_SHL] = {17, 96, 43587661},
    [YK_NODE_LSHR] = {9, 94, 23644236},  [YK_NODE_ASHR] = {17, 96, 44570098}, [YK_NODE_AND] = {1, 91, 12067127},
    [YK_NODE_OR] = {8, 92, 27305688},    [YK_NODE_XOR] = {11, 98, 29014428},  [YK_NODE_ZEXT] = {0, 42, 3282389},
    [YK_NODE_SEXT] = {0, 43, 1117399},   [YK_NODE_TRUNC] = {0, 42, 2232353},  [YK_NODE_SELECT] = {3, 54, 8739185},
    [YK_NODE_UMIN] = {3, 72, 6444515},   [YK_NODE_UMAX] = {10, 64, 25831441}, [YK_NODE_SMIN] = {2, 57, 3343606},
    [YK_NODE_SMAX] = {2, 65, 7493823},   [YK_NODE_EQ] = {0, 40, 40},          [YK_NODE_NE] = {0, 35, 35},
    [YK_NODE_ULT] = {0, 46, 46},         [YK_NODE_ULE] = {0, 53, 53},         [YK_NODE_SLT] = {0, 40, 40},
    [YK_NODE_SLE] = {0, 42, 42},
};

START_TEST(operations_as_their_twin)
{
    for (unsigned op = YK_NODE_SOME; op < YK_NODE_TRIP; op++) {
        struct sums s = {0, 0, 0};
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t seed = op * 1000 + round;
            begin(seed);
            unsigned bits = widths[round % 4], other = widths[below(4)], x, y, of = yk_node_operands(op);
            bool wider = op == YK_NODE_ZEXT || op == YK_NODE_SEXT, thinner = op == YK_NODE_TRUNC;
            if ((wider && other >= bits) || (thinner && other <= bits))
                bits = thinner ? 8 : 64, other = thinner ? 64 : 8;
            if (op == YK_NODE_SELECT) {
                unsigned a = operand(other), b = operand(other), c = make(YK_NODE_EQ + below(6), 1, a, b, 0, 0),
                         yes = operand(bits);
                y = below(4) ? operand(bits) : yes;
                x = make(op, bits, c, yes, y, 0);
            } else if (wider || thinner || of == 1) {
                x = make(op, bits, operand(of == 1 && (wider || thinner) ? other : bits), 0, 0, 0);
            } else if (op < YK_NODE_EQ && round % 12 == 11) { /* of one bit, as a number */
                x = condition(1);
                y = condition(1);
                x = make(YK_NODE_ZEXT, bits, make(op, 1, x, y, 0, 0), 0, 0, 0);
            } else {
                x = operand(bits);
                y = op == YK_NODE_JOIN && below(3) == 0 ? x : operand(bits);
                if (op >= YK_NODE_EQ) /* as a number */
                    x = make(YK_NODE_ZEXT, bits, make(op, 1, x, y, 0, 0), 0, 0, 0);
                else
                    x = make(op, bits, x, y, 0, 0);
            }
            yk_reach_forms(&reach, &kernel, &launch, &box);
            right(x, yk_node_op_name(op), seed);
            add(&s, &reach.form[x]);
        }
        no_worse(yk_node_op_name(op), &s, &operations[op]);
    }
}
END_TEST

/* Does the loop go on? */
static bool goes_on(unsigned test, int64_t x, int64_t to)
{
    switch (test) {
    case YK_TRIP_ULT:
    case YK_TRIP_SLT:
        return x < to;
    case YK_TRIP_ULE:
    case YK_TRIP_SLE:
        return x <= to;
    case YK_TRIP_UGT:
    case YK_TRIP_SGT:
        return x > to;
    case YK_TRIP_UGE:
    case YK_TRIP_SGE:
        return x >= to;
    default:
        return x != to;
    }
}

static const struct sums rounds_of[YK_TRIP_TEST_COUNT] = {
    [YK_TRIP_ULT] = {148, 278, 174306158}, [YK_TRIP_ULE] = {169, 288, 191077897}, [YK_TRIP_UGT] = {138, 291, 177273888},
    [YK_TRIP_UGE] = {178, 298, 213212274}, [YK_TRIP_SLT] = {91, 233, 116820538},  [YK_TRIP_SLE] = {117, 256, 143313910},
    [YK_TRIP_SGT] = {91, 290, 142445323},  [YK_TRIP_SGE] = {120, 281, 164089254}, [YK_TRIP_NE] = {190, 350, 200327684},
};

/* Where a loop's rounds are known, no work-item goes round more often, also where its counter wraps. */
START_TEST(loops_as_their_twin)
{
    for (unsigned test = 0; test < YK_TRIP_UNKNOWN; test++) {
        struct sums s = {0, 0, 0};
        for (unsigned round = 0; round < 4 * ROUNDS; round++) {
            uint64_t seed = 100000 + test * 1000 + round;
            begin(seed);
            unsigned wide = widths[round % 4], counter = below(3) ? wide : widths[below(round % 4 + 1)];
            bool sign = test >= YK_TRIP_SLT && test != YK_TRIP_NE;
            bool down = test == YK_TRIP_UGT || test == YK_TRIP_UGE || test == YK_TRIP_SGT || test == YK_TRIP_SGE;
            bool of_sign = counter < wide ? below(2) : sign; /* of the counter, which the comparison's operands widen */
            int64_t step = 1 + (int64_t)below(4),
                    most = counter == 64 ? YK_FORM_MOST : (int64_t)nodes_mask(counter - of_sign),
                    least = of_sign ? -most - 1 : 0;
            if (below(16) == 0 ? !down : down || (test == YK_TRIP_NE && below(2)))
                step = -step;
            unsigned from = operand(counter), by = number(wide, step), to = operand(wide);
            if (below(4) == 0)
                to = number(wide, most - (int64_t)below(4));
            if (below(4) == 0)
                from = number(counter, most - (int64_t)below(12));
            if (below(6) == 0)
                to = number(wide, least + (int64_t)below(4));
            if (test == YK_TRIP_NE && below(4)) { /* it is met, or missed */
                int64_t first = 20 + (int64_t)below(8);
                from = number(counter, first);
                to = number(wide, first + step * ((int64_t)below(6) - 1) + (below(3) == 0));
            }
            if (counter < wide)
                from = make(of_sign ? YK_NODE_SEXT : YK_NODE_ZEXT, wide, from, 0, 0, 0);
            unsigned trip = make(YK_NODE_TRIP, 64, from, by, to, YK_TRIP(test, counter));
            yk_reach_forms(&reach, &kernel, &launch, &box);
            const struct yk_form *f = &reach.form[trip];
            add(&s, f);
            if (f->top)
                continue;
            struct item it = first_item();
            do {
                compute(&it);
                if (!it.made[from] || !it.made[to])
                    continue;
                int64_t end = sign ? nodes_signed(it.value[to], wide) : (int64_t)it.value[to], n = 0;
                for (; n <= 300; n++) {
                    uint64_t x = (it.value[from] + (uint64_t)(n * step)) & nodes_mask(counter);
                    if (of_sign)
                        x = (uint64_t)nodes_signed(x, counter) & nodes_mask(wide);
                    if (!goes_on(test, sign ? nodes_signed(x, wide) : (int64_t)x, end))
                        break;
                }
                ck_assert_msg(n <= f->hi && f->lo == 0, "test %u, seed %llu: %lld rounds, not %lld", test,
                              (unsigned long long)seed, (long long)n, (long long)f->hi);
            } while (next_item(&it));
        }
        char what[8];
        snprintf(what, sizeof what, "%u", test);
        no_worse(what, &s, &rounds_of[test]);
    }
}
END_TEST

/* Are all conditions of C met for sure, and can they be met at all? */
static void met(const struct yk_conditions *c, const struct item *it, bool *sure, bool *possible)
{
    *sure = !c->never && !c->unknown;
    *possible = !c->never;
    for (unsigned i = 0; i < c->n; i++) {
        int64_t lo, hi;
        bounds(&c->at_least_0[i], it, &lo, &hi);
        *sure &= lo >= 0;
        *possible &= hi >= 0;
    }
}

/* never, unknown; how many conditions there were, of how many terms */
static const struct sums conditions = {5338, 2079, 2841};

START_TEST(conditions_as_their_twin)
{
    struct sums s = {0, 0, 0};
    unsigned never = 0;
    for (unsigned round = 0; round < 40 * ROUNDS; round++) {
        begin(200000 + round);
        unsigned x = condition(round % 4);
        yk_reach_forms(&reach, &kernel, &launch, &box);
        unsigned vars = reach.vars.n;
        for (unsigned want = 0; want < 2; want++) {
            struct yk_conditions c = {.n = 0};
            reach.vars.n = vars;
            yk_reach_condition(&kernel, &reach, x, want, &c);
            s.unknown += c.unknown && !c.never;
            never += c.never;
            for (unsigned i = 0; i < c.n && !c.never; i++)
                s.width += 1 + c.at_least_0[i].n;
            struct item it = first_item();
            do {
                bool sure, possible;
                compute(&it);
                if (!it.made[x])
                    continue;
                met(&c, &it, &sure, &possible);
                if (it.value[x] == want ? !possible : sure)
                    ck_abort_msg("round %u: %u is %s", round, want, possible ? "said to be" : "said never to be");
            } while (next_item(&it));
        }
    }
    s.top = 80 * ROUNDS - never;
    no_worse("conditions", &s, &conditions);
}
END_TEST

YK_TEST_MAIN("operations", operations_as_their_twin, loops_as_their_twin, conditions_as_their_twin)
