#include "transform/ir_loads.h"
#include <string.h>
#include "transform/ir_held.h"

/* Held loads are volatile ones with metadata of this kind, which copies keep. */
static const char held[] = "yoke.held";

/* vloadn and its like are calls of functions that only read: unused, they would go. */
static void hold_call(LLVMValueRef call)
{
    static const char *const words[] = {"readonly", "readnone", "willreturn"};
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t n;
    if (!f || !LLVMIsAFunction(f) || !strstr(LLVMGetValueName2(f, &n), "vload"))
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(words[i], strlen(words[i]));
        LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
        LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    }
}

bool yk_ir_hold_loads(LLVMModuleRef m)
{
    bool own = false;
    LLVMContextRef c = LLVMGetModuleContext(m);
    LLVMValueRef mark = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMIsACallInst(i))
                    hold_call(i);
                own |= LLVMIsALoadInst(i) && LLVMGetVolatile(i);
                if (!LLVMIsALoadInst(i) || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic ||
                    !yk_ir_is_shared(LLVMGetOperand(i, 0)))
                    continue;
                LLVMSetVolatile(i, true);
                LLVMSetMetadata(i, yk_ir_held_kind(m, held), mark);
            }
    return own;
}

void yk_ir_release_loads(LLVMModuleRef m, bool own)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsALoadInst(i) && (!own || LLVMGetMetadata(i, yk_ir_held_kind(m, held)))) {
                    LLVMSetVolatile(i, false);
                    LLVMSetMetadata(i, yk_ir_held_kind(m, held), NULL);
                }
}
