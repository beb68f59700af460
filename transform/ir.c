#include "transform/ir.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>
#include "transform/assembly.h"
#include "transform/ir_loads.h"
#include "transform/ir_stores.h"

enum { SPIR_KERNEL = 76 }; /* calling convention */

/* No loop passes: what a loop reads again each time round must stay to be seen. Each function is made small before it
 * is copied into its callers, callees first. */
static const char before[] = "globaldce,function(sroa,early-cse,instcombine,simplifycfg)";
static const char after[] = "function(early-cse,instcombine,simplifycfg)";
static const char inlining[] = "cgscc(inline,function(sroa,early-cse,instcombine,simplifycfg))";

/* Instructions that a kernel, and a program, may come to; beyond that kernels are not analysed. */
enum { MAX_KERNEL = 100000, MAX_PROGRAM = 400000 };

static bool run_passes(LLVMModuleRef m, const char *passes, struct yk_arena *a, const char **why)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(m, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!e)
        return true;
    char *text = LLVMGetErrorMessage(e);
    *why = yk_arena_printf(a, "LLVM cannot simplify it: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static void mark_for_inlining(LLVMModuleRef m)
{
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    static const char *const against[] = {"noinline", "optnone"};
    LLVMContextRef c = LLVMGetModuleContext(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        for (size_t i = 0; i < 2; i++)
            LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                           LLVMGetEnumAttributeKindForName(against[i], strlen(against[i])));
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(c, always, 0));
        if (!yk_ir_is_kernel(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

/* Sizes of functions once all that they call has been copied into them. */
struct sizes {
    LLVMValueRef *f;
    uint64_t *size; /* 0: not known yet */
    bool *open;     /* being computed: a recursion */
    unsigned n;
};

static uint64_t full_size(struct sizes *s, LLVMValueRef f)
{
    unsigned i = 0;
    while (i < s->n && s->f[i] != f)
        i++;
    if (i == s->n || LLVMIsDeclaration(f))
        return 1;
    if (s->size[i])
        return s->size[i];
    if (s->open[i])
        return (uint64_t)MAX_PROGRAM + 1;
    s->open[i] = true;
    uint64_t size = 1;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
            size += callee && LLVMIsAFunction(callee) ? full_size(s, callee) : 1;
            if (size > MAX_PROGRAM)
                size = (uint64_t)MAX_PROGRAM + 1;
        }
    s->open[i] = false;
    return s->size[i] = size;
}

/* Let F call functions of unknown content instead of the program's own, so that nothing is copied into it. */
static void cut_calls(LLVMModuleRef m, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
            if (!callee || !LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
                continue;
            LLVMValueRef cut = LLVMAddFunction(m, YK_IR_CUT, LLVMGetCalledFunctionType(v));
            LLVMSetFunctionCallConv(cut, LLVMGetInstructionCallConv(v));
            LLVMSetOperand(v, (unsigned)LLVMGetNumOperands(v) - 1, cut);
        }
}

/* Kernels that would become too large stay as they are. */
static yk_status bound_sizes(LLVMModuleRef m, struct yk_arena *a)
{
    struct sizes s = {.n = 0};
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        s.n++;
    s.f = yk_arena_array(a, LLVMValueRef, s.n);
    s.size = yk_arena_array(a, uint64_t, s.n);
    s.open = yk_arena_array(a, bool, s.n);
    if (!s.f || !s.size || !s.open)
        return YK_ENOMEM;
    s.n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        s.f[s.n++] = f;
    uint64_t total = 0;
    for (unsigned i = 0; i < s.n; i++) {
        if (!yk_ir_is_kernel(s.f[i]))
            continue;
        uint64_t size = full_size(&s, s.f[i]);
        if (size > MAX_KERNEL || total + size > MAX_PROGRAM)
            cut_calls(m, s.f[i]);
        else
            total += size;
    }
    return YK_OK;
}

/* LLVM prints what it warns of to stderr by itself; errors come back through the caller. */
static void keep_quiet(LLVMDiagnosticInfoRef info, void *arg)
{
    (void)info;
    (void)arg;
}

yk_status yk_ir_load(const char *bitcode, size_t n, bool all_loads, struct yk_arena *a, struct yk_ir *ir,
                     const char **why)
{
    ir->context = LLVMContextCreate();
    ir->module = NULL;
    LLVMContextSetDiagnosticHandler(ir->context, keep_quiet, NULL);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, n, "program");
    bool bad = LLVMParseBitcodeInContext2(ir->context, buffer, &ir->module);
    LLVMDisposeMemoryBuffer(buffer);
    if (bad) {
        *why = "the compiler's bitcode cannot be read";
        ir->module = NULL;
        yk_ir_finish(ir);
        return YK_EFORMAT;
    }
    *why = yk_assembly_name(ir->module);
    if (*why) {
        yk_ir_finish(ir);
        return YK_EFORMAT;
    }
    mark_for_inlining(ir->module);
    const bool own = all_loads && yk_ir_hold_loads(ir->module);
    yk_ir_hold_stores(ir->module);
    yk_status s = run_passes(ir->module, before, a, why) ? bound_sizes(ir->module, a) : YK_EFORMAT;
    if (s == YK_OK && !run_passes(ir->module, inlining, a, why))
        s = YK_EFORMAT;
    yk_ir_release_stores(ir->module);
    if (s == YK_OK && !run_passes(ir->module, after, a, why))
        s = YK_EFORMAT;
    if (all_loads)
        yk_ir_release_loads(ir->module, own);
    if (s != YK_OK)
        yk_ir_finish(ir);
    return s;
}

void yk_ir_finish(struct yk_ir *ir)
{
    if (ir->module)
        LLVMDisposeModule(ir->module);
    if (ir->context)
        LLVMContextDispose(ir->context);
    ir->module = NULL;
    ir->context = NULL;
}

bool yk_ir_is_kernel(LLVMValueRef f)
{
    return !LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == SPIR_KERNEL;
}

static size_t slot_of(const struct yk_ir_kernel *k, const void *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 20) & (k->nslots - 1);
    while (k->slot[i].key && k->slot[i].key != key)
        i = (i + 1) & (k->nslots - 1);
    return i;
}

static void number(struct yk_ir_kernel *k, void *key, unsigned value)
{
    size_t i = slot_of(k, key);
    k->slot[i].key = key;
    k->slot[i].value = value;
}

int yk_ir_inst(const struct yk_ir_kernel *k, LLVMValueRef v)
{
    size_t i = slot_of(k, v);
    return k->slot[i].key ? (int)k->slot[i].value : -1;
}

unsigned yk_ir_block(const struct yk_ir_kernel *k, LLVMBasicBlockRef b)
{
    return k->slot[slot_of(k, b)].value;
}

static yk_status edges(struct yk_ir_kernel *k, struct yk_arena *a)
{
    struct yk_flow *w = &k->flow;
    for (unsigned b = 0; b < w->n; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(k->block[b]);
        w->nsucc[b] = t ? LLVMGetNumSuccessors(t) : 0;
        w->succ[b] = yk_arena_array(a, unsigned, w->nsucc[b]);
        if (!w->succ[b])
            return YK_ENOMEM;
        for (unsigned s = 0; s < w->nsucc[b]; s++)
            w->succ[b][s] = yk_ir_block(k, LLVMGetSuccessor(t, s));
    }
    return yk_flow_turn(w, a);
}

/* All that reaches the back edge FROM -> header without passing the header. */
static void grow_loop(const struct yk_flow *w, struct yk_ir_loop *l, unsigned from, unsigned *stack)
{
    unsigned top = 0;
    l->in[l->header] = true;
    if (!l->in[from]) {
        l->in[from] = true;
        stack[top++] = from;
    }
    while (top) {
        unsigned b = stack[--top];
        for (unsigned p = 0; p < w->npred[b]; p++) {
            unsigned q = w->pred[b][p];
            if (!l->in[q] && w->place[q] != w->n) {
                l->in[q] = true;
                stack[top++] = q;
            }
        }
    }
}

static bool find_loops(struct yk_ir_kernel *k, struct yk_arena *a)
{
    struct yk_flow *w = &k->flow;
    unsigned *stack = yk_arena_array(a, unsigned, k->nblocks);
    k->loop = yk_arena_array(a, struct yk_ir_loop, k->nblocks);
    k->depth = yk_arena_array(a, unsigned, k->nblocks);
    if (!stack || !k->loop || !k->depth || yk_flow_init(w, k->nblocks, a) != YK_OK || edges(k, a) != YK_OK ||
        yk_flow_dominators(w, 0, a) != YK_OK)
        return false;
    for (unsigned i = 0; i < w->norder; i++) {
        unsigned b = w->order[i];
        for (unsigned s = 0; s < w->nsucc[b]; s++) {
            unsigned h = w->succ[b][s];
            if (w->place[h] > w->place[b])
                continue;
            if (!yk_flow_dominates(w, h, b)) {
                k->irreducible = true;
                continue;
            }
            struct yk_ir_loop *l = k->loop;
            while (l < k->loop + k->nloops && l->header != h)
                l++;
            if (l == k->loop + k->nloops) {
                k->nloops++;
                l->header = h;
                l->in = yk_arena_array(a, bool, w->n);
                if (!l->in)
                    return false;
            }
            grow_loop(w, l, b, stack);
        }
    }
    for (unsigned l = 0; l < k->nloops; l++)
        for (unsigned b = 0; b < w->n; b++)
            k->depth[b] += k->loop[l].in[b];
    return true;
}

yk_status yk_ir_kernel_init(struct yk_ir_kernel *k, LLVMValueRef f, struct yk_arena *a)
{
    *k = (struct yk_ir_kernel){.fn = f, .nblocks = LLVMCountBasicBlocks(f)};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            k->ninsts++;
    k->nslots = 64;
    while (k->nslots < 2 * ((size_t)k->ninsts + k->nblocks))
        k->nslots *= 2;
    k->slot = yk_arena_alloc(a, k->nslots * sizeof *k->slot);
    k->block = yk_arena_array(a, LLVMBasicBlockRef, k->nblocks);
    k->inst = yk_arena_array(a, LLVMValueRef, k->ninsts);
    k->inst_block = yk_arena_array(a, unsigned, k->ninsts);
    if (!k->slot || !k->block || !k->inst || !k->inst_block)
        return YK_ENOMEM;
    unsigned nb = 0, ni = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b), nb++) {
        k->block[nb] = b;
        number(k, b, nb);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), ni++) {
            k->inst[ni] = i;
            k->inst_block[ni] = nb;
            number(k, i, ni);
        }
    }
    return find_loops(k, a) ? YK_OK : YK_ENOMEM;
}

unsigned yk_ir_space(LLVMValueRef v)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(v));
}

unsigned yk_ir_lanes(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

LLVMTypeKind yk_ir_scalar_kind(LLVMTypeRef t)
{
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMVectorTypeKind ? LLVMGetTypeKind(LLVMGetElementType(t)) : k;
}

bool yk_ir_is_float(LLVMTypeRef t)
{
    LLVMTypeKind k = yk_ir_scalar_kind(t);
    return k == LLVMHalfTypeKind || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

/* Operands of metadata NAME of F; 0: it has none. */
static unsigned operands(LLVMValueRef f, const char *name, LLVMValueRef **ops)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    unsigned kind = LLVMGetMDKindIDInContext(c, name, (unsigned)strlen(name)), n = 0;
    size_t count;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(f, &count);
    *ops = NULL;
    for (size_t i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(all, (unsigned)i) != kind)
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(c, LLVMValueMetadataEntriesGetMetadata(all, (unsigned)i));
        n = LLVMGetMDNodeNumOperands(node);
        *ops = calloc(n + 1u, sizeof **ops);
        if (*ops)
            LLVMGetMDNodeOperands(node, *ops);
        else
            n = 0;
    }
    LLVMDisposeValueMetadataEntries(all);
    return n;
}

const char *yk_ir_text(LLVMValueRef f, const char *name, unsigned i, struct yk_arena *a)
{
    LLVMValueRef *ops;
    unsigned n = operands(f, name, &ops), len = 0;
    const char *s = i < n ? LLVMGetMDString(ops[i], &len) : NULL;
    const char *copy = s ? yk_arena_strndup(a, s, len) : NULL;
    free(ops);
    return copy ? copy : "";
}

bool yk_ir_triple(LLVMValueRef f, const char *name, uint32_t v[3])
{
    LLVMValueRef *ops;
    unsigned n = operands(f, name, &ops);
    for (unsigned i = 0; i < 3 && n == 3; i++)
        v[i] = (uint32_t)LLVMConstIntGetZExtValue(ops[i]);
    free(ops);
    return n == 3;
}
