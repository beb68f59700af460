/* Which atomics commute: every order of them leaves the same number. */
#include <llvm-c/Target.h>
#include <string.h>
#include "transform/analysis.h"

static unsigned of_instruction(LLVMValueRef i)
{
    switch (LLVMGetAtomicRMWBinOp(i)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
        return YK_ACCESS_ADD;
    case LLVMAtomicRMWBinOpAnd:
        return YK_ACCESS_AND;
    case LLVMAtomicRMWBinOpOr:
        return YK_ACCESS_OR;
    case LLVMAtomicRMWBinOpXor:
        return YK_ACCESS_XOR;
    case LLVMAtomicRMWBinOpMin:
        return YK_ACCESS_SMIN;
    case LLVMAtomicRMWBinOpMax:
        return YK_ACCESS_SMAX;
    case LLVMAtomicRMWBinOpUMin:
        return YK_ACCESS_UMIN;
    case LLVMAtomicRMWBinOpUMax:
        return YK_ACCESS_UMAX;
    default:
        return YK_ACCESS_ATOMIC;
    }
}

/* The sign of a least or a most is the last parameter's, the last letter of the mangled name. */
static unsigned of_call(LLVMValueRef i)
{
    struct yk_builtin b = yk_call_of(i);
    size_t n;
    const char *symbol = LLVMGetValueName2(LLVMGetCalledValue(i), &n);
    char last = n ? symbol[n - 1] : 0;
    bool is_signed = strchr("il", last) != NULL, is_unsigned = strchr("jm", last) != NULL;
    switch (b.op) {
    case YK_ATOMIC_ADD:
        return YK_ACCESS_ADD;
    case YK_ATOMIC_AND:
        return YK_ACCESS_AND;
    case YK_ATOMIC_OR:
        return YK_ACCESS_OR;
    case YK_ATOMIC_XOR:
        return YK_ACCESS_XOR;
    case YK_ATOMIC_MIN:
        return is_signed ? YK_ACCESS_SMIN : is_unsigned ? YK_ACCESS_UMIN : YK_ACCESS_ATOMIC;
    case YK_ATOMIC_MAX:
        return is_signed ? YK_ACCESS_SMAX : is_unsigned ? YK_ACCESS_UMAX : YK_ACCESS_ATOMIC;
    default:
        return YK_ACCESS_ATOMIC;
    }
}

unsigned yk_atomic_kind(LLVMValueRef i, LLVMValueRef pointer)
{
    LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(pointer));
    unsigned bits = LLVMGetTypeKind(e) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(e) : 0;
    if (bits != 32 && bits != 64)
        return YK_ACCESS_ATOMIC;
    if (LLVMIsAAtomicRMWInst(i))
        return of_instruction(i);
    return LLVMIsACallInst(i) && yk_call_of(i).class == YK_BI_ATOMIC && !strstr(yk_call_of(i).name, "_explicit")
               ? of_call(i)
               : YK_ACCESS_ATOMIC;
}

/* Byte offset of P in argument ARG where that is a constant; false: it is not. */
static bool constant_place(const struct yk_analysis *a, LLVMValueRef p, unsigned arg, int64_t *at)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(a->ir.fn));
    *at = 0;
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p)) {
        if (LLVMIsAGetElementPtrInst(p)) {
            LLVMValueRef x = LLVMGetOperand(p, 1);
            if (LLVMGetNumOperands(p) != 2 || !LLVMIsAConstantInt(x))
                return false;
            *at += LLVMConstIntGetSExtValue(x) *
                   (int64_t)LLVMABISizeOfType(layout, LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(p, 0))));
        }
        p = LLVMGetOperand(p, 0);
    }
    return LLVMGetParam(a->ir.fn, arg) == p;
}

bool yk_atomics_apart(struct yk_analysis *a, unsigned arg)
{
    int64_t at, place[16];
    unsigned kind[16], n = 0;
    bool wide = false; /* some number of 8 bytes */
    for (unsigned i = 0; i < a->ir.ninsts; i++) {
        LLVMValueRef v = a->ir.inst[i];
        if (!LLVMIsAAtomicRMWInst(v) && !(LLVMIsACallInst(v) && yk_call_of(v).class == YK_BI_ATOMIC))
            continue;
        struct yk_places p = yk_places_of(a, LLVMGetOperand(v, 0));
        if (!yk_places_arg(&p, arg))
            continue;
        if (n == 16 || !constant_place(a, LLVMGetOperand(v, 0), arg, &at))
            return false;
        wide |= LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)))) == 64;
        kind[n] = yk_atomic_kind(v, LLVMGetOperand(v, 0));
        place[n++] = at;
        for (unsigned o = 0; o + 1 < n; o++)
            if (kind[o] != kind[n - 1] && place[o] < at + 8 && at < place[o] + 8 && (place[o] == at || wide))
                return false;
    }
    return true;
}
