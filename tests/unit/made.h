/* Random kernels as facts, and launches of them: expressions, guards and loops that depend on one another. Included by
 * one test. */
#ifndef YK_TESTS_UNIT_MADE_H
#define YK_TESTS_UNIT_MADE_H

#include <string.h>
#include <check.h>
#include "tests/unit/random.h"
#include "transform/facts_regions.h"

enum { SIZE = 4096, LOOPS = 2, NODES = 64, ROUNDS = 14 };

struct loop {
    unsigned trip, counter, inside, guard; /* nodes: rounds, counter, counter as its body sees it, its condition */
};

struct made {
    struct yk_facts_kernel k;
    struct yk_facts_node node[NODES];
    struct yk_facts_access access[4];
    struct yk_facts_guard guard[32];
    struct yk_facts_arg arg[4];
    struct loop loop[LOOPS];
    unsigned nloops;
    uint32_t depends[NODES]; /* bit l: on loop l's rounds; bit 8: on something unknown */
    uint32_t scalar;
    uint64_t wide;
    struct yk_reach_arg value[4];
    struct yk_reach_launch launch;
};

static unsigned node(struct made *m, unsigned op, unsigned bits, unsigned a, unsigned b, unsigned c, int64_t imm)
{
    unsigned i = m->k.nnodes++, of = yk_node_operands(op);
    m->node[i] = (struct yk_facts_node){(uint8_t)op, (uint8_t)bits, (uint16_t)a, (uint16_t)b, (uint16_t)c, imm};
    m->depends[i] = (of > 0 ? m->depends[a] : 0) | (of > 1 ? m->depends[b] : 0) | (of > 2 ? m->depends[c] : 0);
    if (op == YK_NODE_UNKNOWN || op == YK_NODE_SOME)
        m->depends[i] |= 1 << 8;
    ck_assert_msg(yk_node_valid(m->node, i), "node %u: %s", i, yk_node_op_name(op));
    return i;
}

static unsigned any(struct made *m, unsigned bits)
{
    for (;;) {
        unsigned i = below(m->k.nnodes);
        bool trip = m->node[i].op == YK_NODE_TRIP;
        for (unsigned l = 0; l < m->nloops; l++)
            trip |= i == m->loop[l].counter;
        if (m->node[i].bits == bits && !trip)
            return i;
    }
}

/* Each number of a seed is drawn in a statement of its own: the same launches with every compiler. */
static unsigned compare(struct made *m, unsigned bits)
{
    unsigned op = YK_NODE_EQ + below(6), a = any(m, bits), b = any(m, bits);
    return node(m, op, 1, a, b, 0, 0);
}

static void leaves(struct made *m)
{
    for (unsigned d = 0; d < 2; d++) {
        node(m, YK_NODE_GLOBAL_ID, 64, 0, 0, 0, d);
        node(m, YK_NODE_LOCAL_ID, 64, 0, 0, 0, d);
        node(m, YK_NODE_GROUP_ID, 64, 0, 0, 0, d);
        node(m, YK_NODE_GLOBAL_SIZE, 64, 0, 0, 0, d);
        node(m, YK_NODE_LOCAL_SIZE, 64, 0, 0, 0, d);
    }
    node(m, YK_NODE_TRUNC, 32, 0, 0, 0, 0);
    node(m, YK_NODE_TRUNC, 32, 1, 0, 0, 0);
    node(m, YK_NODE_ARG, 32, 2, 0, 0, 0);
    node(m, YK_NODE_ARG, 64, 3, 0, 0, 0);
    node(m, YK_NODE_CONST, 64, 0, 0, 0, (int64_t)below(9) - 2);
    node(m, YK_NODE_CONST, 32, 0, 0, 0, (int64_t)below(9) - 2);
    node(m, YK_NODE_CONST, 32, 0, 0, 0, (int64_t)1 << below(5));
}

static void loops(struct made *m)
{
    m->nloops = below(LOOPS + 1);
    for (unsigned l = 0; l < m->nloops; l++) {
        unsigned bits = below(2) ? 32 : 64;
        unsigned from = any(m, bits), by = node(m, YK_NODE_CONST, bits, 0, 0, 0, 1 + below(3)), to = any(m, bits);
        unsigned size = below(3) ? 0 : below(2) ? 4 : 9;
        if (bits == 64 && size)
            by = size; /* the local size: work-items take turns */
        bool sign = below(2), equal = below(4) == 0;
        struct loop *o = &m->loop[l];
        o->trip = node(m, YK_NODE_TRIP, 64, from, by, to,
                       YK_TRIP(sign    ? (equal ? YK_TRIP_SLE : YK_TRIP_SLT)
                               : equal ? YK_TRIP_ULE
                                       : YK_TRIP_ULT,
                               bits));
        m->depends[o->trip] |= 1u << l;
        unsigned t = bits < 64 ? node(m, YK_NODE_TRUNC, bits, o->trip, 0, 0, 0) : o->trip;
        t = node(m, YK_NODE_MUL, bits, t, by, 0, 0);
        o->counter = node(m, YK_NODE_ADD, bits, from, t, 0, 0);
        unsigned op = sign ? (equal ? YK_NODE_SLE : YK_NODE_SLT) : equal ? YK_NODE_ULE : YK_NODE_ULT;
        o->guard = node(m, op, 1, o->counter, to, 0, 0);
        o->inside = o->counter;
        if (!equal && below(2))
            o->inside = node(m, sign ? YK_NODE_SBELOW : YK_NODE_BELOW, bits, o->counter, to, 0, 0);
        if (o->inside == o->counter) /* let it be chosen */
            o->inside = node(m, YK_NODE_ADD, bits, o->counter, node(m, YK_NODE_CONST, bits, 0, 0, 0, 0), 0, 0);
    }
}

static void operations(struct made *m)
{
    static const unsigned binary[] = {
        YK_NODE_ADD,  YK_NODE_ADD,  YK_NODE_ADD,  YK_NODE_SUB,  YK_NODE_MUL,  YK_NODE_MUL,  YK_NODE_UDIV,
        YK_NODE_SDIV, YK_NODE_UREM, YK_NODE_SREM, YK_NODE_SHL,  YK_NODE_LSHR, YK_NODE_ASHR, YK_NODE_AND,
        YK_NODE_OR,   YK_NODE_XOR,  YK_NODE_UMIN, YK_NODE_UMAX, YK_NODE_SMIN, YK_NODE_SMAX, YK_NODE_JOIN};
    unsigned n = 2 + below(10);
    for (unsigned i = 0; i < n; i++) {
        unsigned bits = below(2) ? 32 : 64;
        switch (below(12)) {
        case 0: {
            unsigned a = any(m, 32);
            node(m, below(2) ? YK_NODE_ZEXT : YK_NODE_SEXT, 64, a, 0, 0, 0);
            break;
        }
        case 1:
            node(m, YK_NODE_TRUNC, 32, any(m, 64), 0, 0, 0);
            break;
        case 2:
            compare(m, bits);
            break;
        case 3: {
            unsigned a = any(m, bits), b = any(m, bits), c = node(m, YK_NODE_ULT, 1, a, b, 0, 0);
            unsigned yes = any(m, bits), no = any(m, bits);
            node(m, YK_NODE_SELECT, bits, c, yes, no, 0);
            break;
        }
        case 4:
            if (below(2))
                node(m, YK_NODE_UNKNOWN, 8, 0, 0, 0, 0), node(m, YK_NODE_ZEXT, 64, m->k.nnodes - 1, 0, 0, 0);
            break;
        case 5: { /* ids by a constant, as indices are */
            unsigned a = any(m, 64), c = node(m, YK_NODE_CONST, 64, 0, 0, 0, 1 + below(16));
            node(m, YK_NODE_MUL, 64, a, c, 0, 0);
            break;
        }
        default: {
            unsigned a = any(m, bits), b = any(m, bits), op = binary[below(sizeof binary / sizeof *binary)];
            node(m, op, bits, a, b, 0, 0);
            if (op == YK_NODE_JOIN)
                m->depends[m->k.nnodes - 1] |= 1 << 8;
        }
        }
    }
}

static void accesses(struct made *m)
{
    m->k.naccesses = 1 + below(3);
    for (unsigned i = 0; i < m->k.naccesses; i++) {
        struct yk_facts_access *a = &m->access[i];
        unsigned size = 1u << below(4), index = any(m, 64),
                 scale = node(m, YK_NODE_CONST, 64, 0, 0, 0, (int64_t)size * (1 + below(2)));
        *a = (struct yk_facts_access){.arg = (uint16_t)below(2), .bytes = size};
        a->kind = (uint8_t)below(3);
        a->node = (uint16_t)node(m, YK_NODE_MUL, 64, index, scale, 0, 0);
        a->guard = (uint16_t)m->k.nguards;
        uint32_t on = m->depends[a->node];
        for (unsigned g = below(3); g; g--) {
            unsigned c = compare(m, 64);
            if (below(4) == 0) {
                unsigned other = any(m, 1);
                c = node(m, below(2) ? YK_NODE_AND : YK_NODE_OR, 1, c, other, 0, 0);
            }
            on |= m->depends[c];
            m->guard[m->k.nguards++] = (struct yk_facts_guard){(uint16_t)c, below(4) != 0};
        }
        bool behind = true; /* the tests of all its loops */
        for (unsigned l = 0; l < m->nloops; l++) {
            bool below_used = on >> l & 1;
            for (unsigned more = l + 1; more < m->nloops; more++)
                if (on >> more & 1)
                    on |= m->depends[m->loop[more].guard];
            below_used |= on >> l & 1;
            if (below_used)
                m->guard[m->k.nguards++] = (struct yk_facts_guard){(uint16_t)m->loop[l].guard, true};
        }
        a->exact = behind && below(8) != 0;
        a->nguards = (uint16_t)(m->k.nguards - a->guard);
    }
}

static void make(struct made *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    random_begin(seed);
    m->k = (struct yk_facts_kernel){
        .name = "k", .reason = "", .nargs = 4, .arg = m->arg, .node = m->node, .access = m->access, .guard = m->guard};
    for (unsigned i = 0; i < 4; i++)
        m->arg[i] = (struct yk_facts_arg){.name = "",
                                          .type = "",
                                          .kind = i < 2 ? YK_ARG_GLOBAL : YK_ARG_VALUE,
                                          .bounded = true,
                                          .read = true,
                                          .written = true,
                                          .size = i == 2 ? 4 : 8};
    m->scalar = below(4) ? below(40) : (uint32_t) - (int)below(10);
    m->wide = below(60);
    leaves(m);
    loops(m);
    operations(m);
    compare(m, 64); /* there is always one */
    accesses(m);
    m->value[0] = (struct yk_reach_arg){NULL, SIZE};
    m->value[1] = (struct yk_reach_arg){NULL, 64 + below(256)};
    m->value[2] = (struct yk_reach_arg){&m->scalar, 4};
    m->value[3] = (struct yk_reach_arg){&m->wide, 8};
    m->launch = (struct yk_reach_launch){.dims = 1 + below(2), .arg = m->value};
    for (unsigned d = 0; d < 3; d++) {
        bool has = d < m->launch.dims;
        m->launch.groups[d] = has ? 1 + below(4) : 1;
        m->launch.local[d] = has ? 1 + below(4) : 1;
        m->launch.offset[d] = has && below(3) == 0 ? below(7) : 0;
    }
}

#endif
