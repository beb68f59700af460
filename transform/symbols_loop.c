/* Loops: counters, and the condition on one of them that ends the loop. */
#include "transform/symbols.h"

int yk_symbols_loop_of(const struct yk_symbols *s, unsigned b)
{
    for (unsigned l = 0; l < s->a->ir.nloops; l++)
        if (s->a->ir.loop[l].header == b)
            return (int)l;
    return -1;
}

bool yk_symbols_counter(struct yk_symbols *s, LLVMValueRef phi, unsigned l, LLVMValueRef *start, LLVMValueRef *step)
{
    const struct yk_ir_kernel *k = &s->a->ir;
    *start = *step = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        LLVMValueRef *to = k->loop[l].in[yk_ir_block(k, LLVMGetIncomingBlock(phi, i))] ? step : start;
        if (*to && *to != v)
            return false;
        *to = v;
    }
    if (!*start || !*step || !LLVMIsAInstruction(*step))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(*step);
    if (op == LLVMGetElementPtr)
        return LLVMGetOperand(*step, 0) == phi;
    if (op != LLVMAdd && op != LLVMSub)
        return false;
    LLVMValueRef x = LLVMGetOperand(*step, 0), y = LLVMGetOperand(*step, 1);
    return (x == phi) != (y == phi) && (op == LLVMAdd || x == phi);
}

static bool varies(const struct yk_symbols *s, unsigned i, unsigned depth)
{
    const struct yk_facts_node *n = &s->node.v[i];
    switch (n->op) {
    case YK_NODE_UNKNOWN:
    case YK_NODE_SOME:
    case YK_NODE_JOIN:
    case YK_NODE_TRIP:
    case YK_NODE_IOTA:
        return true;
    default:
        break;
    }
    unsigned of = yk_node_operands(n->op);
    return depth > 40 || (of > 0 && varies(s, n->a, depth + 1)) || (of > 1 && varies(s, n->b, depth + 1)) ||
           (of > 2 && varies(s, n->c, depth + 1));
}

bool yk_symbols_varies(const struct yk_symbols *s, unsigned i)
{
    return varies(s, i, 0);
}

static enum yk_trip_test test_of(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntULT:
        return YK_TRIP_ULT;
    case LLVMIntULE:
        return YK_TRIP_ULE;
    case LLVMIntUGT:
        return YK_TRIP_UGT;
    case LLVMIntUGE:
        return YK_TRIP_UGE;
    case LLVMIntSLT:
        return YK_TRIP_SLT;
    case LLVMIntSLE:
        return YK_TRIP_SLE;
    case LLVMIntSGT:
        return YK_TRIP_SGT;
    case LLVMIntSGE:
        return YK_TRIP_SGE;
    case LLVMIntNE:
        return YK_TRIP_NE;
    default:
        return YK_TRIP_UNKNOWN;
    }
}

/* The test if it must be false for the loop to go on. */
static enum yk_trip_test opposite(LLVMIntPredicate p)
{
    static const struct {
        LLVMIntPredicate from, to;
    } map[] = {{LLVMIntULT, LLVMIntUGE}, {LLVMIntULE, LLVMIntUGT}, {LLVMIntUGT, LLVMIntULE},
               {LLVMIntUGE, LLVMIntULT}, {LLVMIntSLT, LLVMIntSGE}, {LLVMIntSLE, LLVMIntSGT},
               {LLVMIntSGT, LLVMIntSLE}, {LLVMIntSGE, LLVMIntSLT}, {LLVMIntEQ, LLVMIntNE}};
    for (unsigned i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].from == p)
            return test_of(map[i].to);
    return YK_TRIP_UNKNOWN;
}

/* x OP y as y OP x */
static enum yk_trip_test swapped(enum yk_trip_test t)
{
    static const enum yk_trip_test to[YK_TRIP_TEST_COUNT] = {
        [YK_TRIP_ULT] = YK_TRIP_UGT,        [YK_TRIP_ULE] = YK_TRIP_UGE, [YK_TRIP_UGT] = YK_TRIP_ULT,
        [YK_TRIP_UGE] = YK_TRIP_ULE,        [YK_TRIP_SLT] = YK_TRIP_SGT, [YK_TRIP_SLE] = YK_TRIP_SGE,
        [YK_TRIP_SGT] = YK_TRIP_SLT,        [YK_TRIP_SGE] = YK_TRIP_SLE, [YK_TRIP_NE] = YK_TRIP_NE,
        [YK_TRIP_UNKNOWN] = YK_TRIP_UNKNOWN};
    return to[t];
}

static unsigned bits_of(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
}

/* COUNTER TEST BOUND keeps loop L going: note it if COUNTER is one. */
static bool note(struct yk_symbols *s, unsigned l, LLVMValueRef counter, enum yk_trip_test test, LLVMValueRef bound)
{
    const struct yk_ir_kernel *k = &s->a->ir;
    LLVMValueRef x = counter, plus = NULL, start, step;
    unsigned header = k->loop[l].header, wide = bits_of(counter);
    enum yk_node_op ext = YK_NODE_CONST;
    if (LLVMIsAZExtInst(x) || LLVMIsASExtInst(x)) {
        ext = LLVMIsAZExtInst(x) ? YK_NODE_ZEXT : YK_NODE_SEXT;
        x = LLVMGetOperand(x, 0);
    }
    if (LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(x, 1))) {
        plus = LLVMGetOperand(x, 1);
        x = LLVMGetOperand(x, 0);
    }
    unsigned bits = bits_of(x);
    if (test == YK_TRIP_UNKNOWN || !bits || bits > 64 || wide > 64 || !LLVMIsAPHINode(x) ||
        yk_ir_block(k, LLVMGetInstructionParent(x)) != header || !yk_symbols_counter(s, x, l, &start, &step))
        return false;
    bool minus = LLVMGetInstructionOpcode(step) == LLVMSub;
    unsigned by = yk_symbols_value(s, LLVMGetOperand(step, LLVMGetOperand(step, 0) == x ? 1 : 0), 0, header);
    unsigned from = yk_symbols_value(s, start, 0, header), to = yk_symbols_value(s, bound, 0, header);
    if (s->full || yk_symbols_varies(s, by))
        return false;
    /* The bound must stay the same while the loop runs. */
    for (unsigned i = 0; LLVMIsAInstruction(bound) && i == 0; i++)
        if (k->loop[l].in[yk_ir_block(k, LLVMGetInstructionParent(bound))] && yk_symbols_varies(s, to))
            return false;
    if (minus)
        by = yk_symbols_node(s, YK_NODE_SUB, bits, yk_symbols_const(s, bits, 0), by, 0, 0);
    if (plus)
        from = yk_symbols_node(s, YK_NODE_ADD, bits, from, yk_symbols_value(s, plus, 0, header), 0, 0);
    struct yk_symbols_loop *p = &s->loop[l];
    if (ext == YK_NODE_CONST && !plus) {
        bool equal = test == YK_TRIP_ULE || test == YK_TRIP_SLE;
        p->phi = x;
        p->below = test == YK_TRIP_ULT;
        p->sbelow = test == YK_TRIP_SLT;
        p->limit = to;
        if (equal && LLVMIsAConstantInt(bound)) {
            int64_t v = LLVMConstIntGetSExtValue(bound);
            int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
            bool can = test == YK_TRIP_SLE ? v < most : v != -1 && v < most;
            p->limit = can ? yk_symbols_const(s, bits, v + 1) : to;
            p->below = can && test == YK_TRIP_ULE;
            p->sbelow = can && test == YK_TRIP_SLE;
        }
    }
    if (ext != YK_NODE_CONST) {
        from = yk_symbols_node(s, ext, wide, from, 0, 0, 0);
        by = yk_symbols_node(s, YK_NODE_SEXT, wide, by, 0, 0, 0);
    }
    unsigned trip = yk_symbols_node(s, YK_NODE_TRIP, 64, from, by, to, YK_TRIP(test, bits));
    p->trip = (int)trip;
    return !s->full;
}

/* V must be WANT for the loop to go on. */
static bool leaf(struct yk_symbols *s, unsigned l, LLVMValueRef v, bool want, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || depth > 4)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == (want ? LLVMAnd : LLVMOr))
        return leaf(s, l, LLVMGetOperand(v, 0), want, depth + 1) || leaf(s, l, LLVMGetOperand(v, 1), want, depth + 1);
    if (op != LLVMICmp)
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(v);
    enum yk_trip_test t = want ? test_of(p) : opposite(p);
    LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    return note(s, l, x, t, y) || note(s, l, y, swapped(t), x);
}

static bool dominates_latches(const struct yk_ir_kernel *k, unsigned l, unsigned b)
{
    unsigned h = k->loop[l].header;
    for (unsigned p = 0; p < k->flow.npred[h]; p++)
        if (k->loop[l].in[k->flow.pred[h][p]] && !yk_flow_dominates(&k->flow, b, k->flow.pred[h][p]))
            return false;
    return true;
}

const struct yk_symbols_loop *yk_symbols_loop(struct yk_symbols *s, unsigned l)
{
    struct yk_symbols_loop *p = &s->loop[l];
    const struct yk_ir_kernel *k = &s->a->ir;
    if (p->state != YK_LOOP_NEW)
        return p;
    p->state = YK_LOOP_OPEN;
    bool found = false, plain = false;
    unsigned ends = 0;
    for (unsigned b = 0; b < k->nblocks; b++) {
        if (!k->loop[l].in[b])
            continue;
        for (unsigned i = 0; i < k->flow.nsucc[b]; i++)
            ends += !k->loop[l].in[k->flow.succ[b][i]];
        LLVMValueRef t = LLVMGetBasicBlockTerminator(k->block[b]);
        if (found || k->flow.nsucc[b] != 2 || !LLVMIsABranchInst(t) || !LLVMIsConditional(t) ||
            k->loop[l].in[k->flow.succ[b][0]] == k->loop[l].in[k->flow.succ[b][1]] || !dominates_latches(k, l, b))
            continue;
        bool want = k->loop[l].in[k->flow.succ[b][0]];
        found = leaf(s, l, LLVMGetCondition(t), want, 0);
        plain = LLVMIsAICmpInst(LLVMGetCondition(t));
        p->test = b;
        p->next = k->flow.succ[b][want ? 0 : 1];
    }
    p->single = ends == 1 && plain;
    if (!found) {
        unsigned zero = yk_symbols_const(s, 64, 0);
        p->trip = (int)yk_symbols_node(s, YK_NODE_TRIP, 64, zero, zero, zero, YK_TRIP(YK_TRIP_UNKNOWN, 64));
        p->phi = NULL;
        p->single = false;
    }
    p->state = YK_LOOP_DONE;
    return p;
}
