/* What loads and stores that passes are kept from removing (ir_loads.c, ir_stores.c) have in common: such are volatile
 * meanwhile, with metadata by which they are known again. */
#ifndef YK_TRANSFORM_IR_HELD_H
#define YK_TRANSFORM_IR_HELD_H

#include <string.h>
#include "transform/ir.h"

/** The kind of metadata that M's instructions held under NAME have. */
static inline unsigned yk_ir_held_kind(LLVMModuleRef m, const char *name)
{
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), name, (unsigned)strlen(name));
}

/** May others than one work-group see what POINTER points to? */
static inline bool yk_ir_is_shared(LLVMValueRef pointer)
{
    enum { PRIVATE = 0, LOCAL = 3 };
    unsigned space = yk_ir_space(pointer);
    return space != PRIVATE && space != LOCAL;
}

#endif
