/* May a merge kernel be made of a kernel? It runs the same work-groups again, after they have run elsewhere, and at
 * each store to a buffer takes over what lies there in the other device's output. That is right only if it comes by the
 * same stores: no address of one, no condition and no loop on the way to one may depend on a buffer that the kernel
 * writes.
 *
 * A mark runs over the kernel to a fixed point: what was read from such a buffer, what is computed from it, what is
 * decided by it; through registers, and through private and local memory as a whole. */
#include <string.h>
#include "transform/analysis.h"
#include "transform/assembly.h"
#include "transform/ir_stores.h"

struct depends {
    struct yk_analysis *a;
    struct yk_flow back;
    bool *mark, *decided; /* per instruction; per block: whether it runs is decided by a marked value */
    bool *joins;          /* per block: its phis choose by a marked value */
    bool private_, local; /* holds marked values */
    bool changed;
    unsigned *stack, *seen, round; /* blocks; in which round each was seen */
};

static bool marked(const struct depends *d, LLVMValueRef v)
{
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&d->a->ir, v) : -1;
    return i >= 0 && d->mark[i];
}

static bool any_operand(const struct depends *d, LLVMValueRef i)
{
    if (LLVMIsAPHINode(i)) {
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            if (marked(d, LLVMGetIncomingValue(i, k)))
                return true;
        return false;
    }
    for (int k = LLVMGetNumOperands(i); k--;)
        if (marked(d, LLVMGetOperand(i, (unsigned)k)))
            return true;
    return false;
}

/* May what lies at P have been written, by anybody, from a buffer that the kernel writes, or in one? */
static bool holds(struct depends *d, LLVMValueRef pointer)
{
    struct yk_places p = yk_places_of(d->a, pointer);
    bool vague = p.any_arg || p.program || p.from_memory || p.from_number || p.unknown;
    for (unsigned i = 0; i < d->a->k->nargs; i++)
        if (d->a->k->arg[i].written && (vague || yk_places_arg(&p, i)))
            return true;
    return (d->private_ && (p.private_ || p.unknown)) || (d->local && (p.local || p.unknown));
}

static bool to_buffer(struct depends *d, LLVMValueRef pointer)
{
    struct yk_places p = yk_places_of(d->a, pointer);
    return yk_places_shared(&p);
}

static void keep(struct depends *d, LLVMValueRef pointer)
{
    struct yk_places p = yk_places_of(d->a, pointer);
    if ((p.private_ || p.unknown || p.any_arg) && !d->private_)
        d->private_ = d->changed = true;
    if ((p.local || p.unknown || p.any_arg) && !d->local)
        d->local = d->changed = true;
}

/* What the branch at the end of block B decides: all blocks up to where its ways meet again. */
static void decide(struct depends *d, unsigned b)
{
    const struct yk_flow *w = &d->a->ir.flow;
    unsigned n = 0, meet = d->back.idom[b];
    bool none = d->back.place[b] == d->back.n; /* the kernel does not end from here */
    d->round++;
    for (unsigned s = 0; s < w->nsucc[b]; s++)
        d->stack[n++] = w->succ[b][s];
    while (n) {
        unsigned x = d->stack[--n];
        if (!d->joins[x])
            d->joins[x] = d->changed = true;
        if ((x == meet && !none) || d->seen[x] == d->round)
            continue;
        d->seen[x] = d->round;
        if (!d->decided[x])
            d->decided[x] = d->changed = true;
        for (unsigned s = 0; s < w->nsucc[x]; s++)
            d->stack[n++] = w->succ[x][s];
    }
}

static LLVMValueRef last_pointer(LLVMValueRef call)
{
    for (unsigned n = LLVMGetNumArgOperands(call); n--;)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, n))) == LLVMPointerTypeKind)
            return LLVMGetOperand(call, n);
    return NULL;
}

static bool is_copy(LLVMValueRef i)
{
    return yk_is_intrinsic(i, "llvm.memcpy") || yk_is_intrinsic(i, "llvm.memmove");
}

/* The pointer that call I stores through, or NULL. */
static LLVMValueRef stored_through(LLVMValueRef i)
{
    if (is_copy(i) || yk_is_intrinsic(i, "llvm.memset"))
        return LLVMGetOperand(i, 0);
    switch (yk_call_of(i).class) {
    case YK_BI_STORE:
    case YK_BI_STORE_ROUNDED:
    case YK_BI_MATH_POINTER:
        return last_pointer(i);
    case YK_BI_COPY:
        return LLVMGetOperand(i, 0);
    default:
        return NULL;
    }
}

static bool call(struct depends *d, LLVMValueRef i)
{
    LLVMValueRef to = stored_through(i);
    bool from = any_operand(d, i);
    enum yk_builtin_class class = yk_call_of(i).class;
    if (is_copy(i) || class == YK_BI_COPY)
        from |= holds(d, LLVMGetOperand(i, 1));
    else if (class == YK_BI_LOAD || (class == YK_BI_ATOMIC && last_pointer(i)))
        from |= holds(d, last_pointer(i));
    if (class == YK_BI_ATOMIC && from && last_pointer(i))
        keep(d, last_pointer(i));
    if (to && (from || d->decided[yk_ir_block(&d->a->ir, LLVMGetInstructionParent(i))]))
        keep(d, to);
    return from;
}

static bool depends(struct depends *d, LLVMValueRef i, unsigned b)
{
    bool from = any_operand(d, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return from || d->joins[b];
    case LLVMLoad:
        return from || holds(d, LLVMGetOperand(i, 0));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        if (from || d->decided[b])
            keep(d, LLVMGetOperand(i, 0));
        return from || holds(d, LLVMGetOperand(i, 0));
    case LLVMStore:
        if (from || d->decided[b])
            keep(d, LLVMGetOperand(i, 1));
        return false;
    case LLVMBr:
    case LLVMSwitch:
        if (from)
            decide(d, b);
        return false;
    case LLVMCall:
        return call(d, i);
    default:
        return from;
    }
}

static const char *says(struct yk_analysis *a, LLVMValueRef i, const char *what)
{
    return yk_arena_printf(a->arena, "line %u: %s depends on a buffer that the kernel writes", yk_line_of(i), what);
}

/* Why not, as far as instruction I goes; NULL: nothing. */
static const char *problem(struct depends *d, LLVMValueRef i, unsigned b)
{
    LLVMValueRef to = NULL, data = NULL;
    if (LLVMIsAStoreInst(i)) {
        to = LLVMGetOperand(i, 1);
        data = LLVMGetOperand(i, 0);
    } else if (LLVMIsACallInst(i)) {
        enum yk_builtin_class class = yk_call_of(i).class;
        /* What it stores into the syntax does not show as a store. */
        if (!strncmp(yk_call_of(i).name, YK_ASSEMBLY, strlen(YK_ASSEMBLY)))
            return yk_arena_printf(d->a->arena, "line %u: assembly", yk_line_of(i));
        if (class == YK_BI_BARRIER && d->decided[b])
            return says(d->a, i, "a barrier");
        to = stored_through(i);
        data = class == YK_BI_STORE || class == YK_BI_STORE_ROUNDED ? LLVMGetOperand(i, 0) : NULL;
    }
    if (!to || !to_buffer(d, to))
        return NULL;
    if (d->decided[b])
        return says(d->a, i, "whether something is stored");
    for (int k = LLVMGetNumOperands(i); k--;) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        if (o != data && marked(d, o))
            return says(d->a, i, "where something is stored");
    }
    return NULL;
}

static yk_status prepare(struct depends *d)
{
    struct yk_ir_kernel *ir = &d->a->ir;
    size_t edges = 1;
    for (unsigned b = 0; b < ir->nblocks; b++)
        edges += 2 * ir->flow.nsucc[b];
    d->mark = yk_arena_array(d->a->arena, bool, ir->ninsts);
    d->decided = yk_arena_array(d->a->arena, bool, ir->nblocks);
    d->joins = yk_arena_array(d->a->arena, bool, ir->nblocks);
    d->stack = yk_arena_array(d->a->arena, unsigned, edges);
    d->seen = yk_arena_array(d->a->arena, unsigned, ir->nblocks);
    if (!d->mark || !d->decided || !d->joins || !d->stack || !d->seen)
        return YK_ENOMEM;
    return yk_flow_reverse(&ir->flow, &d->back, d->a->arena);
}

/* Does expression NODE have a part that only the kernel's data know? */
static bool vague(const struct yk_facts_kernel *k, unsigned node)
{
    unsigned char part[YK_MAX_NODES] = {0}; /* of it */
    part[node] = 1;
    for (unsigned i = node + 1; i-- > 0;) {
        const struct yk_facts_node *n = &k->node[i];
        unsigned of = yk_node_operands(n->op);
        if (!part[i])
            continue;
        if (n->op == YK_NODE_UNKNOWN || n->op == YK_NODE_SOME || n->op == YK_NODE_JOIN)
            return true;
        part[n->a] |= of > 0;
        part[n->b] |= of > 1;
        part[n->c] |= of > 2;
    }
    return false;
}

static bool vague_access(const struct yk_facts_kernel *k, const struct yk_facts_access *a)
{
    bool some = vague(k, a->node);
    for (unsigned g = 0; g < a->nguards && !some; g++)
        some = vague(k, k->guard[a->guard + g].node);
    return some;
}

/* Is there a write of which no launch's sizes and scalars tell where it goes? */
static bool of_use(const struct yk_facts_kernel *k)
{
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->arg[i].written && !k->arg[i].bounded)
            return true;
    for (unsigned i = 0; i < k->naccesses; i++)
        if (k->access[i].kind == YK_ACCESS_WRITE && (!k->access[i].exact || vague_access(k, &k->access[i])))
            return true;
    return false;
}

yk_status yk_analyse_merge(struct yk_analysis *a)
{
    struct yk_facts_kernel *k = a->k;
    if (k->verdict != YK_VERDICT_MERGE || !of_use(k))
        return YK_OK;
    struct depends d = {.a = a};
    if (prepare(&d) != YK_OK)
        return YK_ENOMEM;
    do {
        d.changed = false;
        for (unsigned i = 0; i < a->ir.ninsts; i++)
            if (depends(&d, a->ir.inst[i], a->ir.inst_block[i]) && !d.mark[i])
                d.mark[i] = d.changed = true;
    } while (d.changed);
    const char *why = k->global_atomics || k->group_functions || k->sub_groups || k->images_read || k->images_written
                          ? "it uses atomics, images or functions of work-groups"
                      : yk_ir_has_idle_store(a->ir.fn) ? "a store changes nothing"
                                                       : NULL;
    for (unsigned i = 0; i < a->ir.ninsts && !why; i++)
        why = problem(&d, a->ir.inst[i], a->ir.inst_block[i]);
    k->unmerged = why ? why : "";
    k->mergeable = !why;
    return YK_OK;
}
