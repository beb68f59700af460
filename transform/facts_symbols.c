#include "transform/facts_symbols.h"

static const struct {
    const char *name;
    unsigned operands;
    bool imm;
} ops[] = {
    [YK_NODE_CONST] = {"const", 0, true},
    [YK_NODE_ARG] = {"arg", 0, true},
    [YK_NODE_GLOBAL_ID] = {"gid", 0, true},
    [YK_NODE_LOCAL_ID] = {"lid", 0, true},
    [YK_NODE_GROUP_ID] = {"group", 0, true},
    [YK_NODE_GLOBAL_SIZE] = {"gsize", 0, true},
    [YK_NODE_LOCAL_SIZE] = {"lsize", 0, true},
    [YK_NODE_NUM_GROUPS] = {"groups", 0, true},
    [YK_NODE_GLOBAL_OFFSET] = {"offset", 0, true},
    [YK_NODE_WORK_DIM] = {"dims", 0, false},
    [YK_NODE_UNKNOWN] = {"unknown", 0, false},
    [YK_NODE_SOME] = {"some", 1, false},
    [YK_NODE_JOIN] = {"join", 2, false},
    [YK_NODE_BELOW] = {"below", 2, false},
    [YK_NODE_SBELOW] = {"sbelow", 2, false},
    [YK_NODE_ADD] = {"add", 2, false},
    [YK_NODE_SUB] = {"sub", 2, false},
    [YK_NODE_MUL] = {"mul", 2, false},
    [YK_NODE_UDIV] = {"udiv", 2, false},
    [YK_NODE_SDIV] = {"sdiv", 2, false},
    [YK_NODE_UREM] = {"urem", 2, false},
    [YK_NODE_SREM] = {"srem", 2, false},
    [YK_NODE_SHL] = {"shl", 2, false},
    [YK_NODE_LSHR] = {"lshr", 2, false},
    [YK_NODE_ASHR] = {"ashr", 2, false},
    [YK_NODE_AND] = {"and", 2, false},
    [YK_NODE_OR] = {"or", 2, false},
    [YK_NODE_XOR] = {"xor", 2, false},
    [YK_NODE_ZEXT] = {"zext", 1, false},
    [YK_NODE_SEXT] = {"sext", 1, false},
    [YK_NODE_TRUNC] = {"trunc", 1, false},
    [YK_NODE_SELECT] = {"select", 3, false},
    [YK_NODE_UMIN] = {"umin", 2, false},
    [YK_NODE_UMAX] = {"umax", 2, false},
    [YK_NODE_SMIN] = {"smin", 2, false},
    [YK_NODE_SMAX] = {"smax", 2, false},
    [YK_NODE_EQ] = {"eq", 2, false},
    [YK_NODE_NE] = {"ne", 2, false},
    [YK_NODE_ULT] = {"ult", 2, false},
    [YK_NODE_ULE] = {"ule", 2, false},
    [YK_NODE_SLT] = {"slt", 2, false},
    [YK_NODE_SLE] = {"sle", 2, false},
    [YK_NODE_TRIP] = {"trip", 3, true},
    [YK_NODE_IOTA] = {"iota", 1, false},
};
_Static_assert(sizeof ops / sizeof *ops == YK_NODE_OP_COUNT, "a row per operation");

static const char *const kinds[] = {"read", "write", "atomic", "add",  "and", "or",
                                    "xor",  "smin",  "smax",   "umin", "umax"};
_Static_assert(sizeof kinds / sizeof *kinds == YK_ACCESS_KIND_COUNT, "a name per kind");

const char *yk_node_op_name(unsigned op)
{
    return op < YK_NODE_OP_COUNT ? ops[op].name : NULL;
}

const char *yk_access_kind_name(unsigned kind)
{
    return kind < YK_ACCESS_KIND_COUNT ? kinds[kind] : NULL;
}

unsigned yk_node_operands(unsigned op)
{
    return op < YK_NODE_OP_COUNT ? ops[op].operands : 0;
}

bool yk_node_has_imm(unsigned op)
{
    return op < YK_NODE_OP_COUNT && ops[op].imm;
}

static bool widths_fit(const struct yk_facts_node *node, const struct yk_facts_node *n)
{
    unsigned of = ops[n->op].operands, a = of > 0 ? node[n->a].bits : 0, b = of > 1 ? node[n->b].bits : 0;
    switch (n->op) {
    case YK_NODE_GLOBAL_ID:
    case YK_NODE_LOCAL_ID:
    case YK_NODE_GROUP_ID:
    case YK_NODE_GLOBAL_SIZE:
    case YK_NODE_LOCAL_SIZE:
    case YK_NODE_NUM_GROUPS:
    case YK_NODE_GLOBAL_OFFSET:
        return n->imm >= 0 && n->imm < 3 && n->bits == 64;
    case YK_NODE_ARG:
        return n->imm >= 0 && n->imm < 1 << 20 && (n->bits == 8 || n->bits == 16 || n->bits == 32 || n->bits == 64);
    case YK_NODE_CONST:
    case YK_NODE_WORK_DIM:
    case YK_NODE_UNKNOWN:
        return true;
    case YK_NODE_ZEXT:
    case YK_NODE_SEXT:
        return a < n->bits;
    case YK_NODE_TRUNC:
        return a > n->bits;
    case YK_NODE_SELECT:
        return a == 1 && b == n->bits && node[n->c].bits == n->bits;
    case YK_NODE_EQ:
    case YK_NODE_NE:
    case YK_NODE_ULT:
    case YK_NODE_ULE:
    case YK_NODE_SLT:
    case YK_NODE_SLE:
        return n->bits == 1 && a == b;
    case YK_NODE_TRIP:
        return n->imm >= 0 && n->imm <= YK_TRIP(255, 64) && YK_TRIP_TEST(n->imm) < YK_TRIP_TEST_COUNT &&
               n->bits == 64 && YK_TRIP_COUNTER(n->imm) >= 1 && YK_TRIP_COUNTER(n->imm) <= a && a == b &&
               a == node[n->c].bits;
    case YK_NODE_IOTA:
        return n->bits == 64 && a == 64;
    default: /* operands of the result's width */
        return a == n->bits && (of < 2 || b == n->bits);
    }
}

bool yk_node_valid(const struct yk_facts_node *node, size_t i)
{
    const struct yk_facts_node *n = &node[i];
    if (n->op >= YK_NODE_OP_COUNT || n->bits < 1 || n->bits > 64)
        return false;
    unsigned k = ops[n->op].operands;
    return (k < 1 || n->a < i) && (k < 2 || n->b < i) && (k < 3 || n->c < i) && widths_fit(node, n);
}
