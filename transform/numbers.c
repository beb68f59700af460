/* Where results may differ in the last bit between devices, and whether such a value can change more than itself.
 *
 * Two marks run over the kernel to a fixed point, through registers and memory. A value is *inexact* when it comes from
 * an operation that OpenCL lets a device round as it likes, or is computed from such a value. It is a *product* when it
 * is a multiplication's result: an addition that takes one may be fused with it, and is then rounded once instead of
 * twice. */
#include <string.h>
#include "transform/analysis.h"

enum { INEXACT = 1, PRODUCT = 2 };

struct memory {
    uint64_t args[4];
    bool any_arg, private_, local, other;
};

struct numbers {
    struct yk_analysis *a;
    unsigned char *mark;     /* per instruction */
    struct memory memory[2]; /* holds INEXACT values, PRODUCTs */
    bool changed;
};

static unsigned mark_of(const struct numbers *n, LLVMValueRef v)
{
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&n->a->ir, v) : -1;
    return i < 0 ? 0 : n->mark[i];
}

static bool remembers(const struct memory *m, const struct yk_places *p)
{
    bool some = m->any_arg || m->other;
    for (int i = 0; i < 4; i++) {
        if (m->args[i] & p->args[i])
            return true;
        some |= m->args[i] != 0;
    }
    bool vague = p->any_arg || p->unknown || p->from_memory || p->from_number || p->program;
    return (vague && some) || (m->any_arg && yk_places_shared(p)) || (m->other && yk_places_shared(p)) ||
           (m->private_ && (p->private_ || p->unknown)) || (m->local && (p->local || p->unknown));
}

static void remember(struct numbers *n, unsigned mark, const struct yk_places *p)
{
    for (int w = 0; w < 2; w++) {
        if (!(mark >> w & 1))
            continue;
        struct memory old = n->memory[w], *m = &n->memory[w];
        for (int i = 0; i < 4; i++)
            m->args[i] |= p->args[i];
        m->any_arg |= p->any_arg;
        m->private_ |= p->private_;
        m->local |= p->local;
        m->other |= p->program || p->from_memory || p->from_number || p->unknown;
        n->changed |= memcmp(&old, m, sizeof old) != 0;
    }
}

static unsigned load_mark(struct numbers *n, LLVMValueRef pointer)
{
    struct yk_places p = yk_places_of(n->a, pointer);
    return (remembers(&n->memory[0], &p) ? INEXACT : 0u) | (remembers(&n->memory[1], &p) ? PRODUCT : 0u);
}

static void store_mark(struct numbers *n, LLVMValueRef pointer, unsigned mark)
{
    if (!mark)
        return;
    struct yk_places p = yk_places_of(n->a, pointer);
    remember(n, mark, &p);
    for (unsigned i = 0; mark & INEXACT && i < n->a->k->nargs; i++)
        if (n->a->k->arg[i].kind == YK_ARG_GLOBAL && (yk_places_arg(&p, i) || p.any_arg || p.unknown))
            n->a->k->arg[i].inexact_written = true;
}

static LLVMValueRef last_pointer(LLVMValueRef call)
{
    for (unsigned n = LLVMGetNumArgOperands(call); n--;)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, n))) == LLVMPointerTypeKind)
            return LLVMGetOperand(call, n);
    return NULL;
}

static unsigned operand_marks(const struct numbers *n, LLVMValueRef i)
{
    unsigned mark = 0;
    if (LLVMIsAPHINode(i)) {
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            mark |= mark_of(n, LLVMGetIncomingValue(i, k));
        return mark;
    }
    for (int k = LLVMGetNumOperands(i); k--;)
        mark |= mark_of(n, LLVMGetOperand(i, (unsigned)k));
    return mark;
}

static bool is_double(LLVMTypeRef t)
{
    return yk_ir_scalar_kind(t) == LLVMDoubleTypeKind;
}

/* Division and square root: correctly rounded for double, for float where an option demands it. */
static bool rounded(const struct numbers *n, LLVMTypeRef t)
{
    return is_double(t) || (n->a->options->correctly_rounded && yk_ir_scalar_kind(t) == LLVMFloatTypeKind);
}

static unsigned call_mark(struct numbers *n, LLVMValueRef i)
{
    unsigned mark = operand_marks(n, i) & INEXACT;
    if (yk_is_intrinsic(i, "llvm.fmuladd"))
        return INEXACT | PRODUCT;
    if (yk_is_intrinsic(i, "llvm.memcpy") || yk_is_intrinsic(i, "llvm.memmove")) {
        store_mark(n, LLVMGetOperand(i, 0), load_mark(n, LLVMGetOperand(i, 1)));
        return 0;
    }
    if (yk_is_intrinsic(i, "llvm.memset"))
        return 0;
    bool real = yk_ir_is_float(LLVMTypeOf(i));
    struct yk_builtin b = yk_call_of(i);
    switch (b.class) {
    case YK_BI_MATH:
        return INEXACT | PRODUCT; /* it may be made of multiplications */
    case YK_BI_MATH_POINTER:
        store_mark(n, LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1), INEXACT | PRODUCT);
        return INEXACT | PRODUCT;
    case YK_BI_SQRT:
        return rounded(n, LLVMTypeOf(i)) ? mark : INEXACT;
    case YK_BI_MINMAX:
    case YK_BI_GROUP:
    case YK_BI_SUB_GROUP:
        return real ? INEXACT : mark;
    case YK_BI_IMAGE_READ_FLOAT:
        return INEXACT;
    case YK_BI_IMAGE_READ: /* which texel is nearest to a place between them is a device's own to say */
        return yk_ir_is_float(LLVMTypeOf(LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1))) ? INEXACT : mark;
    case YK_BI_IMAGE_WRITE: /* floats are rounded to what a texel holds */
        return strncmp(b.name, "write_imagef", 12) && strncmp(b.name, "write_imageh", 12) ? mark : INEXACT;
    case YK_BI_MOVE:
        return operand_marks(n, i);
    case YK_BI_LOAD:
        return load_mark(n, last_pointer(i));
    case YK_BI_STORE:
        store_mark(n, last_pointer(i), operand_marks(n, i));
        return 0;
    case YK_BI_STORE_ROUNDED:
        store_mark(n, last_pointer(i), INEXACT);
        return 0;
    case YK_BI_COPY:
        store_mark(n, LLVMGetOperand(i, 0), load_mark(n, LLVMGetOperand(i, 1)));
        return 0;
    case YK_BI_ATOMIC:
        return load_mark(n, LLVMGetOperand(i, 0)) | (real ? INEXACT : 0u); /* floats: the order decides */
    default:
        return mark;
    }
}

static unsigned new_mark(struct numbers *n, LLVMValueRef i)
{
    unsigned mark = operand_marks(n, i);
    unsigned anything = n->a->options->relaxed || n->a->options->flush ? INEXACT : 0u;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFMul:
        return (mark & INEXACT) | PRODUCT | anything;
    case LLVMFAdd:
    case LLVMFSub:
        return (mark & (INEXACT | PRODUCT) ? INEXACT : 0u) | anything;
    case LLVMFDiv:
        return rounded(n, LLVMTypeOf(i)) ? (mark & INEXACT) | anything : INEXACT;
    case LLVMFRem:
        return INEXACT;
    case LLVMFCmp:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return (mark & INEXACT) | anything;
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return mark & INEXACT;
    case LLVMLoad:
        return load_mark(n, LLVMGetOperand(i, 0));
    case LLVMStore:
        store_mark(n, LLVMGetOperand(i, 1), mark_of(n, LLVMGetOperand(i, 0)));
        return 0;
    case LLVMCall:
        return call_mark(n, i);
    default:
        return mark;
    }
}

static bool is_truth(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1;
}

/* Does an inexact operand of I change more than a value: a path, a place, a count? */
static bool lets_out(const struct numbers *n, LLVMValueRef i)
{
    LLVMTypeRef t = LLVMTypeOf(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMBr:
    case LLVMSwitch:
        return operand_marks(n, i) & INEXACT;
    case LLVMSelect: /* of two numbers is a value like others; of integers or pointers not */
        return mark_of(n, LLVMGetOperand(i, 0)) & INEXACT && !yk_ir_is_float(t);
    case LLVMStore:
        return false;
    case LLVMCall:
        if (yk_call_of(i).class == YK_BI_ATOMIC && operand_marks(n, i) & INEXACT)
            return true;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMGetElementPtr:
        return operand_marks(n, i) & INEXACT;
    default:
        break;
    }
    /* Any integer made from it; truth values are judged where they are used. */
    return yk_ir_scalar_kind(t) == LLVMIntegerTypeKind && !is_truth(t) && mark_of(n, i) & INEXACT;
}

static void arithmetic(struct yk_facts_kernel *k, LLVMValueRef i)
{
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMStore)
        t = LLVMTypeOf(LLVMGetOperand(i, 0));
    if (op == LLVMFCmp || op == LLVMFPToSI || op == LLVMFPToUI)
        t = LLVMTypeOf(LLVMGetOperand(i, 0));
    LLVMTypeKind kind = yk_ir_scalar_kind(t);
    k->fp64 |= kind == LLVMDoubleTypeKind;
    k->fp16 |= kind == LLVMHalfTypeKind;
    switch (op) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFCmp:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToSI:
    case LLVMFPToUI:
        k->float_arith = true;
        break;
    case LLVMCall:
        k->float_arith |= yk_ir_is_float(t) && yk_call_of(i).class != YK_BI_LOAD && yk_call_of(i).class != YK_BI_MOVE;
        break;
    default:
        break;
    }
}

/* Exact for operands in a range, and a device's own beyond it: devices of several makers were seen to differ. No mark:
 * where a program keeps to the range nothing is inexact. */
static bool beyond_range(LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMFPToSI || op == LLVMFPToUI)
        return true;
    struct yk_builtin b = yk_call_of(i);
    bool converts = b.class == YK_BI_EXACT && !strncmp(b.name, "convert_", 8) && !strstr(b.name, "_sat") &&
                    !yk_ir_is_float(LLVMTypeOf(i)) && yk_ir_is_float(LLVMTypeOf(LLVMGetOperand(i, 0)));
    return converts || b.class == YK_BI_RANGED;
}

yk_status yk_analyse_numbers(struct yk_analysis *a)
{
    struct numbers n = {.a = a, .changed = true};
    n.mark = yk_arena_array(a->arena, unsigned char, a->ir.ninsts);
    if (!n.mark)
        return YK_ENOMEM;
    while (n.changed) {
        n.changed = false;
        for (unsigned i = 0; i < a->ir.ninsts; i++) {
            unsigned char m = (unsigned char)(n.mark[i] | new_mark(&n, a->ir.inst[i]));
            n.changed |= m != n.mark[i];
            n.mark[i] = m;
        }
    }
    bool stored = n.memory[0].any_arg || n.memory[0].other || n.memory[0].private_ || n.memory[0].local;
    for (int i = 0; i < 4; i++)
        stored |= n.memory[0].args[i] != 0;
    a->k->inexact = stored;
    for (unsigned i = 0; i < a->ir.ninsts; i++) {
        arithmetic(a->k, a->ir.inst[i]);
        a->k->inexact |= (n.mark[i] & INEXACT) || beyond_range(a->ir.inst[i]);
        a->k->inexact_escapes |= lets_out(&n, a->ir.inst[i]);
    }
    return YK_OK;
}
