/* Nodes as forms, for one launch and one box of work-groups. */
#include <string.h>
#include "base/least.h"
#include "transform/facts_regions.h"

/* Any number of BITS bits. */
static struct yk_form unknown(struct yk_form_vars *v, unsigned bits)
{
    return bits >= 60 ? yk_form_top() : yk_form_new(v, 0, (INT64_C(1) << bits) - 1, true);
}

static struct yk_form argument(struct yk_form_vars *v, const struct yk_reach_launch *l, const struct yk_facts_node *n)
{
    const struct yk_reach_arg *a = &l->arg[n->a];
    uint64_t x = 0;
    if (!a->bytes || (uint64_t)n->imm + n->bits / 8 > a->size)
        return unknown(v, n->bits);
    memcpy(&x, (const char *)a->bytes + n->imm, n->bits / 8); /* little-endian, as every device of a share is */
    return yk_form_const((int64_t)(x << (64 - n->bits)) >> (64 - n->bits)); /* with its sign */
}

static struct yk_form size_of(const struct yk_reach_launch *l, unsigned op, unsigned d)
{
    uint64_t x = op == YK_NODE_LOCAL_SIZE      ? l->local[d]
                 : op == YK_NODE_NUM_GROUPS    ? l->groups[d]
                 : op == YK_NODE_GLOBAL_OFFSET ? l->offset[d]
                                               : l->groups[d] * l->local[d];
    return x > (uint64_t)YK_FORM_MOST ? yk_form_top() : yk_form_const((int64_t)x);
}

static struct yk_form global_id(const struct yk_reach *r, const struct yk_reach_launch *l, unsigned d)
{
    struct yk_form group = yk_form_var(&r->vars, d), local = yk_form_var(&r->vars, 3 + d),
                   offset = size_of(l, YK_NODE_GLOBAL_OFFSET, d);
    group = yk_form_scale(&group, (int64_t)l->local[d]);
    group = yk_form_add(&group, &local);
    return yk_form_add(&group, &offset);
}

/* How often a loop goes round. A counter must not wrap before it ends: then nothing is known. */
static struct yk_form trip(struct yk_form_vars *v, const struct yk_facts_node *node, const struct yk_facts_node *n,
                           const struct yk_form *form)
{
    unsigned wide = node[n->a].bits, bits = YK_TRIP_COUNTER(n->imm), test = YK_TRIP_TEST(n->imm);
    bool sign = test >= YK_TRIP_SLT;
    struct yk_form from = sign ? yk_form_signed(v, &form[n->a], wide) : yk_form_unsigned(v, &form[n->a], wide),
                   to = sign ? yk_form_signed(v, &form[n->c], wide) : yk_form_unsigned(v, &form[n->c], wide),
                   by = yk_form_signed(v, &form[n->b], wide);
    if (test == YK_TRIP_UNKNOWN || from.top || to.top || !yk_form_is_const(&by) || !yk_form_value(&by))
        return yk_form_top();
    int64_t step = yk_form_value(&by), most, least = 0, rounds;
    if (bits >= 60)
        most = YK_FORM_MOST;
    else
        most = (INT64_C(1) << (sign || bits < wide ? bits - 1 : bits)) - 1;
    if (sign && bits == wide)
        least = -most - 1;
    switch (test) {
    case YK_TRIP_ULE:
    case YK_TRIP_SLE:
        to.hi++;
        /* fall through */
    case YK_TRIP_ULT:
    case YK_TRIP_SLT:
        if (step < 0 || to.hi - 1 > most - step)
            return yk_form_top();
        rounds = to.hi <= from.lo ? 0 : (to.hi - from.lo - 1) / step + 1;
        break;
    case YK_TRIP_UGE:
    case YK_TRIP_SGE:
        to.lo--;
        /* fall through */
    case YK_TRIP_UGT:
    case YK_TRIP_SGT:
        if (step > 0 || to.lo + 1 < least - step)
            return yk_form_top();
        rounds = from.hi <= to.lo ? 0 : (from.hi - to.lo - 1) / -step + 1;
        break;
    default: /* NE */
        rounds = (yk_form_value(&to) - yk_form_value(&from)) / step;
        if (!yk_form_is_const(&from) || !yk_form_is_const(&to) || rounds < 0 ||
            yk_form_value(&from) + rounds * step != yk_form_value(&to))
            return yk_form_top();
    }
    return yk_form_new(v, 0, rounds, false);
}

static struct yk_form iota(struct yk_form_vars *v, const struct yk_form *n)
{
    if (n->top || n->hi > YK_FORM_MOST / 2)
        return yk_form_top();
    if (yk_form_is_const(n) && yk_form_value(n) > 0)
        return yk_form_new(v, 0, yk_form_value(n) - 1, false);
    return yk_form_new(v, 0, YK_MAX(n->hi, INT64_C(1)), true);
}

/* A or B. */
static struct yk_form either(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b)
{
    if (yk_form_equal(a, b)) {
        struct yk_form r = *a;
        r.lo = YK_MIN(a->lo, b->lo);
        r.hi = YK_MAX(a->hi, b->hi);
        return r;
    }
    if (a->top || b->top)
        return yk_form_top();
    return yk_form_new(v, YK_MIN(a->lo, b->lo), YK_MAX(a->hi, b->hi), true);
}

static struct yk_form below(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b, unsigned bits,
                            bool sign)
{
    struct yk_form x = sign ? yk_form_signed(v, a, bits) : yk_form_unsigned(v, a, bits),
                   y = sign ? yk_form_signed(v, b, bits) : yk_form_unsigned(v, b, bits);
    if (!x.top && !y.top && x.hi >= y.hi)
        x.hi = YK_MAX(y.hi - 1, x.lo);
    return x;
}

static bool power_of_2(int64_t x)
{
    return x > 0 && !(x & (x - 1));
}

/* Unsigned and signed division and remainder. */
static struct yk_form quotient(struct yk_form_vars *v, unsigned op, const struct yk_form *a, const struct yk_form *b,
                               unsigned bits)
{
    bool sign = op == YK_NODE_SDIV || op == YK_NODE_SREM, rem = op == YK_NODE_UREM || op == YK_NODE_SREM;
    struct yk_form x = sign ? yk_form_signed(v, a, bits) : yk_form_unsigned(v, a, bits),
                   y = sign ? yk_form_signed(v, b, bits) : yk_form_unsigned(v, b, bits);
    if (y.top || y.lo <= 0)
        return unknown(v, bits);
    if (!x.top && x.lo >= 0) {
        if (yk_form_is_const(&y))
            return rem ? yk_form_rem(v, &x, yk_form_value(&y)) : yk_form_div(v, &x, yk_form_value(&y));
        return rem ? yk_form_new(v, 0, YK_MIN(x.hi, y.hi - 1), true) : yk_form_new(v, x.lo / y.hi, x.hi / y.lo, true);
    }
    if (rem)
        return yk_form_new(v, sign ? 1 - y.hi : 0, y.hi - 1, true);
    if (x.top)
        return unknown(v, bits);
    int64_t most = YK_MAX(x.hi, -x.lo);
    return yk_form_new(v, -most, most, true);
}

static struct yk_form less(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b)
{
    struct yk_form minus = yk_form_scale(b, -1);
    return yk_form_sum(v, a, &minus);
}

/* Is every value of A a multiple of BY, or A top? */
static bool multiple_of(const struct yk_form *a, int64_t by)
{
    bool yes = a->c % by == 0;
    for (unsigned i = 0; i < a->n; i++)
        yes &= a->k[i] % by == 0;
    return yes;
}

static struct yk_form bitwise(struct yk_form_vars *v, unsigned op, const struct yk_form *a, const struct yk_form *b,
                              unsigned bits)
{
    if (op == YK_NODE_XOR && yk_form_is_const(b) && yk_form_value(b) == -1) /* ~a, which LLVM makes of -1 - a */
        return yk_form_sub(b, a);
    struct yk_form x = yk_form_unsigned(v, a, bits), y = yk_form_unsigned(v, b, bits);
    if (op == YK_NODE_AND && yk_form_is_const(b)) {
        int64_t mask = yk_form_value(b);
        if (power_of_2(mask + 1))
            return yk_form_rem(v, &x, mask + 1);
        if (mask < 0 && power_of_2(-mask)) { /* ~(2^n - 1): takes away what is beyond a multiple */
            struct yk_form z = yk_form_signed(v, a, bits), low;
            if (z.top || z.lo < 0)
                return unknown(v, bits);
            low = yk_form_rem(v, &z, -mask);
            return less(v, &z, &low);
        }
    }
    /* From here on the bounds of top are the widest, beyond which all comes to top. */
    if (op == YK_NODE_AND && !(x.top && y.top))
        return yk_form_new(v, 0, YK_MIN(x.hi, y.hi), true);
    for (int64_t p = 1; p < YK_FORM_MOST; p *= 2) /* no bit in common */
        if ((x.hi < p && multiple_of(&y, p)) || (y.hi < p && multiple_of(&x, p)))
            return yk_form_add(&x, &y);
    int64_t most = 1;
    /* Only bits below MOST change: a pair's other half. */
    if (yk_form_is_const(&y) && !x.top && yk_form_value(&y) > 0) {
        while (most <= yk_form_value(&y))
            most *= 2;
        struct yk_form low = yk_form_rem(v, &x, most), high = less(v, &x, &low);
        low = yk_form_new(v, op == YK_NODE_OR ? yk_form_value(&y) : 0, most - 1, true);
        return yk_form_sum(v, &high, &low);
    }
    while (most <= x.hi || most <= y.hi)
        most *= 2;
    return yk_form_new(v, 0, most - 1, true);
}

static struct yk_form shift(struct yk_form_vars *v, unsigned op, const struct yk_form *a, const struct yk_form *b,
                            unsigned bits)
{
    struct yk_form by = yk_form_unsigned(v, b, bits);
    if (!yk_form_is_const(&by) || yk_form_value(&by) >= YK_MIN(bits, 60U)) {
        struct yk_form x = yk_form_unsigned(v, a, bits);
        return op == YK_NODE_LSHR && !x.top ? yk_form_new(v, 0, x.hi, true) : unknown(v, bits);
    }
    int64_t p = INT64_C(1) << yk_form_value(&by);
    if (op == YK_NODE_SHL)
        return yk_form_scale(a, p);
    struct yk_form x = op == YK_NODE_LSHR ? yk_form_unsigned(v, a, bits) : yk_form_signed(v, a, bits);
    return x.top ? unknown(v, bits) : yk_form_div(v, &x, p);
}

static struct yk_form min_max(struct yk_form_vars *v, unsigned op, const struct yk_form *a, const struct yk_form *b,
                              unsigned bits)
{
    bool sign = op == YK_NODE_SMIN || op == YK_NODE_SMAX, least = op == YK_NODE_SMIN || op == YK_NODE_UMIN;
    struct yk_form x = sign ? yk_form_signed(v, a, bits) : yk_form_unsigned(v, a, bits),
                   y = sign ? yk_form_signed(v, b, bits) : yk_form_unsigned(v, b, bits);
    if (!x.top && !y.top && x.hi <= y.lo)
        return least ? x : y;
    if (!x.top && !y.top && y.hi <= x.lo)
        return least ? y : x;
    if (op == YK_NODE_UMIN && x.top != y.top) /* no more than the one that is known */
        return yk_form_new(v, 0, x.top ? y.hi : x.hi, true);
    if (x.top || y.top)
        return yk_form_top();
    return least ? yk_form_new(v, YK_MIN(x.lo, y.lo), YK_MIN(x.hi, y.hi), true)
                 : yk_form_new(v, YK_MAX(x.lo, y.lo), YK_MAX(x.hi, y.hi), true);
}

static bool is_condition(const struct yk_facts_node *n)
{
    return n->bits == 1 &&
           ((n->op >= YK_NODE_EQ && n->op <= YK_NODE_SLE) || (n->op >= YK_NODE_AND && n->op <= YK_NODE_XOR));
}

enum { NOT_ASKED = 255 }; /* .n of a condition's form before somebody wants it as a number */

/* A condition as a number: 1, 0 or unknown. */
static void resolve(const struct yk_facts_kernel *k, struct yk_reach *r, unsigned i)
{
    if (!is_condition(&k->node[i]) || r->form[i].n != NOT_ASKED)
        return;
    struct yk_conditions yes, no;
    unsigned vars = r->vars.n;
    yk_conditions_init(&yes);
    yk_conditions_init(&no);
    yk_reach_condition(k, r, i, true, &yes);
    yk_reach_condition(k, r, i, false, &no);
    r->vars.n = vars;
    r->form[i] = yes.never ? yk_form_const(0) : no.never ? yk_form_const(1) : yk_form_new(&r->vars, 0, 1, true);
}

static struct yk_form eval(const struct yk_facts_kernel *k, struct yk_reach *r, const struct yk_reach_launch *l,
                           unsigned i)
{
    const struct yk_facts_node *n = &k->node[i];
    struct yk_form_vars *v = &r->vars;
    if (is_condition(n))
        return (struct yk_form){.top = true, .n = NOT_ASKED};
    for (unsigned o = 0; o < yk_node_operands(n->op); o++)
        resolve(k, r, o == 0 ? n->a : o == 1 ? n->b : n->c);
    const struct yk_form *a = &r->form[n->a], *b = &r->form[n->b];
    unsigned of = k->node[n->a].bits; /* meaningful where there is an operand */
    switch (n->op) {
    case YK_NODE_CONST:
        return n->imm > YK_FORM_MOST || n->imm < -YK_FORM_MOST ? unknown(v, n->bits) : yk_form_const(n->imm);
    case YK_NODE_ARG:
        return argument(v, l, n);
    case YK_NODE_GLOBAL_ID:
        return global_id(r, l, (unsigned)n->imm);
    case YK_NODE_LOCAL_ID:
        return yk_form_var(v, 3 + (unsigned)n->imm);
    case YK_NODE_GROUP_ID:
        return yk_form_var(v, (unsigned)n->imm);
    case YK_NODE_GLOBAL_SIZE:
    case YK_NODE_LOCAL_SIZE:
    case YK_NODE_NUM_GROUPS:
    case YK_NODE_GLOBAL_OFFSET:
        return size_of(l, n->op, (unsigned)n->imm);
    case YK_NODE_WORK_DIM:
        return yk_form_const(l->dims);
    case YK_NODE_SOME:
        return a->top ? *a : yk_form_new(v, a->lo, a->hi, true);
    case YK_NODE_JOIN:
        return either(v, a, b);
    case YK_NODE_BELOW:
    case YK_NODE_SBELOW:
        return below(v, a, b, n->bits, n->op == YK_NODE_SBELOW);
    case YK_NODE_ADD:
        return yk_form_sum(v, a, b);
    case YK_NODE_SUB:
        return less(v, a, b);
    case YK_NODE_MUL:
        return yk_form_mul(v, a, b);
    case YK_NODE_UDIV:
    case YK_NODE_SDIV:
    case YK_NODE_UREM:
    case YK_NODE_SREM:
        return quotient(v, n->op, a, b, n->bits);
    case YK_NODE_SHL:
    case YK_NODE_LSHR:
    case YK_NODE_ASHR:
        return shift(v, n->op, a, b, n->bits);
    case YK_NODE_AND:
    case YK_NODE_OR:
    case YK_NODE_XOR:
        return bitwise(v, n->op, a, b, n->bits);
    case YK_NODE_ZEXT:
        return yk_form_unsigned(v, a, of);
    case YK_NODE_SEXT:
        return yk_form_signed(v, a, of);
    case YK_NODE_TRUNC:
        return a->top ? unknown(v, n->bits) : *a;
    case YK_NODE_SELECT:
        if (yk_form_is_const(a))
            return r->form[yk_form_value(a) & 1 ? n->b : n->c];
        return either(v, b, &r->form[n->c]);
    case YK_NODE_UMIN:
    case YK_NODE_UMAX:
    case YK_NODE_SMIN:
    case YK_NODE_SMAX:
        return min_max(v, n->op, a, b, n->bits);
    case YK_NODE_TRIP:
        return trip(v, k->node, n, r->form);
    case YK_NODE_IOTA:
        return iota(v, a);
    default:
        return unknown(v, n->bits);
    }
}

void yk_reach_forms(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                    const struct yk_box *box)
{
    r->vars.n = 6;
    r->vars.ndivisions = 0;
    for (unsigned d = 0; d < 3; d++) {
        r->vars.v[d].lo = (int64_t)box->first[d];
        r->vars.v[d].hi = (int64_t)(box->first[d] + box->count[d] - 1);
        r->vars.v[3 + d].lo = 0;
        r->vars.v[3 + d].hi = (int64_t)l->local[d] - 1;
    }
    for (unsigned i = 0; i < k->nnodes; i++)
        r->form[i] = eval(k, r, l, i);
}
