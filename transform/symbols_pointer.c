/* Pointers as a buffer argument and a byte offset. */
#include "transform/symbols.h"

enum { MAX_STEPS = 64 };

static unsigned zero(struct yk_symbols *s)
{
    return yk_symbols_const(s, 64, 0);
}

static unsigned plus(struct yk_symbols *s, unsigned a, unsigned b)
{
    return yk_symbols_node(s, YK_NODE_ADD, 64, a, b, 0, 0);
}

static unsigned times(struct yk_symbols *s, unsigned a, uint64_t n)
{
    return n == 1 ? a : yk_symbols_node(s, YK_NODE_MUL, 64, a, yk_symbols_const(s, 64, (int64_t)n), 0, 0);
}

/* Byte offset that GEP V adds, as block USER sees it. False: not understood. */
static bool gep(struct yk_symbols *s, LLVMValueRef v, unsigned user, unsigned *node)
{
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)));
    *node = zero(s);
    for (int i = 1; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)i);
        LLVMTypeKind kind = LLVMGetTypeKind(t);
        if (i > 1 && kind == LLVMStructTypeKind) {
            if (!LLVMIsAConstantInt(x))
                return false;
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(x);
            *node = plus(s, *node, yk_symbols_const(s, 64, (int64_t)LLVMOffsetOfElement(s->layout, t, field)));
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (i > 1) {
            if (kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
                return false;
            t = LLVMGetElementType(t);
        }
        if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(x)) > 64)
            return false;
        unsigned index = yk_symbols_sext64(s, yk_symbols_value(s, x, 0, user));
        *node = plus(s, *node, times(s, index, LLVMABISizeOfType(s->layout, t)));
    }
    return !s->full;
}

struct walk {
    struct yk_symbols *s;
    unsigned steps;
    int arg;
};

static bool point(struct walk *w, LLVMValueRef v, unsigned user, unsigned *node);

/* A pointer that a loop moves on. */
static bool moved(struct walk *w, LLVMValueRef v, unsigned b, unsigned l, unsigned *node)
{
    struct yk_symbols *s = w->s;
    const struct yk_symbols_loop *loop = yk_symbols_loop(s, l);
    LLVMValueRef start, step;
    unsigned from, by;
    if (loop->state != YK_LOOP_DONE || !yk_symbols_counter(s, v, l, &start, &step) || !LLVMIsAGetElementPtrInst(step) ||
        !point(w, start, b, &from) || !gep(s, step, b, &by) || yk_symbols_varies(s, by))
        return false;
    *node = plus(s, from, yk_symbols_node(s, YK_NODE_MUL, 64, (unsigned)loop->trip, by, 0, 0));
    return true;
}

static bool phi(struct walk *w, LLVMValueRef v, unsigned *node)
{
    struct yk_symbols *s = w->s;
    const struct yk_ir_kernel *k = &s->a->ir;
    unsigned b = yk_ir_block(k, LLVMGetInstructionParent(v)), one;
    int l = yk_symbols_loop_of(s, b);
    if (l >= 0)
        return moved(w, v, b, (unsigned)l, node);
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
        if (!point(w, LLVMGetIncomingValue(v, i), yk_ir_block(k, LLVMGetIncomingBlock(v, i)), &one))
            return false;
        one = yk_symbols_leaving(s, one, LLVMGetIncomingValue(v, i), v);
        *node = i && one != *node ? yk_symbols_node(s, YK_NODE_JOIN, 64, *node, one, 0, 0) : one;
    }
    return true;
}

static bool argument(struct walk *w, LLVMValueRef v)
{
    unsigned space = yk_ir_space(v);
    if (space != YK_SPACE_GLOBAL && space != YK_SPACE_CONSTANT)
        return false;
    int n = 0;
    while (n < (int)w->s->a->k->nargs && LLVMGetParam(w->s->a->ir.fn, (unsigned)n) != v)
        n++;
    if (w->arg >= 0 && w->arg != n)
        return false; /* now one buffer, now another */
    w->arg = n;
    return n < (int)w->s->a->k->nargs;
}

static bool instruction(struct walk *w, LLVMValueRef v, unsigned b, unsigned *node)
{
    struct yk_symbols *s = w->s;
    unsigned x, y, c;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return point(w, LLVMGetOperand(v, 0), b, node);
    case LLVMGetElementPtr:
        if (!point(w, LLVMGetOperand(v, 0), b, &x) || !gep(s, v, b, &y))
            return false;
        *node = plus(s, x, y);
        return true;
    case LLVMSelect:
        if (!point(w, LLVMGetOperand(v, 1), b, &x) || !point(w, LLVMGetOperand(v, 2), b, &y))
            return false;
        c = yk_symbols_value(s, LLVMGetOperand(v, 0), 0, b);
        *node = yk_symbols_node(s, YK_NODE_SELECT, 64, c, x, y, 0);
        return true;
    case LLVMPHI:
        return phi(w, v, node);
    case LLVMCall:
        return yk_call_of(v).class == YK_BI_CAST && point(w, LLVMGetOperand(v, 0), b, node);
    default:
        return false;
    }
}

static bool point(struct walk *w, LLVMValueRef v, unsigned user, unsigned *node)
{
    struct yk_symbols *s = w->s;
    if (++w->steps > MAX_STEPS || s->full)
        return false;
    if (LLVMIsAArgument(v)) {
        *node = zero(s);
        return argument(w, v);
    }
    if (LLVMIsAConstantExpr(v))
        return false;
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&s->a->ir, v) : -1;
    if (i < 0 || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        return false;
    unsigned b = s->a->ir.inst_block[i];
    if (!instruction(w, v, b, node) || s->full)
        return false;
    *node = yk_symbols_outside(s, *node, b, user);
    return true;
}

bool yk_symbols_pointer(struct yk_symbols *s, LLVMValueRef v, unsigned user, unsigned *arg, unsigned *node)
{
    struct walk w = {.s = s, .arg = -1};
    if (!point(&w, v, user, node) || w.arg < 0 || s->full)
        return false;
    *arg = (unsigned)w.arg;
    return true;
}
