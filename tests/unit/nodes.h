/* Nodes of the facts as a device computes them: the slow twin of transform/facts_eval.c, for tests that hold forms
 * against every value. */
#ifndef YK_TESTS_UNIT_NODES_H
#define YK_TESTS_UNIT_NODES_H

#include <stdbool.h>
#include <stdint.h>
#include "transform/facts_symbols.h"

static inline uint64_t nodes_mask(unsigned bits)
{
    return bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static inline int64_t nodes_signed(uint64_t x, unsigned bits)
{
    return bits == 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* *R: OP, of BITS bits, of its operands A, B, C, of OF bits (of SELECT: B and C have BITS). False: it has no value, as
 * what is divided by 0, or is no operation on numbers. */
static inline bool nodes_compute(unsigned op, unsigned bits, unsigned of, uint64_t a, uint64_t b, uint64_t c,
                                 uint64_t *r)
{
    int64_t sa = nodes_signed(a, of), sb = nodes_signed(b, of), least = INT64_MIN >> (64 - bits);
    bool divides = b && !((op == YK_NODE_SDIV || op == YK_NODE_SREM) && sb == -1 && sa == least);
    switch (op) {
    case YK_NODE_SOME:
    case YK_NODE_BELOW:
    case YK_NODE_SBELOW:
    case YK_NODE_ZEXT:
    case YK_NODE_TRUNC:
        *r = a;
        break;
    case YK_NODE_SEXT:
        *r = (uint64_t)sa;
        break;
    case YK_NODE_ADD:
        *r = a + b;
        break;
    case YK_NODE_SUB:
        *r = a - b;
        break;
    case YK_NODE_MUL:
        *r = a * b;
        break;
    case YK_NODE_UDIV:
        *r = divides ? a / b : 0;
        break;
    case YK_NODE_UREM:
        *r = divides ? a % b : 0;
        break;
    case YK_NODE_SDIV:
        *r = divides ? (uint64_t)(sa / sb) : 0;
        break;
    case YK_NODE_SREM:
        *r = divides ? (uint64_t)(sa % sb) : 0;
        break;
    case YK_NODE_SHL: /* by as many as OpenCL C shifts */
        *r = a << b % bits;
        break;
    case YK_NODE_LSHR:
        *r = a >> b % bits;
        break;
    case YK_NODE_ASHR:
        *r = (uint64_t)(sa >> b % bits);
        break;
    case YK_NODE_AND:
        *r = a & b;
        break;
    case YK_NODE_OR:
        *r = a | b;
        break;
    case YK_NODE_XOR:
        *r = a ^ b;
        break;
    case YK_NODE_SELECT:
        *r = a ? b : c;
        break;
    case YK_NODE_UMIN:
        *r = a < b ? a : b;
        break;
    case YK_NODE_UMAX:
        *r = a > b ? a : b;
        break;
    case YK_NODE_SMIN:
        *r = sa < sb ? a : b;
        break;
    case YK_NODE_SMAX:
        *r = sa > sb ? a : b;
        break;
    case YK_NODE_EQ:
        *r = a == b;
        break;
    case YK_NODE_NE:
        *r = a != b;
        break;
    case YK_NODE_ULT:
        *r = a < b;
        break;
    case YK_NODE_ULE:
        *r = a <= b;
        break;
    case YK_NODE_SLT:
        *r = sa < sb;
        break;
    case YK_NODE_SLE:
        *r = sa <= sb;
        break;
    default:
        return false;
    }
    *r &= nodes_mask(bits);
    return divides || op < YK_NODE_UDIV || op > YK_NODE_SREM;
}

#endif
