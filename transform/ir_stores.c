#include "transform/ir_stores.h"
#include <string.h>
#include "transform/ir_held.h"

/* Held stores are volatile ones with metadata of this kind; one that a pass has made of two has none. A kernel that is
 * noted has an attribute of that name. */
static const char held[] = "yoke.held_store", noted[] = "yoke.idle_store";

void yk_ir_hold_stores(LLVMModuleRef m)
{
    LLVMContextRef c = LLVMGetModuleContext(m);
    LLVMValueRef mark = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAStoreInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
                    yk_ir_is_shared(LLVMGetOperand(i, 1))) {
                    LLVMSetVolatile(i, true);
                    LLVMSetMetadata(i, yk_ir_held_kind(m, held), mark);
                }
}

static LLVMValueRef uncast(LLVMValueRef v)
{
    while (LLVMIsABitCastInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

static bool is_idle(LLVMValueRef store)
{
    LLVMValueRef value = uncast(LLVMGetOperand(store, 0));
    return LLVMIsALoadInst(value) && uncast(LLVMGetOperand(value, 0)) == uncast(LLVMGetOperand(store, 1));
}

void yk_ir_release_stores(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        bool idle = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAStoreInst(i) && LLVMGetMetadata(i, yk_ir_held_kind(m, held))) {
                    idle |= is_idle(i);
                    LLVMSetVolatile(i, false);
                    LLVMSetMetadata(i, yk_ir_held_kind(m, held), NULL);
                }
        if (idle)
            LLVMAddAttributeAtIndex(
                f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                LLVMCreateStringAttribute(LLVMGetModuleContext(m), noted, (unsigned)strlen(noted), "", 0));
    }
}

bool yk_ir_has_idle_store(LLVMValueRef f)
{
    return LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, noted,
                                         (unsigned)strlen(noted)) != NULL;
}
