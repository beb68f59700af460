/* Assembly in a kernel (asm, __asm__). What only computes in registers is a function of its operands like a built-in;
 * anything else keeps the kernel whole. Called by front.c, ir.c and the analysis. */
#ifndef YK_TRANSFORM_ASSEMBLY_H
#define YK_TRANSFORM_ASSEMBLY_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

/* Beginnings of the names of the functions that stand for assembly, which no function of a program can have. OTHER is
 * followed by what is not understood, and a parenthesis. */
#define YK_ASSEMBLY_OTHER   "asm("
#define YK_ASSEMBLY         "asm."
#define YK_ASSEMBLY_EXACT   YK_ASSEMBLY "exact"
#define YK_ASSEMBLY_ROUNDED YK_ASSEMBLY "rounded"

/* OTHER: it may do what is not known here. EXACT: integers, in registers. ROUNDED: floats, in registers. */
enum yk_assembly { YK_ASSEMBLY_IS_OTHER, YK_ASSEMBLY_IS_EXACT, YK_ASSEMBLY_IS_ROUNDED };

/**
 * What LLVM's inline assembly TEMPLATE with CONSTRAINTS does, in the terms of PTX (NVIDIA, Parallel Thread Execution
 * ISA, "Instruction Set"). WHAT (N bytes): the first statement that is not understood; "" where all are. Cost: linear.
 */
enum yk_assembly yk_assembly_of(const char *template, const char *constraints, char *what, size_t n);

/** Does TEXT (SIZE bytes, preprocessed) have assembly? */
bool yk_assembly_in(const char *text, size_t size);

/**
 * Let every operand of assembly in TEXT (SIZE bytes) be in a register of any kind: the compiler that we ask knows no
 * registers of 16 or 64 bits (h, l) and none of floats (f, d). Places in the text stay what they are.
 */
void yk_assembly_any_register(char *text, size_t size);

/* What a compiler of OpenCL C must be told, that it takes asm for a keyword. */
#define YK_ASSEMBLY_OPTION "-fgnu-keywords"

/** Let every call of assembly in M call a function without a body in its place, whose name says what it does. NULL, or
 * why M cannot be analysed. */
const char *yk_assembly_name(LLVMModuleRef m);

#endif
