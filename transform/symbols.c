#include "transform/symbols.h"
#include <string.h>

enum { HASH = 8192, MAX_DEPTH = 300 };

yk_status yk_symbols_init(struct yk_symbols *s, struct yk_analysis *a)
{
    *s = (struct yk_symbols){.a = a, .layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(a->ir.fn))};
    s->memo = yk_arena_array(a->arena, int, a->ir.ninsts);
    s->loop = yk_arena_array(a->arena, struct yk_symbols_loop, a->ir.nloops);
    s->same = yk_arena_array(a->arena, int, HASH);
    if (!s->memo || !s->loop || !s->same || yk_flow_reverse(&a->ir.flow, &s->post, a->arena) != YK_OK)
        return YK_ENOMEM;
    for (unsigned i = 0; i < a->ir.ninsts; i++)
        s->memo[i] = -1;
    for (unsigned i = 0; i < HASH; i++)
        s->same[i] = -1;
    return YK_OK;
}

void yk_symbols_finish(struct yk_symbols *s)
{
    yk_array_finish(&s->node);
}

unsigned yk_symbols_node(struct yk_symbols *s, enum yk_node_op op, unsigned bits, unsigned a, unsigned b, unsigned c,
                         int64_t imm)
{
    struct yk_facts_node n = {(uint8_t)op, (uint8_t)bits, (uint16_t)a, (uint16_t)b, (uint16_t)c, imm};
    uint64_t h = ((uint64_t)op << 56) ^ ((uint64_t)bits << 48) ^ ((uint64_t)a << 32) ^ ((uint64_t)b << 16) ^ c;
    h = (h ^ (uint64_t)imm * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    unsigned at = (unsigned)(h >> 40) % HASH;
    /* Two unknown values may differ, and so may two choices between the same two; two loops of the same bounds are two.
     */
    bool once = op == YK_NODE_UNKNOWN || op == YK_NODE_JOIN || op == YK_NODE_IOTA || op == YK_NODE_TRIP;
    for (; !once && s->same[at] >= 0; at = (at + 1) % HASH) {
        const struct yk_facts_node *o = &s->node.v[s->same[at]];
        if (o->op == n.op && o->bits == n.bits && o->a == n.a && o->b == n.b && o->c == n.c && o->imm == n.imm)
            return (unsigned)s->same[at];
    }
    if (s->node.n >= YK_MAX_NODES || !yk_array_push(&s->node, n)) {
        s->full = true;
        return 0;
    }
    if (!once)
        s->same[at] = (int)s->node.n - 1;
    return (unsigned)s->node.n - 1;
}

unsigned yk_symbols_const(struct yk_symbols *s, unsigned bits, int64_t imm)
{
    return yk_symbols_node(s, YK_NODE_CONST, bits, 0, 0, 0, imm);
}

unsigned yk_symbols_unknown(struct yk_symbols *s, unsigned bits)
{
    return yk_symbols_node(s, YK_NODE_UNKNOWN, bits, 0, 0, 0, 0);
}

unsigned yk_symbols_sext64(struct yk_symbols *s, unsigned a)
{
    return s->full || s->node.v[a].bits == 64 ? a : yk_symbols_node(s, YK_NODE_SEXT, 64, a, 0, 0, 0);
}

static unsigned width(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
}

static int param_number(const struct yk_symbols *s, LLVMValueRef v)
{
    for (unsigned i = 0; i < s->a->k->nargs; i++)
        if (LLVMGetParam(s->a->ir.fn, i) == v)
            return (int)i;
    return -1;
}

static unsigned argument(struct yk_symbols *s, unsigned arg, uint64_t offset, unsigned bits)
{
    const struct yk_facts_arg *f = &s->a->k->arg[arg];
    bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    if (f->kind != YK_ARG_VALUE || !whole || offset + bits / 8 > f->size)
        return yk_symbols_unknown(s, bits);
    return yk_symbols_node(s, YK_NODE_ARG, bits, arg, 0, 0, (int64_t)offset);
}

/* Is the struct by value that P points to only read? */
static bool only_read(LLVMValueRef p, unsigned depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef v = LLVMGetUser(u);
        if (!LLVMIsAInstruction(v) || depth > 8)
            return false;
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        if (op == LLVMLoad)
            continue;
        if ((op != LLVMGetElementPtr && op != LLVMBitCast) || !only_read(v, depth + 1))
            return false;
    }
    return true;
}

/* Byte offset of GEP V where all its indices are constant. */
static bool constant_offset(const struct yk_symbols *s, LLVMValueRef v, uint64_t *offset)
{
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)));
    for (int i = 1; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)i);
        if (!LLVMIsAConstantInt(x) || LLVMConstIntGetSExtValue(x) < 0 || LLVMConstIntGetSExtValue(x) > 1 << 20)
            return false;
        uint64_t n = LLVMConstIntGetZExtValue(x);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            *offset += LLVMOffsetOfElement(s->layout, t, (unsigned)n);
            t = LLVMStructGetTypeAtIndex(t, (unsigned)n);
            continue;
        }
        if (i > 1)
            t = LLVMGetElementType(t);
        *offset += n * LLVMABISizeOfType(s->layout, t);
    }
    return true;
}

/* A load from a struct given by value. */
static unsigned load(struct yk_symbols *s, LLVMValueRef v, unsigned lane)
{
    unsigned bits = width(v);
    uint64_t offset = (uint64_t)lane * (bits / 8);
    LLVMValueRef p = LLVMGetOperand(v, 0);
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p)) {
        if (LLVMIsAGetElementPtrInst(p) && !constant_offset(s, p, &offset))
            return yk_symbols_unknown(s, bits);
        p = LLVMGetOperand(p, 0);
    }
    int arg = LLVMIsAArgument(p) && yk_ir_space(p) == YK_SPACE_PRIVATE && only_read(p, 0) ? param_number(s, p) : -1;
    return arg >= 0 ? argument(s, (unsigned)arg, offset, bits) : yk_symbols_unknown(s, bits);
}

static unsigned constant(struct yk_symbols *s, LLVMValueRef v, unsigned lane)
{
    unsigned bits = width(v);
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind) {
        if (LLVMIsAConstantDataSequential(v))
            v = LLVMGetElementAsConstant(v, lane);
        else if (LLVMIsAConstantVector(v))
            v = LLVMGetOperand(v, lane);
        else
            return LLVMIsAConstantAggregateZero(v) ? yk_symbols_const(s, bits, 0) : yk_symbols_unknown(s, bits);
    }
    return LLVMIsAConstantInt(v) ? yk_symbols_const(s, bits, LLVMConstIntGetSExtValue(v)) : yk_symbols_unknown(s, bits);
}

static unsigned compare(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned b)
{
    LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    if (!width(x) || width(x) > 64)
        return yk_symbols_unknown(s, 1);
    unsigned l = yk_symbols_value(s, x, lane, b), r = yk_symbols_value(s, y, lane, b);
    static const struct {
        LLVMIntPredicate p;
        enum yk_node_op op;
        bool swap;
    } map[] = {{LLVMIntEQ, YK_NODE_EQ, false},   {LLVMIntNE, YK_NODE_NE, false},   {LLVMIntULT, YK_NODE_ULT, false},
               {LLVMIntULE, YK_NODE_ULE, false}, {LLVMIntUGT, YK_NODE_ULT, true},  {LLVMIntUGE, YK_NODE_ULE, true},
               {LLVMIntSLT, YK_NODE_SLT, false}, {LLVMIntSLE, YK_NODE_SLE, false}, {LLVMIntSGT, YK_NODE_SLT, true},
               {LLVMIntSGE, YK_NODE_SLE, true}};
    for (unsigned i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].p == LLVMGetICmpPredicate(v))
            return yk_symbols_node(s, map[i].op, 1, map[i].swap ? r : l, map[i].swap ? l : r, 0, 0);
    return yk_symbols_unknown(s, 1);
}

unsigned yk_symbols_outside(struct yk_symbols *s, unsigned node, unsigned b, unsigned user)
{
    const struct yk_ir_kernel *k = &s->a->ir;
    for (unsigned l = 0; l < k->nloops && !s->full; l++)
        if (k->loop[l].in[b] && !k->loop[l].in[user])
            return yk_symbols_node(s, YK_NODE_SOME, s->node.v[node].bits, node, 0, 0, 0);
    return node;
}

unsigned yk_symbols_leaving(struct yk_symbols *s, unsigned node, LLVMValueRef v, LLVMValueRef phi)
{
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&s->a->ir, v) : -1;
    return i < 0 ? node
                 : yk_symbols_outside(s, node, s->a->ir.inst_block[i],
                                      yk_ir_block(&s->a->ir, LLVMGetInstructionParent(phi)));
}

/* All incoming values of a PHI that is no loop header's; they are of the same round as the PHI, unless it is outside of
 * a loop that they leave by several exits. */
static unsigned join(struct yk_symbols *s, LLVMValueRef v, unsigned lane)
{
    unsigned bits = width(v), n = LLVMCountIncoming(v), all = 0;
    for (unsigned i = 0; i < n && !s->full; i++) {
        LLVMValueRef in = LLVMGetIncomingValue(v, i);
        unsigned one = yk_symbols_value(s, in, lane, yk_ir_block(&s->a->ir, LLVMGetIncomingBlock(v, i)));
        one = yk_symbols_leaving(s, one, in, v);
        all = i && one != all ? yk_symbols_node(s, YK_NODE_JOIN, bits, all, one, 0, 0) : one;
    }
    return all;
}

static unsigned phi(struct yk_symbols *s, LLVMValueRef v, unsigned lane)
{
    unsigned bits = width(v), b = yk_ir_block(&s->a->ir, LLVMGetInstructionParent(v));
    int l = yk_symbols_loop_of(s, b);
    LLVMValueRef start, step;
    if (l < 0)
        return join(s, v, lane);
    const struct yk_symbols_loop *loop = yk_symbols_loop(s, (unsigned)l);
    if (loop->state != YK_LOOP_DONE || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind ||
        !yk_symbols_counter(s, v, (unsigned)l, &start, &step))
        return yk_symbols_unknown(s, bits);
    bool minus = LLVMIsAInstruction(step) && LLVMGetInstructionOpcode(step) == LLVMSub;
    LLVMValueRef by = LLVMGetOperand(step, LLVMGetOperand(step, 0) == v ? 1 : 0);
    unsigned d = yk_symbols_value(s, by, 0, b), from = yk_symbols_value(s, start, 0, b), t = (unsigned)loop->trip;
    if (s->full || yk_symbols_varies(s, d))
        return yk_symbols_unknown(s, bits);
    if (bits < 64)
        t = yk_symbols_node(s, YK_NODE_TRUNC, bits, t, 0, 0, 0);
    t = yk_symbols_node(s, YK_NODE_MUL, bits, t, d, 0, 0);
    return yk_symbols_node(s, minus ? YK_NODE_SUB : YK_NODE_ADD, bits, from, t, 0, 0);
}

static unsigned element(struct yk_symbols *s, LLVMValueRef v, unsigned user)
{
    LLVMValueRef i = LLVMGetOperand(v, 1);
    return LLVMIsAConstantInt(i)
               ? yk_symbols_value(s, LLVMGetOperand(v, 0), (unsigned)LLVMConstIntGetZExtValue(i), user)
               : yk_symbols_unknown(s, width(v));
}

static unsigned shuffled(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user)
{
    int from = LLVMGetMaskValue(v, lane);
    unsigned n = yk_ir_lanes(LLVMTypeOf(LLVMGetOperand(v, 0)));
    if (from < 0)
        return yk_symbols_unknown(s, width(v));
    return yk_symbols_value(s, LLVMGetOperand(v, (unsigned)from < n ? 0 : 1), (unsigned)from % n, user);
}

static unsigned cast(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned b, enum yk_node_op op)
{
    LLVMValueRef x = LLVMGetOperand(v, 0);
    if (!width(x) || width(x) > 64)
        return yk_symbols_unknown(s, width(v));
    unsigned a = yk_symbols_value(s, x, lane, b);
    return s->full ? 0 : yk_symbols_node(s, op, width(v), a, 0, 0, 0);
}

static unsigned instruction(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned b)
{
    unsigned bits = width(v);
    static const struct {
        LLVMOpcode from;
        enum yk_node_op to;
    } binary[] = {{LLVMAdd, YK_NODE_ADD},   {LLVMSub, YK_NODE_SUB},   {LLVMMul, YK_NODE_MUL},
                  {LLVMUDiv, YK_NODE_UDIV}, {LLVMSDiv, YK_NODE_SDIV}, {LLVMURem, YK_NODE_UREM},
                  {LLVMSRem, YK_NODE_SREM}, {LLVMShl, YK_NODE_SHL},   {LLVMLShr, YK_NODE_LSHR},
                  {LLVMAShr, YK_NODE_ASHR}, {LLVMAnd, YK_NODE_AND},   {LLVMOr, YK_NODE_OR},
                  {LLVMXor, YK_NODE_XOR}};
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    for (unsigned i = 0; i < sizeof binary / sizeof *binary; i++)
        if (op == binary[i].from) {
            unsigned x = yk_symbols_value(s, LLVMGetOperand(v, 0), lane, b),
                     y = yk_symbols_value(s, LLVMGetOperand(v, 1), lane, b);
            return yk_symbols_node(s, binary[i].to, bits, x, y, 0, 0);
        }
    switch (op) {
    case LLVMZExt:
        return cast(s, v, lane, b, YK_NODE_ZEXT);
    case LLVMSExt:
        return cast(s, v, lane, b, YK_NODE_SEXT);
    case LLVMTrunc:
        return cast(s, v, lane, b, YK_NODE_TRUNC);
    case LLVMICmp:
        return compare(s, v, lane, b);
    case LLVMPHI:
        return phi(s, v, lane);
    case LLVMLoad:
        return load(s, v, lane);
    case LLVMCall:
        return yk_symbols_call(s, v, lane, b);
    case LLVMFreeze:
        return yk_symbols_value(s, LLVMGetOperand(v, 0), lane, b);
    case LLVMExtractElement:
        return element(s, v, b);
    case LLVMShuffleVector:
        return shuffled(s, v, lane, b);
    case LLVMInsertElement: {
        LLVMValueRef i = LLVMGetOperand(v, 2);
        if (!LLVMIsAConstantInt(i))
            return yk_symbols_unknown(s, bits);
        bool here = LLVMConstIntGetZExtValue(i) == lane;
        return yk_symbols_value(s, LLVMGetOperand(v, here ? 1 : 0), here ? 0 : lane, b);
    }
    case LLVMSelect: {
        bool vector = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMVectorTypeKind;
        unsigned c = yk_symbols_value(s, LLVMGetOperand(v, 0), vector ? lane : 0, b),
                 x = yk_symbols_value(s, LLVMGetOperand(v, 1), lane, b),
                 y = yk_symbols_value(s, LLVMGetOperand(v, 2), lane, b);
        return yk_symbols_node(s, YK_NODE_SELECT, bits, c, x, y, 0);
    }
    default:
        return yk_symbols_unknown(s, bits);
    }
}

/* As USER sees what is computed in block B: outside of a loop only one of its values is left; inside, behind the test
 * of a loop's counter, the counter is below its bound. */
static unsigned seen_from(struct yk_symbols *s, LLVMValueRef v, unsigned node, unsigned b, unsigned user)
{
    const struct yk_ir_kernel *k = &s->a->ir;
    unsigned some = yk_symbols_outside(s, node, b, user);
    if (some != node)
        return some;
    int l = LLVMIsAPHINode(v) ? yk_symbols_loop_of(s, b) : -1;
    if (l < 0 || s->loop[l].state != YK_LOOP_DONE || s->loop[l].phi != v || !(s->loop[l].below || s->loop[l].sbelow))
        return node;
    const struct yk_symbols_loop *p = &s->loop[l];
    if (k->flow.npred[p->next] != 1 || !yk_flow_dominates(&k->flow, p->next, user))
        return node;
    return yk_symbols_node(s, p->below ? YK_NODE_BELOW : YK_NODE_SBELOW, s->node.v[node].bits, node, p->limit, 0, 0);
}

unsigned yk_symbols_value(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user)
{
    unsigned bits = width(v);
    if (s->full || !bits || bits > 64)
        return yk_symbols_unknown(s, bits && bits <= 64 ? bits : 64);
    if (LLVMIsAArgument(v)) {
        int arg = param_number(s, v);
        return arg >= 0 ? argument(s, (unsigned)arg, (uint64_t)lane * (bits / 8), bits) : yk_symbols_unknown(s, bits);
    }
    if (LLVMIsAConstant(v))
        return constant(s, v, lane);
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&s->a->ir, v) : -1;
    if (i < 0 || s->depth >= MAX_DEPTH)
        return yk_symbols_unknown(s, bits);
    bool scalar = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind;
    unsigned b = s->a->ir.inst_block[i], node;
    if (scalar && s->memo[i] >= 0) {
        node = (unsigned)s->memo[i];
    } else {
        s->depth++;
        node = instruction(s, v, lane, b);
        s->depth--;
        if (scalar && !s->full)
            s->memo[i] = (int)node;
    }
    return s->full ? 0 : seen_from(s, v, node, b, user);
}
