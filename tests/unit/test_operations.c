/* Each operation of transform/facts_eval.c, loops and conditions, against every value that random operands of every
 * width take: what is not right is seen there. What is known less well than when this was written is seen in what all
 * forms together come to; more is welcome, and then written down here (YOKE_TEST_SHOW=1 prints it). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"
#include "tests/unit/nodes.h"
#include "transform/facts_regions.h"

enum { NODES = 128, VALUES = 6, SOMES = 2, ROUNDS = 240, WIDEST = 1 << 20 };

static struct yk_facts_node node[NODES];
static struct yk_facts_kernel kernel = {.node = node};
static struct yk_form form[NODES];
static struct yk_reach reach = {.form = form, .nforms = NODES};
static const struct yk_reach_launch launch = {
    .dims = 2, .groups = {3, 1, 1}, .local = {4, 3, 1}, .offset = {0, 0, 0}, .arg = NULL};
static const struct yk_box box = {.first = {1, 0, 0}, .count = {2, 1, 1}};

/* Numbers that nobody knows: which node, and what it may be. */
static struct {
    unsigned node, n;
    uint64_t value[VALUES];
} some[SOMES];
static unsigned nsome;

static uint64_t rng;
static unsigned below(unsigned n)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (unsigned)(rng >> 11) % n;
}

static unsigned make(unsigned op, unsigned bits, unsigned a, unsigned b, unsigned c, int64_t imm)
{
    unsigned i = kernel.nnodes++;
    ck_assert_uint_lt(i, NODES);
    node[i] = (struct yk_facts_node){(uint8_t)op, (uint8_t)bits, (uint16_t)a, (uint16_t)b, (uint16_t)c, imm};
    ck_assert_msg(yk_node_valid(node, i), "node %u: %s", i, yk_node_op_name(op));
    return i;
}

static unsigned number(unsigned bits, int64_t x)
{
    return make(YK_NODE_CONST, bits, 0, 0, 0, x);
}

static unsigned as(unsigned bits, unsigned x)
{
    return bits < 64 ? make(YK_NODE_TRUNC, bits, x, 0, 0, 0) : x;
}

static void begin(uint64_t seed)
{
    rng = seed * 0x9e3779b97f4a7c15u + 1;
    kernel.nnodes = 0;
    nsome = 0;
}

/* c + some of k * id */
static unsigned sum(unsigned bits)
{
    static const unsigned ops[] = {YK_NODE_LOCAL_ID, YK_NODE_LOCAL_ID, YK_NODE_GROUP_ID, YK_NODE_GLOBAL_ID};
    static const int64_t k[] = {1, 1, 2, 3, 4, 8, 12, -1, -2, -4};
    int64_t c = below(4) ? (int64_t)below(16) - 4 : (int64_t)1 << below(bits < 40 ? bits : 40);
    unsigned x = number(64, c);
    for (unsigned left = 1 + below(3); left; left--) {
        unsigned op = below(4), id = make(ops[op], 64, 0, 0, 0, op == 1);
        id = make(YK_NODE_MUL, 64, id, number(64, k[below(sizeof k / sizeof *k)]), 0, 0);
        x = make(YK_NODE_ADD, 64, x, id, 0, 0);
    }
    return as(bits, x);
}

static unsigned constant(unsigned bits)
{
    int64_t power = (int64_t)1 << below(bits < 59 ? bits : 59);
    switch (below(4)) {
    case 0:
        return number(bits, power);
    case 1:
        return number(bits, power - 1);
    case 2:
        return number(bits, -power);
    default:
        return number(bits, (int64_t)below(24) - 4);
    }
}

/* LO + one of few, or any number at all. */
static unsigned unknown(unsigned bits)
{
    if (nsome == SOMES)
        return constant(bits);
    unsigned s = nsome++;
    if (below(4) == 0) {
        const uint64_t all[VALUES] = {0, 1, nodes_mask(bits) >> 1, (nodes_mask(bits) >> 1) + 1, nodes_mask(bits), 77};
        some[s].n = VALUES;
        for (unsigned i = 0; i < VALUES; i++)
            some[s].value[i] = all[i] & nodes_mask(bits);
        return some[s].node = make(YK_NODE_UNKNOWN, bits, 0, 0, 0, 0);
    }
    some[s].n = 2 + below(VALUES - 1);
    for (unsigned i = 0; i < some[s].n; i++)
        some[s].value[i] = i;
    unsigned any = make(YK_NODE_UNKNOWN, 64, 0, 0, 0, 0);
    some[s].node = make(YK_NODE_UREM, 64, any, number(64, some[s].n), 0, 0);
    int64_t lo = below(3) == 0 ? -(int64_t)below(6) : below(8) ? (int64_t)below(9) : (int64_t)1 << below(bits - 1);
    return as(bits, make(YK_NODE_ADD, 64, some[s].node, number(64, lo), 0, 0));
}

static unsigned operand(unsigned bits)
{
    unsigned x = 0, end = 0;
    switch (below(8)) {
    case 0:
        return constant(bits);
    case 1:
    case 2:
        return unknown(bits);
    case 3: /* of which a part is taken */
        x = sum(bits);
        end = number(bits, (int64_t)below(20));
        x = make(below(2) ? YK_NODE_BELOW : YK_NODE_SBELOW, bits, x, end, 0, 0);
        return below(2) ? x : make(YK_NODE_MUL, bits, x, number(bits, 1 + below(9)), 0, 0);
    case 4:
        x = unknown(bits);
        return make(YK_NODE_ADD, bits, sum(bits), x, 0, 0);
    default:
        return sum(bits);
    }
}

static unsigned condition(unsigned deep)
{
    unsigned a, b;
    switch (deep ? below(10) : below(3)) {
    case 0:
        return number(1, below(2));
    case 1:
    case 2:
    case 3:
        a = below(6) ? sum(64) : operand(64);
        b = below(3) ? number(64, (int64_t)below(24) - 2) : sum(64);
        return make(YK_NODE_EQ + below(6), 1, a, b, 0, 0);
    case 4:
        return make(YK_NODE_TRUNC, 1, below(2) ? constant(64) : unknown(64), 0, 0, 0);
    case 5:
        a = condition(deep - 1);
        b = below(2) ? number(1, below(2)) : condition(deep - 1);
        return below(2) ? make(YK_NODE_SELECT, 1, a, b, number(1, below(2)), 0)
                        : make(YK_NODE_SELECT, 1, a, number(1, below(2)), b, 0);
    case 6:
        a = condition(deep - 1);
        b = below(4) ? number(1, below(2)) : condition(deep - 1);
        return make(below(3) ? YK_NODE_XOR : YK_NODE_EQ + below(6), 1, a, b, 0, 0);
    default:
        a = condition(deep - 1);
        b = condition(deep - 1);
        return make(below(2) ? YK_NODE_AND : YK_NODE_OR, 1, a, b, 0, 0);
    }
}

struct item {
    uint64_t local[2], group, some[SOMES], value[NODES];
    bool made[NODES]; /* there is such a value */
    unsigned either;  /* of a JOIN */
};

/* All values of one work-item. */
static void compute(struct item *it)
{
    for (unsigned i = 0; i < kernel.nnodes; i++) {
        const struct yk_facts_node *n = &node[i];
        unsigned of = yk_node_operands(n->op), s = 0;
        uint64_t a = it->value[n->a], b = it->value[n->b];
        bool made = (of < 1 || it->made[n->a]) && (of < 2 || it->made[n->b]) && (of < 3 || it->made[n->c]);
        while (s < nsome && some[s].node != i)
            s++;
        if (s < nsome) {
            it->value[i] = it->some[s];
            it->made[i] = true;
            continue;
        }
        if (n->op == YK_NODE_BELOW)
            made &= a < b;
        if (n->op == YK_NODE_SBELOW)
            made &= nodes_signed(a, n->bits) < nodes_signed(b, n->bits);
        switch (n->op) {
        case YK_NODE_CONST:
            it->value[i] = (uint64_t)n->imm & nodes_mask(n->bits);
            break;
        case YK_NODE_LOCAL_ID:
            it->value[i] = it->local[n->imm];
            break;
        case YK_NODE_GROUP_ID:
            it->value[i] = it->group;
            break;
        case YK_NODE_GLOBAL_ID:
            it->value[i] = it->group * launch.local[0] + it->local[0];
            break;
        case YK_NODE_JOIN:
            it->value[i] = it->either ? b : a;
            break;
        case YK_NODE_UNKNOWN: /* of it a part is taken, see unknown() */
        case YK_NODE_TRIP:
            it->value[i] = 0;
            break;
        default:
            made &= nodes_compute(n->op, n->bits, node[n->a].bits, a, b, it->value[n->c], &it->value[i]);
        }
        it->made[i] = made;
    }
}

static bool next_item(struct item *it)
{
    static const uint64_t most[2] = {3, 2};
    for (unsigned d = 0; d < 2; d++) {
        if (it->local[d]++ < most[d])
            return true;
        it->local[d] = 0;
    }
    if (it->group++ < box.first[0] + box.count[0] - 1)
        return true;
    it->group = box.first[0];
    for (unsigned s = 0; s < nsome; s++) {
        unsigned i = 0;
        while (some[s].value[i] != it->some[s])
            i++;
        it->some[s] = some[s].value[i + 1 < some[s].n ? i + 1 : 0];
        if (i + 1 < some[s].n)
            return true;
    }
    return it->either++ == 0;
}

static struct item first_item(void)
{
    struct item it = {.group = box.first[0]};
    for (unsigned s = 0; s < nsome; s++)
        it.some[s] = some[s].value[0];
    return it;
}

/* Between which numbers F is for this work-item, as its terms and its bounds say. */
static void bounds(const struct yk_form *f, const struct item *it, int64_t *lo, int64_t *hi)
{
    const uint64_t id[6] = {it->group, 0, 0, it->local[0], it->local[1], 0};
    *lo = *hi = f->c;
    for (unsigned i = 0; i < f->n; i++) {
        int64_t k = f->k[i];
        bool known = f->var[i] < 6;
        int64_t x = k * (known ? (int64_t)id[f->var[i]] : reach.vars.v[f->var[i]].lo),
                y = k * (known ? (int64_t)id[f->var[i]] : reach.vars.v[f->var[i]].hi);
        *lo += x < y ? x : y;
        *hi += x < y ? y : x;
    }
}

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
    [YK_NODE_SOME] = {7, 193, 14225994},
    [YK_NODE_JOIN] = {9, 187, 39029436},
    [YK_NODE_BELOW] = {11, 112, 15077229},
    [YK_NODE_SBELOW] = {5, 103, 10619703},
    [YK_NODE_ADD] = {4, 138, 13182697},
    [YK_NODE_SUB] = {7, 154, 22947040},
    [YK_NODE_MUL] = {19, 194, 46238154},
    [YK_NODE_UDIV] = {24, 176, 51125267},
    [YK_NODE_SDIV] = {15, 194, 51411132},
    [YK_NODE_UREM] = {17, 215, 49370570},
    [YK_NODE_SREM] = {10, 226, 39406175},
    [YK_NODE_SHL] = {37, 229, 103713529},
    [YK_NODE_LSHR] = {17, 220, 45904842},
    [YK_NODE_ASHR] = {39, 231, 101463983},
    [YK_NODE_AND] = {7, 213, 20942217},
    [YK_NODE_OR] = {21, 222, 68782687},
    [YK_NODE_XOR] = {25, 233, 72361467},
    [YK_NODE_ZEXT] = {0, 104, 3552883},
    [YK_NODE_SEXT] = {0, 103, 1319920},
    [YK_NODE_TRUNC] = {0, 96, 5646110},
    [YK_NODE_SELECT] = {6, 119, 24409217},
    [YK_NODE_UMIN] = {3, 167, 12668137},
    [YK_NODE_UMAX] = {20, 146, 48556868},
    [YK_NODE_SMIN] = {10, 150, 19320877},
    [YK_NODE_SMAX] = {7, 125, 18211830},
    [YK_NODE_EQ] = {0, 98, 98},
    [YK_NODE_NE] = {0, 93, 93},
    [YK_NODE_ULT] = {0, 129, 129},
    [YK_NODE_ULE] = {0, 125, 125},
    [YK_NODE_SLT] = {0, 84, 84},
    [YK_NODE_SLE] = {0, 87, 87},
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
    [YK_TRIP_ULT] = {335, 662, 398376795},
    [YK_TRIP_ULE] = {428, 676, 478396935},
    [YK_TRIP_UGT] = {304, 670, 417410422},
    [YK_TRIP_UGE] = {384, 720, 481059533},
    [YK_TRIP_SLT] = {237, 588, 317233871},
    [YK_TRIP_SLE] = {275, 591, 333800521},
    [YK_TRIP_SGT] = {201, 645, 329262990},
    [YK_TRIP_SGE] = {271, 672, 383411322},
    [YK_TRIP_NE] = {471, 853, 497075209},
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
static const struct sums conditions = {12786, 5015, 7045};

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
