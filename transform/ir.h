/* LLVM IR of a program, made readable for the analysis: helpers inlined, variables in registers, each kernel as
 * numbered instructions with its loops. Called by the analysis; changes nothing after loading. */
#ifndef YK_TRANSFORM_IR_H
#define YK_TRANSFORM_IR_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/status.h"
#include "transform/flow.h"

struct yk_ir {
    LLVMContextRef context;
    LLVMModuleRef module;
};

/** Load BITCODE and simplify it; ALL_LOADS: without removing any load from memory that work-groups share (ir_loads.h).
 * Owns: yk_ir_finish releases. Errors: YK_EFORMAT with *WHY (in A), YK_ENOMEM. */
yk_status yk_ir_load(const char *bitcode, size_t n, bool all_loads, struct yk_arena *a, struct yk_ir *ir,
                     const char **why);
void yk_ir_finish(struct yk_ir *ir);

struct yk_ir_loop {
    unsigned header; /* block */
    bool *in;        /* per block: is it in the loop? */
};

/* One kernel. Instructions in order of blocks. */
struct yk_ir_kernel {
    LLVMValueRef fn;
    unsigned nblocks, ninsts, nloops;
    LLVMBasicBlockRef *block;
    LLVMValueRef *inst;
    unsigned *inst_block; /* per instruction */
    unsigned *depth;      /* loop depth per block */
    struct yk_ir_loop *loop;
    struct yk_flow flow; /* of its blocks */
    bool irreducible;    /* some cycle has no single entry */
    struct {
        void *key;
        unsigned value;
    } * slot; /* value or block -> number */
    size_t nslots;
};

/* Beginning of the names of functions that stand for those which were not copied in: the kernel would be too large. */
#define YK_IR_CUT "yoke.cut"

/** Is F a kernel with a body? */
bool yk_ir_is_kernel(LLVMValueRef f);
/** Number the instructions of F and find its loops. Owns: all in A. Errors: YK_ENOMEM. */
yk_status yk_ir_kernel_init(struct yk_ir_kernel *k, LLVMValueRef f, struct yk_arena *a);
/** Number of an instruction of K, or -1. */
int yk_ir_inst(const struct yk_ir_kernel *k, LLVMValueRef v);
/** Number of a block of K. */
unsigned yk_ir_block(const struct yk_ir_kernel *k, LLVMBasicBlockRef b);

/** Address space of pointer V. */
unsigned yk_ir_space(LLVMValueRef v);
enum { YK_SPACE_PRIVATE, YK_SPACE_GLOBAL, YK_SPACE_CONSTANT, YK_SPACE_LOCAL, YK_SPACE_GENERIC };

/** Lanes of a type: 1 for a scalar. */
unsigned yk_ir_lanes(LLVMTypeRef t);
/** Kind of T or of its elements. */
LLVMTypeKind yk_ir_scalar_kind(LLVMTypeRef t);
bool yk_ir_is_float(LLVMTypeRef t);

/** Operand I of metadata NAME of function F, as text; "" where there is none. Owns: in A. */
const char *yk_ir_text(LLVMValueRef f, const char *name, unsigned i, struct yk_arena *a);
/** Three numbers of metadata NAME of F into V; false where there is none. */
bool yk_ir_triple(LLVMValueRef f, const char *name, uint32_t v[3]);

#endif
