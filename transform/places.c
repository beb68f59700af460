/* Where pointers point: from an access back to an argument or a variable. */
#include <string.h>
#include "transform/analysis.h"

enum { MAX_STEPS = 512 };

struct walk {
    struct yk_analysis *a;
    struct yk_places p;
    LLVMValueRef seen[MAX_STEPS];
    unsigned n, done;
};

static void visit(struct walk *w, LLVMValueRef v)
{
    for (unsigned i = 0; i < w->n; i++)
        if (w->seen[i] == v)
            return;
    if (w->n == MAX_STEPS)
        w->p.unknown = true;
    else
        w->seen[w->n++] = v;
}

static void argument(struct walk *w, LLVMValueRef v)
{
    unsigned n = LLVMCountParams(w->a->ir.fn), i = 0;
    while (i < n && LLVMGetParam(w->a->ir.fn, i) != v)
        i++;
    unsigned space = yk_ir_space(v);
    if (i >= n || i >= YK_MAX_ARGS)
        w->p.unknown = true;
    else if (space == YK_SPACE_LOCAL)
        w->p.local = true;
    else if (space == YK_SPACE_PRIVATE)
        w->p.private_ = true; /* a struct by value */
    else
        w->p.args[i / 64] |= UINT64_C(1) << i % 64;
}

static void global_variable(struct walk *w, LLVMValueRef v)
{
    switch (yk_ir_space(v)) {
    case YK_SPACE_LOCAL:
        w->p.local = true;
        break;
    case YK_SPACE_CONSTANT:
        w->p.constant = true;
        break;
    default:
        if (LLVMIsGlobalConstant(v))
            w->p.constant = true;
        else
            w->p.program = true;
    }
}

/* A pointer that was kept in memory. */
static void loaded(struct walk *w, LLVMValueRef load)
{
    unsigned space = yk_ir_space(load);
    if (space == YK_SPACE_LOCAL) {
        w->p.local = true;
        return;
    }
    struct yk_places from = yk_places_of(w->a, LLVMGetOperand(load, 0));
    if (yk_places_shared(&from) || from.constant || from.unknown || from.from_memory)
        w->p.from_memory = true;
    else
        w->p.any_arg = true; /* private or local memory of the kernel: it can only have come from there */
    if (space == YK_SPACE_PRIVATE)
        w->p.private_ = true;
    if (space == YK_SPACE_GENERIC)
        w->p.local = w->p.private_ = true;
}

static void step(struct walk *w, LLVMValueRef v)
{
    if (LLVMIsAArgument(v)) {
        argument(w, v);
        return;
    }
    if (LLVMIsAGlobalVariable(v)) {
        global_variable(w, v);
        return;
    }
    if (LLVMIsAConstantPointerNull(v) || LLVMIsUndef(v))
        return;
    LLVMOpcode op = LLVMIsAInstruction(v)    ? LLVMGetInstructionOpcode(v)
                    : LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v)
                                             : (LLVMOpcode)0;
    switch (op) {
    case LLVMAlloca:
        w->p.private_ = true;
        break;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        visit(w, LLVMGetOperand(v, 0));
        break;
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            visit(w, LLVMGetIncomingValue(v, i));
        break;
    case LLVMSelect:
        visit(w, LLVMGetOperand(v, 1));
        visit(w, LLVMGetOperand(v, 2));
        break;
    case LLVMLoad:
        loaded(w, v);
        break;
    case LLVMIntToPtr:
        w->p.from_number = true;
        break;
    case LLVMExtractValue:
    case LLVMExtractElement:
        w->p.any_arg = w->p.private_ = w->p.local = true; /* built in registers */
        break;
    case LLVMCall:
        if (yk_call_of(v).class == YK_BI_CAST)
            visit(w, LLVMGetOperand(v, 0));
        else
            w->p.unknown = true;
        break;
    default:
        w->p.unknown = true;
    }
}

static struct yk_places walk_from(struct yk_analysis *a, LLVMValueRef v)
{
    struct walk w = {.a = a};
    visit(&w, v);
    while (w.done < w.n)
        step(&w, w.seen[w.done++]);
    return w.p;
}

struct yk_places yk_places_of(struct yk_analysis *a, LLVMValueRef v)
{
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&a->ir, v) : -1;
    if (i < 0)
        return walk_from(a, v);
    if (!a->places[i]) {
        /* A pointer that is loaded through itself, as in a walk along a list, meets this on the way round. */
        struct yk_places *kept = yk_arena_new(a->arena, struct yk_places), anywhere = {.unknown = true};
        if (!kept)
            return anywhere;
        *kept = anywhere;
        a->places[i] = kept;
        *kept = walk_from(a, v);
    }
    return *a->places[i];
}

bool yk_places_arg(const struct yk_places *p, unsigned i)
{
    return i < YK_MAX_ARGS && (p->args[i / 64] >> i % 64 & 1);
}

bool yk_places_shared(const struct yk_places *p)
{
    return p->args[0] || p->args[1] || p->args[2] || p->args[3] || p->any_arg || p->program || p->from_memory ||
           p->from_number || p->unknown;
}

struct yk_builtin yk_call_of(LLVMValueRef i)
{
    struct yk_builtin none = {.class = YK_BI_UNKNOWN};
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (!f || !LLVMIsAFunction(f) || LLVMGetIntrinsicID(f))
        return none;
    size_t n;
    const char *name = LLVMGetValueName2(f, &n);
    if (!LLVMIsDeclaration(f)) /* a helper that could not be inlined */
        return none;
    return yk_builtin_of(name);
}

bool yk_is_intrinsic(LLVMValueRef i, const char *name)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    size_t n;
    return f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) && !strncmp(LLVMGetValueName2(f, &n), name, strlen(name));
}

unsigned yk_line_of(LLVMValueRef i)
{
    return LLVMGetDebugLocLine(i);
}
