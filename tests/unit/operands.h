/* Random operands of the facts, of every kind and width, and every value that they take in one box of one launch: what
 * forms and conditions are held against. Included by one test. */
#ifndef YK_TESTS_UNIT_OPERANDS_H
#define YK_TESTS_UNIT_OPERANDS_H

#include <string.h>
#include <check.h>
#include "tests/unit/nodes.h"
#include "tests/unit/random.h"
#include "transform/facts_regions.h"

enum { NODES = 128, VALUES = 6, SOMES = 2 };

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
    random_begin(seed);
    kernel.nnodes = 0;
    nsome = 0;
}

/* c + some of k * id */
static unsigned sum(unsigned bits)
{
    static const unsigned ops[] = {YK_NODE_LOCAL_ID, YK_NODE_LOCAL_ID, YK_NODE_GROUP_ID, YK_NODE_GLOBAL_ID};
    static const int64_t k[] = {1, 1, 2, 3, 4, 8, 12, -1, -2, -4};
    int64_t c = below(4) ? (int64_t)below(16) - 4 : (int64_t)1 << below(bits < 40 ? bits : 40);
    bool plain = below(3) == 0; /* as the parts are that OR puts together */
    unsigned x = number(64, plain ? 0 : c);
    for (unsigned left = plain ? 1 : 1 + below(3); left; left--) {
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
    switch (below(10)) {
    case 0:
        return constant(bits);
    case 8: /* which wraps */
        x = sum(bits);
        return make(YK_NODE_MUL, bits, x, number(bits, (int64_t)1 << below(bits < 59 ? bits : 59)), 0, 0);
    case 9: /* of which bounds alone are known */
        x = sum(bits);
        end = sum(bits);
        return make(YK_NODE_MUL, bits, x, end, 0, 0);
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
    unsigned a, b, bits;
    switch (deep ? below(10) : below(3)) {
    case 0:
        return number(1, below(2));
    case 1:
    case 2:
    case 3:
        bits = below(3) ? 64 : below(2) ? 32 : 8;
        a = below(6) ? sum(bits) : operand(bits);
        b = below(3) ? number(bits, (int64_t)below(24) - 2) : sum(bits);
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

#endif
