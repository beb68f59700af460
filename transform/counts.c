/* Static instruction counts: features for a time model. Vectors count by lanes. */
#include <string.h>
#include "transform/analysis.h"

static enum yk_count_class memory_class(struct yk_analysis *a, LLVMValueRef pointer, bool store)
{
    struct yk_places p = yk_places_of(a, pointer);
    if (yk_places_shared(&p))
        return store ? YK_COUNT_STORE_GLOBAL : YK_COUNT_LOAD_GLOBAL;
    if (p.constant)
        return YK_COUNT_LOAD_CONSTANT;
    if (p.local)
        return store ? YK_COUNT_STORE_LOCAL : YK_COUNT_LOAD_LOCAL;
    return YK_COUNT_PRIVATE;
}

static enum yk_count_class arithmetic_class(LLVMTypeRef t)
{
    return !yk_ir_is_float(t)                           ? YK_COUNT_INT
           : yk_ir_scalar_kind(t) == LLVMDoubleTypeKind ? YK_COUNT_DOUBLE
                                                        : YK_COUNT_FLOAT;
}

static LLVMValueRef pointer_argument(LLVMValueRef call)
{
    for (unsigned n = LLVMGetNumArgOperands(call); n--;)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, n))) == LLVMPointerTypeKind)
            return LLVMGetOperand(call, n);
    return NULL;
}

static enum yk_count_class call_class(struct yk_analysis *a, LLVMValueRef i)
{
    if (yk_is_intrinsic(i, "llvm.dbg") || yk_is_intrinsic(i, "llvm.lifetime") || yk_is_intrinsic(i, "llvm.assume"))
        return YK_COUNT_CLASS_COUNT;
    struct yk_builtin b = yk_call_of(i);
    switch (b.class) {
    case YK_BI_BARRIER:
        return YK_COUNT_BARRIER;
    case YK_BI_ATOMIC:
        return YK_COUNT_ATOMIC;
    case YK_BI_IMAGE_READ:
    case YK_BI_IMAGE_READ_FLOAT:
    case YK_BI_IMAGE_WRITE:
        return YK_COUNT_IMAGE;
    case YK_BI_MATH:
    case YK_BI_MATH_POINTER:
    case YK_BI_SQRT:
        return YK_COUNT_BUILTIN;
    case YK_BI_LOAD:
    case YK_BI_STORE:
    case YK_BI_STORE_ROUNDED:
        return memory_class(a, pointer_argument(i), b.class != YK_BI_LOAD);
    default:
        return arithmetic_class(LLVMTypeOf(i));
    }
}

static enum yk_count_class class_of(struct yk_analysis *a, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return memory_class(a, LLVMGetOperand(i, 0), false);
    case LLVMStore:
        return memory_class(a, LLVMGetOperand(i, 1), true);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return YK_COUNT_ATOMIC;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return YK_COUNT_INT_DIV;
    case LLVMFDiv:
    case LLVMFRem:
        return YK_COUNT_FLOAT_DIV;
    case LLVMBr:
        return LLVMIsConditional(i) ? YK_COUNT_BRANCH : YK_COUNT_CLASS_COUNT;
    case LLVMSwitch:
        return YK_COUNT_BRANCH;
    case LLVMCall:
        return call_class(a, i);
    case LLVMPHI:
    case LLVMRet:
    case LLVMAlloca:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMUnreachable:
        return YK_COUNT_CLASS_COUNT;
    case LLVMFCmp:
        return arithmetic_class(LLVMTypeOf(LLVMGetOperand(i, 0)));
    default:
        return arithmetic_class(LLVMTypeOf(i));
    }
}

static unsigned lanes(LLVMValueRef i)
{
    LLVMTypeRef t = LLVMTypeOf(i);
    if (LLVMGetInstructionOpcode(i) == LLVMStore)
        t = LLVMTypeOf(LLVMGetOperand(i, 0));
    return yk_ir_lanes(t);
}

void yk_analyse_counts(struct yk_analysis *a)
{
    uint32_t *count = a->k->count;
    for (unsigned i = 0; i < a->ir.ninsts; i++) {
        enum yk_count_class c = class_of(a, a->ir.inst[i]);
        if (c != YK_COUNT_CLASS_COUNT)
            count[c] += lanes(a->ir.inst[i]);
    }
    count[YK_COUNT_LOOP] = a->ir.nloops;
    for (unsigned b = 0; b < a->ir.nblocks; b++)
        if (a->ir.depth[b] > count[YK_COUNT_LOOP_DEPTH])
            count[YK_COUNT_LOOP_DEPTH] = a->ir.depth[b];
}
