/* Each operation of transform/facts_eval.c, loops and conditions, against every value that random operands of every
 * width take: what is not right is seen there. What is known less well, or better, than when this was written is seen
 * in what all forms together come to, which is written down here (YOKE_TEST_SHOW=1 prints it): more is welcome. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/main.h"
#include "tests/unit/operands.h"

enum { ROUNDS = 160, CONDITIONS = 4000 };

/* What all forms of an operation come to. */
struct sums {
    unsigned top, unknown; /* that depend on something nobody knows */
    unsigned terms, vars;  /* and variables that were needed for all of it */
    uint64_t width;
};

static void add(struct sums *s, const struct yk_form *f)
{
    bool is_unknown = f->top;
    for (unsigned i = 0; i < f->n && !f->top; i++)
        is_unknown |= f->var[i] >= 6;
    s->top += f->top;
    s->unknown += is_unknown;
    s->terms += f->n;
    s->vars += reach.vars.n;
    s->width += f->top ? 1 : (uint64_t)(f->hi - f->lo);
}

/* Is node I's form right for every work-item? */
static bool is_right(unsigned i)
{
    const struct yk_form *f = &reach.form[i];
    unsigned bits = node[i].bits;
    struct item it = first_item();
    if (f->top)
        return true;
    for (unsigned t = 0; t < f->n; t++) /* only ids take all their values */
        if (f->var[t] >= 6 && !reach.vars.v[f->var[t]].free)
            return false;
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
        if (near < lo || near > hi) {
            fprintf(stderr, "%llx of %u bits is not within %lld and %lld\n", (unsigned long long)it.value[i], bits,
                    (long long)lo, (long long)hi);
            return false;
        }
    } while (next_item(&it));
    return true;
}

/* As it WAS, written down. */
static void as_was(const char *what, const struct sums *s, const struct sums *was)
{
    if (getenv("YOKE_TEST_SHOW"))
        printf("[%s] = {%u, %u, %u, %u, %lluu},\n", what, s->top, s->unknown, s->terms, s->vars,
               (unsigned long long)s->width);
    else if (s->top != was->top || s->unknown != was->unknown || s->terms != was->terms || s->vars != was->vars ||
             s->width != was->width)
        ck_abort_msg("%s: %u top, %u unknown, %u terms, %u variables, %llu wide, and was %u, %u, %u, %u, %llu", what,
                     s->top, s->unknown, s->terms, s->vars, (unsigned long long)s->width, was->top, was->unknown,
                     was->terms, was->vars, (unsigned long long)was->width);
}

static const unsigned widths[] = {8, 16, 32, 64}, rare[] = {13, 59, 60, 61};

static const struct sums operations[YK_NODE_OP_COUNT] = {
    [YK_NODE_SOME] = {3, 133, 130, 1151, 7723186119668u},
    [YK_NODE_JOIN] = {6, 122, 159, 1166, 612560019224164059u},
    [YK_NODE_BELOW] = {13, 80, 185, 1129, 23916008517u},
    [YK_NODE_SBELOW] = {6, 64, 197, 1122, 8607311011u},
    [YK_NODE_ADD] = {2, 99, 335, 1085, 211184697713866u},
    [YK_NODE_SUB] = {5, 96, 332, 1080, 576464815529753805u},
    [YK_NODE_MUL] = {11, 131, 145, 1189, 641442799218158510u},
    [YK_NODE_UDIV] = {16, 121, 108, 1244, 61068921696u},
    [YK_NODE_SDIV] = {17, 139, 122, 1250, 1153001077149490960u},
    [YK_NODE_UREM] = {13, 139, 144, 1246, 576508939700184637u},
    [YK_NODE_SREM] = {11, 155, 146, 1279, 576461396572740169u},
    [YK_NODE_SHL] = {31, 156, 128, 1267, 2305843176719374127u},
    [YK_NODE_LSHR] = {10, 152, 143, 1277, 576470398251459824u},
    [YK_NODE_ASHR] = {33, 155, 124, 1250, 576460935914956489u},
    [YK_NODE_AND] = {4, 147, 143, 1285, 9007545337851294u},
    [YK_NODE_OR] = {20, 138, 153, 1241, 1156879842400609801u},
    [YK_NODE_XOR] = {18, 146, 155, 1270, 1279035592938448664u},
    [YK_NODE_ZEXT] = {0, 83, 191, 1066, 30065118884u},
    [YK_NODE_SEXT] = {0, 79, 192, 1068, 8590167539u},
    [YK_NODE_TRUNC] = {0, 71, 216, 1031, 9007670981714035u},
    [YK_NODE_SELECT] = {2, 84, 197, 1309, 2162303999796943757u},
    [YK_NODE_UMIN] = {2, 114, 174, 1206, 1163437260468512u},
    [YK_NODE_UMAX] = {19, 112, 157, 1212, 1154188216772246228u},
    [YK_NODE_SMIN] = {7, 104, 171, 1193, 1297318182826508618u},
    [YK_NODE_SMAX] = {8, 109, 187, 1227, 19445946835u},
    [YK_NODE_EQ] = {0, 78, 78, 1159, 78u},
    [YK_NODE_NE] = {0, 67, 67, 1143, 67u},
    [YK_NODE_ULT] = {0, 90, 90, 1188, 90u},
    [YK_NODE_ULE] = {0, 88, 88, 1175, 88u},
    [YK_NODE_SLT] = {0, 63, 63, 1145, 63u},
    [YK_NODE_SLE] = {0, 82, 82, 1160, 82u},
};

START_TEST(operations_as_their_twin)
{
    for (unsigned op = YK_NODE_SOME; op < YK_NODE_TRIP; op++) {
        struct sums s = {0, 0, 0, 0, 0};
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t seed = op * 1000 + round;
            begin(seed);
            unsigned bits = round % 6 == 5 ? rare[below(4)] : widths[round % 4], other = widths[below(4)], x, y,
                     of = yk_node_operands(op);
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
            if (!is_right(x))
                ck_abort_msg("%s, seed %llu", yk_node_op_name(op), (unsigned long long)seed);
            add(&s, &reach.form[x]);
        }
        as_was(yk_node_op_name(op), &s, &operations[op]);
        ck_assert_uint_lt(s.unknown, ROUNDS); /* not all of its forms are right by saying nothing */
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
    [YK_TRIP_ULT] = {106, 219, 113, 2372, 4012332009090178089u},
    [YK_TRIP_ULE] = {145, 231, 86, 2311, 1279679081713160528u},
    [YK_TRIP_UGT] = {125, 240, 115, 2364, 3458764540091513095u},
    [YK_TRIP_UGE] = {145, 248, 103, 2352, 2738118805995399917u},
    [YK_TRIP_SLT] = {62, 186, 124, 2363, 5140945660717914866u},
    [YK_TRIP_SLE] = {83, 201, 118, 2343, 1297600318110088410u},
    [YK_TRIP_SGT] = {73, 226, 153, 2381, 7025545281947277825u},
    [YK_TRIP_SGE] = {98, 248, 150, 2372, 5044032153302788271u},
    [YK_TRIP_NE] = {156, 286, 130, 2308, 8706u},
};

/* Where a loop's rounds are known, no work-item goes round more often, also where its counter wraps. */
START_TEST(loops_as_their_twin)
{
    for (unsigned test = 0; test < YK_TRIP_UNKNOWN; test++) {
        struct sums s = {0, 0, 0, 0, 0};
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            uint64_t seed = 100000 + test * 1000 + round;
            begin(seed);
            unsigned wide = round % 8 == 7 ? rare[1 + below(3)] : widths[round % 4],
                     counter = round % 8 == 7 || below(3) ? wide : widths[below(round % 4 + 1)];
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
                first += step * ((int64_t)below(6) - 1);
                to = number(wide, first + (below(3) == 0));
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
        as_was(what, &s, &rounds_of[test]);
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
    if (c->crosses) {
        int64_t lo, hi;
        bounds(&c->not_0, it, &lo, &hi);
        *sure &= lo > 0 || hi < 0;
        *possible &= lo || hi;
    }
}

/* that can be, unknown; terms and widths of all conditions */
static const struct sums conditions = {5354, 1704, 2282, 49875, 864784655673034775u};

START_TEST(conditions_as_their_twin)
{
    struct sums s = {0, 0, 0, 0, 0};
    unsigned never = 0;
    for (unsigned round = 0; round < CONDITIONS; round++) {
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
                s.width += 1 + (uint64_t)(c.at_least_0[i].hi - c.at_least_0[i].lo), s.terms += c.at_least_0[i].n;
            s.vars += reach.vars.n;
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
    s.top = 2 * CONDITIONS - never;
    as_was("conditions", &s, &conditions);
}
END_TEST

YK_TEST_MAIN("operations", operations_as_their_twin, loops_as_their_twin, conditions_as_their_twin)
