/* Every access to a buffer as an expression: the accesses of the record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transform/symbols.h"

struct touches {
    struct yk_symbols s;
    struct yk_analysis *a;
    YK_ARRAY(struct yk_facts_access) access;
    struct yk_guards guards;
    unsigned block; /* whose guards these are: */
    unsigned guard, nguards;
    bool block_exact, full;
};

/* No expression says what is touched through P. */
static void unbounded(struct touches *t, const struct yk_places *p)
{
    for (unsigned i = 0; i < t->a->k->nargs; i++)
        if (yk_places_arg(p, i) || p->any_arg || p->unknown || p->from_memory || p->from_number)
            t->a->k->arg[i].bounded = false;
}

static void guards_of(struct touches *t, unsigned b)
{
    if (b == t->block)
        return;
    t->block = b;
    t->guard = (unsigned)t->guards.v.n;
    t->block_exact = yk_guards_of(&t->s, b, &t->guards);
    t->nguards = (unsigned)t->guards.v.n - t->guard;
}

static void put(struct touches *t, unsigned kind, unsigned arg, unsigned node, uint64_t bytes, bool exact)
{
    struct yk_facts_access one = {.arg = (uint16_t)arg,
                                  .kind = (uint8_t)kind,
                                  .exact = exact && t->block_exact,
                                  .bytes = (uint32_t)bytes,
                                  .node = (uint16_t)node,
                                  .guard = (uint16_t)t->guard,
                                  .nguards = (uint16_t)t->nguards};
    if (bytes > UINT32_MAX || t->access.n >= YK_MAX_ACCESSES || t->guards.v.n > YK_MAX_GUARDS ||
        !yk_array_push(&t->access, one))
        t->full = true;
}

/* BYTES at pointer P, plus NODE (or none: -1), as instruction I does. */
static void touch_at(struct touches *t, LLVMValueRef i, LLVMValueRef p, int node, unsigned kind, uint64_t bytes,
                     bool exact)
{
    struct yk_places places = yk_places_of(t->a, p);
    bool any = places.args[0] || places.args[1] || places.args[2] || places.args[3];
    if (!any && !yk_places_shared(&places))
        return;
    unsigned b = yk_ir_block(&t->a->ir, LLVMGetInstructionParent(i)), arg, at;
    guards_of(t, b);
    if (!bytes)
        return;
    if (!yk_symbols_pointer(&t->s, p, b, &arg, &at)) {
        unbounded(t, &places);
        return;
    }
    if (node >= 0)
        at = yk_symbols_node(&t->s, YK_NODE_ADD, 64, at, (unsigned)node, 0, 0);
    put(t, kind, arg, at, bytes, exact);
}

/* Have values of T no bytes that a compiler may leave out? */
static bool solid(LLVMTargetDataRef layout, LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t) == 8 * LLVMABISizeOfType(layout, t);
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(t) != 3 && solid(layout, LLVMGetElementType(t));
    case LLVMArrayTypeKind:
        return solid(layout, LLVMGetElementType(t));
    case LLVMStructTypeKind: {
        unsigned n = LLVMCountStructElementTypes(t);
        uint64_t sum = 0;
        for (unsigned i = 0; i < n; i++) {
            LLVMTypeRef e = LLVMStructGetTypeAtIndex(t, i);
            if (!solid(layout, e))
                return false;
            sum += LLVMABISizeOfType(layout, e);
        }
        return sum == LLVMABISizeOfType(layout, t);
    }
    default:
        return false;
    }
}

/* A vector of four of which the last is not set stands for one of three: some compilers write 12 bytes, others 16. */
static bool three_of_four(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetVectorSize(t) != 4)
        return false;
    if (LLVMIsAShuffleVectorInst(v))
        return LLVMGetMaskValue(v, 3) < 0;
    if (LLVMIsAConstantVector(v))
        return LLVMIsUndef(LLVMGetOperand(v, 3));
    while (LLVMIsAInsertElementInst(v)) { /* made element by element: is the last among them? */
        LLVMValueRef i = LLVMGetOperand(v, 2);
        if (!LLVMIsAConstantInt(i) || LLVMConstIntGetZExtValue(i) == 3)
            return false;
        v = LLVMGetOperand(v, 0);
    }
    return LLVMIsUndef(v) || LLVMIsAShuffleVectorInst(v) || LLVMIsAConstantVector(v);
}

static void store(struct touches *t, LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(v);
    touch_at(t, i, LLVMGetOperand(i, 1), -1, YK_ACCESS_WRITE, LLVMStoreSizeOfType(t->s.layout, type),
             solid(t->s.layout, type) && !three_of_four(v));
}

/* memcpy and memset; the number of bytes is known where a struct is copied. */
static void copy(struct touches *t, LLVMValueRef i, bool from)
{
    LLVMValueRef n = LLVMGetOperand(i, 2);
    for (unsigned o = 0; o < (from ? 2u : 1u); o++) {
        LLVMValueRef p = LLVMGetOperand(i, o), of = LLVMIsABitCastInst(p) ? LLVMGetOperand(p, 0) : p;
        struct yk_places places = yk_places_of(t->a, p);
        if (!LLVMIsAConstantInt(n)) {
            unbounded(t, &places);
            continue;
        }
        LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(of));
        bool exact = LLVMGetTypeKind(e) != LLVMFunctionTypeKind && LLVMTypeIsSized(e) && solid(t->s.layout, e);
        touch_at(t, i, p, -1, o ? YK_ACCESS_READ : YK_ACCESS_WRITE, LLVMConstIntGetZExtValue(n), exact);
    }
}

/* vloadN, vstoreN, vload_halfN, vloada_halfN... */
static void vector(struct touches *t, LLVMValueRef i, const char *name, unsigned kind)
{
    unsigned operands = LLVMGetNumArgOperands(i);
    LLVMValueRef p = NULL, index = NULL;
    for (unsigned k = 0; k < operands; k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        LLVMTypeKind type = LLVMGetTypeKind(LLVMTypeOf(v));
        if (type == LLVMPointerTypeKind && k)
            p = v, index = LLVMGetOperand(i, k - 1);
    }
    if (!p)
        return;
    bool aligned = !strncmp(name + 1, "loada", 5) || !strncmp(name + 1, "storea", 6);
    const char *digits = name + strcspn(name, "0123456789");
    unsigned lanes = *digits ? (unsigned)atoi(digits) : 1, apart = aligned && lanes == 3 ? 4 : lanes;
    uint64_t size = LLVMABISizeOfType(t->s.layout, LLVMGetElementType(LLVMTypeOf(p)));
    unsigned b = yk_ir_block(&t->a->ir, LLVMGetInstructionParent(i));
    unsigned at = yk_symbols_sext64(&t->s, yk_symbols_value(&t->s, index, 0, b));
    at = yk_symbols_node(&t->s, YK_NODE_MUL, 64, at, yk_symbols_const(&t->s, 64, (int64_t)(apart * size)), 0, 0);
    touch_at(t, i, p, (int)at, kind, apart * size, apart == lanes);
}

/* async_work_group_copy(to, from, n, event), async_work_group_strided_copy(to, from, n, stride, event): the stride is
 * of the side in global memory. */
static void group_copy(struct touches *t, LLVMValueRef i, const char *name)
{
    unsigned b = yk_ir_block(&t->a->ir, LLVMGetInstructionParent(i));
    bool strided = strstr(name, "strided") != NULL;
    unsigned n = yk_symbols_sext64(&t->s, yk_symbols_value(&t->s, LLVMGetOperand(i, 2), 0, b));
    unsigned k = yk_symbols_node(&t->s, YK_NODE_IOTA, 64, n, 0, 0, 0);
    if (strided)
        k = yk_symbols_node(&t->s, YK_NODE_MUL, 64, k,
                            yk_symbols_sext64(&t->s, yk_symbols_value(&t->s, LLVMGetOperand(i, 3), 0, b)), 0, 0);
    for (unsigned o = 0; o < 2; o++) {
        LLVMValueRef p = LLVMGetOperand(i, o);
        LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(p));
        uint64_t size = LLVMABISizeOfType(t->s.layout, e);
        unsigned at = yk_symbols_node(&t->s, YK_NODE_MUL, 64, k, yk_symbols_const(&t->s, 64, (int64_t)size), 0, 0);
        touch_at(t, i, p, (int)at, o ? YK_ACCESS_READ : YK_ACCESS_WRITE, size, solid(t->s.layout, e));
    }
}

static void call(struct touches *t, LLVMValueRef i)
{
    LLVMValueRef f = LLVMGetCalledValue(i);
    if (LLVMIsAFunction(f) && LLVMGetIntrinsicID(f)) {
        if (yk_is_intrinsic(i, "llvm.memcpy") || yk_is_intrinsic(i, "llvm.memmove"))
            copy(t, i, true);
        else if (yk_is_intrinsic(i, "llvm.memset"))
            copy(t, i, false);
        return;
    }
    struct yk_builtin b = yk_call_of(i);
    LLVMValueRef p = LLVMGetNumArgOperands(i) ? LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1) : NULL;
    bool pointer = p && LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMPointerTypeKind;
    switch (b.class) {
    case YK_BI_LOAD:
        vector(t, i, b.name, YK_ACCESS_READ);
        break;
    case YK_BI_STORE:
    case YK_BI_STORE_ROUNDED:
        vector(t, i, b.name, YK_ACCESS_WRITE);
        break;
    case YK_BI_COPY:
        group_copy(t, i, b.name);
        break;
    case YK_BI_ATOMIC:
        p = LLVMGetOperand(i, 0);
        touch_at(t, i, p, -1, yk_atomic_kind(i, p), LLVMABISizeOfType(t->s.layout, LLVMGetElementType(LLVMTypeOf(p))),
                 false);
        break;
    case YK_BI_MATH_POINTER:
        if (pointer)
            touch_at(t, i, p, -1, YK_ACCESS_WRITE, LLVMABISizeOfType(t->s.layout, LLVMGetElementType(LLVMTypeOf(p))),
                     false);
        break;
    default:
        /* Nothing else that is split touches a buffer; if it is given one, all of it may be touched. */
        for (unsigned n = LLVMGetNumArgOperands(i); n--;) {
            LLVMValueRef v = LLVMGetOperand(i, n);
            if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || b.class == YK_BI_NOTHING)
                continue;
            struct yk_places places = yk_places_of(t->a, v);
            if (b.class != YK_BI_CAST)
                unbounded(t, &places);
        }
    }
}

static void instruction(struct touches *t, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        touch_at(t, i, LLVMGetOperand(i, 0), -1, YK_ACCESS_READ, LLVMStoreSizeOfType(t->s.layout, LLVMTypeOf(i)), true);
        break;
    case LLVMStore:
        store(t, i);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        touch_at(t, i, LLVMGetOperand(i, 0), -1, yk_atomic_kind(i, LLVMGetOperand(i, 0)),
                 LLVMStoreSizeOfType(t->s.layout, LLVMTypeOf(LLVMGetOperand(i, 1))), false);
        break;
    case LLVMCall:
        call(t, i);
        break;
    default:
        break;
    }
}

/* Into the facts; without expressions where there are too many. */
static yk_status keep(struct touches *t)
{
    struct yk_facts_kernel *k = t->a->k;
    if (t->full || t->s.full || t->guards.v.n > YK_MAX_GUARDS) {
        for (unsigned i = 0; i < k->nargs; i++)
            k->arg[i].bounded = false;
        return YK_OK;
    }
    k->node = yk_arena_array(t->a->arena, struct yk_facts_node, t->s.node.n);
    k->access = yk_arena_array(t->a->arena, struct yk_facts_access, t->access.n);
    k->guard = yk_arena_array(t->a->arena, struct yk_facts_guard, t->guards.v.n);
    if (!k->node || !k->access || !k->guard)
        return YK_ENOMEM;
    k->nnodes = (unsigned)t->s.node.n;
    k->naccesses = (unsigned)t->access.n;
    k->nguards = (unsigned)t->guards.v.n;
    if (k->nnodes)
        memcpy(k->node, t->s.node.v, k->nnodes * sizeof *k->node);
    if (k->naccesses)
        memcpy(k->access, t->access.v, k->naccesses * sizeof *k->access);
    if (k->nguards)
        memcpy(k->guard, t->guards.v.v, k->nguards * sizeof *k->guard);
    return YK_OK;
}

yk_status yk_analyse_touches(struct yk_analysis *a)
{
    if (a->k->verdict == YK_VERDICT_WHOLE)
        return YK_OK;
    struct touches t = {.a = a, .block = (unsigned)-1};
    yk_status st = yk_symbols_init(&t.s, a);
    if (st == YK_OK) {
        for (unsigned i = 0; i < a->k->nargs; i++)
            a->k->arg[i].bounded = a->k->arg[i].kind == YK_ARG_GLOBAL || a->k->arg[i].kind == YK_ARG_CONSTANT;
        for (unsigned i = 0; i < a->ir.ninsts; i++)
            instruction(&t, a->ir.inst[i]);
        st = keep(&t);
    }
    yk_symbols_finish(&t.s);
    yk_array_finish(&t.access);
    yk_array_finish(&t.guards.v);
    return st;
}
