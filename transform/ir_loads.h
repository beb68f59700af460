/* Loads that must be seen although no result depends on them. A program built with -cl-opt-disable executes them all:
 * one whose address comes from another load would go astray where a share lacks the bytes of that. Called by ir.c. */
#ifndef YK_TRANSFORM_IR_LOADS_H
#define YK_TRANSFORM_IR_LOADS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/** No pass removes M's loads from memory that work-groups share, until yk_ir_release_loads. Returns whether M has
 * volatile ones of its own. */
bool yk_ir_hold_loads(LLVMModuleRef m);

/** Loads that were held are as they were. OWN: there are volatile ones; then a load that a pass has made of two stays
 * volatile, and its kernel whole. */
void yk_ir_release_loads(LLVMModuleRef m, bool own);

#endif
