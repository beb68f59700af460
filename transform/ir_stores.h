/* Stores that change nothing (o[i] += 0). Passes remove them, and then no fact tells of them; but the text of the
 * program has them, and so has a merge kernel, which makes a copy of each. Called by ir.c and depends.c. */
#ifndef YK_TRANSFORM_IR_STORES_H
#define YK_TRANSFORM_IR_STORES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/** No pass removes M's stores to memory that work-groups share, until yk_ir_release_stores. */
void yk_ir_hold_stores(LLVMModuleRef m);

/** Stores that were held are as they were; kernels in which one gives back what was loaded from there are noted. Passes
 * are to be run once more, since held stores keep others from simplifying. */
void yk_ir_release_stores(LLVMModuleRef m);

/** Has kernel F been noted? */
bool yk_ir_has_idle_store(LLVMValueRef f);

#endif
