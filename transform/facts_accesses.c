/* Accesses for people: expressions as in C. */
#include <inttypes.h>
#include "transform/facts_explain.h"

enum { MAX_DEPTH = 12 };

static const char *infix(unsigned op)
{
    static const char *const signs[YK_NODE_OP_COUNT] = {
        [YK_NODE_ADD] = "+",  [YK_NODE_SUB] = "-",  [YK_NODE_MUL] = "*",  [YK_NODE_UDIV] = "/",  [YK_NODE_SDIV] = "/",
        [YK_NODE_UREM] = "%", [YK_NODE_SREM] = "%", [YK_NODE_SHL] = "<<", [YK_NODE_LSHR] = ">>", [YK_NODE_ASHR] = ">>",
        [YK_NODE_AND] = "&",  [YK_NODE_OR] = "|",   [YK_NODE_XOR] = "^",  [YK_NODE_EQ] = "==",   [YK_NODE_NE] = "!=",
        [YK_NODE_ULT] = "<",  [YK_NODE_ULE] = "<=", [YK_NODE_SLT] = "<",  [YK_NODE_SLE] = "<=",  [YK_NODE_JOIN] = "or"};
    return op < YK_NODE_OP_COUNT ? signs[op] : NULL;
}

static void node(FILE *f, const struct yk_facts_kernel *k, unsigned i, unsigned depth)
{
    const struct yk_facts_node *n = &k->node[i];
    if (depth > MAX_DEPTH) {
        fputs("...", f);
        return;
    }
    switch (n->op) {
    case YK_NODE_CONST:
        fprintf(f, "%" PRId64, n->imm);
        return;
    case YK_NODE_ARG:
        fprintf(f, "%s", k->arg[n->a].name[0] ? k->arg[n->a].name : "argument");
        if (n->imm)
            fprintf(f, "[%" PRId64 "]", n->imm);
        return;
    case YK_NODE_UNKNOWN:
        fputc('?', f);
        return;
    case YK_NODE_WORK_DIM:
        fputs("dims", f);
        return;
    case YK_NODE_TRIP:
        fprintf(f, "round%u", i);
        return;
    case YK_NODE_ZEXT:
    case YK_NODE_SEXT:
    case YK_NODE_TRUNC:
    case YK_NODE_BELOW:
    case YK_NODE_SBELOW:
        node(f, k, n->a, depth);
        return;
    default:
        break;
    }
    const char *sign = infix(n->op);
    unsigned of = yk_node_operands(n->op);
    if (sign) {
        fputc('(', f);
        node(f, k, n->a, depth + 1);
        fprintf(f, " %s ", sign);
        node(f, k, n->b, depth + 1);
        fputc(')', f);
        return;
    }
    fputs(yk_node_op_name(n->op), f);
    if (!of) {
        fprintf(f, "%" PRId64, n->imm);
        return;
    }
    const unsigned operand[] = {n->a, n->b, n->c};
    for (unsigned o = 0; o < of; o++) {
        fputs(o ? ", " : "(", f);
        node(f, k, operand[o], depth + 1);
    }
    fputc(')', f);
}

void yk_facts_explain_accesses(FILE *f, const struct yk_facts_kernel *k)
{
    for (unsigned i = 0; i < k->naccesses; i++) {
        const struct yk_facts_access *a = &k->access[i];
        fprintf(f, "  %s%s %s: %" PRIu32 " bytes at ", yk_access_kind_name(a->kind),
                a->kind == YK_ACCESS_WRITE && a->exact ? " (exact)" : "", k->arg[a->arg].name, a->bytes);
        node(f, k, a->node, 0);
        for (unsigned g = 0; g < a->nguards; g++) {
            fputs(g ? " and " : " if ", f);
            fputs(k->guard[a->guard + g].want ? "" : "not ", f);
            node(f, k, k->guard[a->guard + g].node, 0);
        }
        fputc('\n', f);
    }
}
