/* What a kernel does to memory that others see. */
#include <string.h>
#include "transform/analysis.h"
#include "transform/assembly.h"

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static void note(unsigned *line, LLVMValueRef i, bool *flag)
{
    if (!*flag)
        *line = yk_line_of(i);
    *flag = true;
}

/* A pointer that we could not follow to its buffer. */
static void judge_pointer(struct yk_analysis *a, const struct yk_places *p)
{
    if (p->program)
        a->k->program_scope = true;
    if (a->found.pointer)
        return;
    if (p->from_memory)
        a->found.pointer = "follows a pointer kept in a buffer";
    else if (p->from_number)
        a->found.pointer = "makes a pointer from a number";
    else if (p->unknown)
        a->found.pointer = "uses a pointer that yoke cannot follow to its buffer";
}

enum { READ = 1, WRITE = 2, PLAIN = 4 };

static void touch(struct yk_analysis *a, const struct yk_places *p, unsigned how)
{
    judge_pointer(a, p);
    for (unsigned i = 0; i < a->k->nargs; i++) {
        struct yk_facts_arg *arg = &a->k->arg[i];
        if (arg->kind != YK_ARG_GLOBAL ||
            !(yk_places_arg(p, i) || p->any_arg || p->unknown || p->from_memory || p->from_number))
            continue;
        arg->read |= (how & READ) != 0;
        arg->written |= (how & WRITE) != 0;
        arg->plain_read |= how & PLAIN && how & READ;
        arg->plain_written |= how & PLAIN && how & WRITE;
    }
}

static void plain(struct yk_analysis *a, LLVMValueRef pointer, unsigned how)
{
    struct yk_places p = yk_places_of(a, pointer);
    touch(a, &p, how | PLAIN);
}

/* Is the value of I used? */
static bool used(LLVMValueRef i)
{
    return LLVMGetFirstUse(i) != NULL;
}

static void atomic(struct yk_analysis *a, LLVMValueRef i, LLVMValueRef pointer, uint32_t op, bool result_used)
{
    struct yk_places p = yk_places_of(a, pointer);
    if (!yk_places_shared(&p))
        return; /* local */
    note(&a->found.atomic_line, i, &a->k->global_atomics);
    touch(a, &p, READ | (op == YK_ATOMIC_LOAD ? 0 : WRITE));
    LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(pointer));
    bool real = yk_ir_is_float(e) || yk_ir_is_float(LLVMTypeOf(i));
    for (unsigned k = 0; k < a->k->nargs; k++) {
        struct yk_facts_arg *arg = &a->k->arg[k];
        if (arg->kind != YK_ARG_GLOBAL || !(yk_places_arg(&p, k) || p.any_arg || p.unknown))
            continue;
        arg->reduces = (arg->reduces || !arg->atomic) && !result_used && !real && !p.any_arg && !p.unknown &&
                       yk_atomic_kind(i, pointer) != YK_ACCESS_ATOMIC;
        arg->atomic = true;
        arg->atomic_ops |= op | (real ? YK_ATOMIC_FLOAT : 0);
        arg->atomic_used |= result_used;
    }
}

/* Pointers handed out of our sight: into memory, into numbers. */
static void escape(struct yk_analysis *a, LLVMValueRef pointer, LLVMValueRef into)
{
    struct yk_places p = yk_places_of(a, pointer);
    if (!yk_places_shared(&p) && !p.constant)
        return;
    struct yk_places to = {.unknown = true};
    if (into)
        to = yk_places_of(a, into);
    if (into && !yk_places_shared(&to))
        return; /* private or local: places.c follows it */
    if (!a->found.pointer)
        a->found.pointer = into ? "stores a pointer into a buffer" : "uses the address of a buffer as a number";
}

/* The difference of two pointers and comparisons are the same on every device; other uses of an address are not. */
static bool harmless_number(LLVMValueRef i)
{
    for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef v = LLVMGetUser(u);
        LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : (LLVMOpcode)0;
        bool difference =
            op == LLVMSub && LLVMIsAPtrToIntInst(LLVMGetOperand(v, 0)) && LLVMIsAPtrToIntInst(LLVMGetOperand(v, 1));
        bool null = op == LLVMICmp && (LLVMIsAConstant(LLVMGetOperand(v, 0)) || LLVMIsAConstant(LLVMGetOperand(v, 1)));
        if (!difference && !null)
            return false;
    }
    return true;
}

static void fence(struct yk_analysis *a, LLVMValueRef i, const struct yk_builtin *b)
{
    LLVMValueRef flags = LLVMGetOperand(i, 0);
    /* Bit 0 is local memory alone; anything else may be global. */
    if (LLVMIsAConstantInt(flags) && !(LLVMConstIntGetZExtValue(flags) & ~1ull) &&
        strcmp(b->name, "atomic_work_item_fence"))
        return;
    note(&a->found.fence_line, i, &a->k->fence);
}

/* The last argument that is a pointer, or NULL. */
static LLVMValueRef last_pointer(LLVMValueRef call)
{
    for (unsigned n = LLVMGetNumArgOperands(call); n--;)
        if (is_pointer(LLVMGetOperand(call, n)))
            return LLVMGetOperand(call, n);
    return NULL;
}

static const char *call_text(struct yk_analysis *a, const char *name)
{
    if (!name[0])
        return "a function that cannot be inlined";
    if (!strncmp(name, YK_IR_CUT, strlen(YK_IR_CUT)))
        return "functions too large to analyse";
    if (!strncmp(name, YK_ASSEMBLY_OTHER, strlen(YK_ASSEMBLY_OTHER))) {
        const char *what = name + strlen(YK_ASSEMBLY_OTHER);
        return yk_arena_printf(a->arena, "assembly (%.*s)", (int)strcspn(what, ")"), what);
    }
    return yk_arena_printf(a->arena, "%s", name);
}

static void unknown_call(struct yk_analysis *a, LLVMValueRef i, const char *name)
{
    if (!a->found.unknown_call) {
        a->found.unknown_call = call_text(a, name);
        a->found.unknown_line = yk_line_of(i);
    }
    for (unsigned n = LLVMGetNumArgOperands(i); n--;)
        if (is_pointer(LLVMGetOperand(i, n)))
            plain(a, LLVMGetOperand(i, n), READ | WRITE);
}

static void builtin(struct yk_analysis *a, LLVMValueRef i)
{
    struct yk_builtin b = yk_call_of(i);
    struct yk_facts_kernel *k = a->k;
    switch (b.class) {
    case YK_BI_UNKNOWN:
        unknown_call(a, i, b.name);
        break;
    case YK_BI_LOCAL_ID:
        k->local_size_matters |= !yk_local_size_cancels(i);
        break;
    case YK_BI_BARRIER:
        k->barrier = k->local_size_matters = true;
        break;
    case YK_BI_FENCE:
        fence(a, i, &b);
        break;
    case YK_BI_ATOMIC:
        atomic(a, i, LLVMGetOperand(i, 0), b.op, b.op == YK_ATOMIC_CMPXCHG || b.op == YK_ATOMIC_LOAD ? true : used(i));
        break;
    case YK_BI_MATH_POINTER:
        plain(a, LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1), WRITE);
        break;
    case YK_BI_LOAD:
        plain(a, last_pointer(i), READ);
        break;
    case YK_BI_STORE:
    case YK_BI_STORE_ROUNDED:
        plain(a, last_pointer(i), WRITE);
        break;
    case YK_BI_COPY:
        plain(a, LLVMGetOperand(i, 0), WRITE);
        plain(a, LLVMGetOperand(i, 1), READ);
        k->local_size_matters = true;
        break;
    case YK_BI_PRINT:
        note(&a->found.print_line, i, &k->print);
        break;
    case YK_BI_IMAGE_READ:
    case YK_BI_IMAGE_READ_FLOAT:
        k->images_read = true;
        break;
    case YK_BI_IMAGE_WRITE:
        k->images_written = true;
        break;
    case YK_BI_GROUP:
        k->group_functions = k->local_size_matters = true;
        break;
    case YK_BI_SUB_GROUP:
        k->sub_groups = k->local_size_matters = true;
        break;
    case YK_BI_PIPE:
        a->found.pipe = b.name[0] ? "uses a pipe" : NULL;
        break;
    case YK_BI_ENQUEUE:
        k->enqueues = true;
        break;
    default:
        break;
    }
}

static void call(struct yk_analysis *a, LLVMValueRef i)
{
    LLVMValueRef f = LLVMGetCalledValue(i);
    if (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f)) {
        builtin(a, i);
        return;
    }
    if (yk_is_intrinsic(i, "llvm.memcpy") || yk_is_intrinsic(i, "llvm.memmove")) {
        plain(a, LLVMGetOperand(i, 0), WRITE);
        plain(a, LLVMGetOperand(i, 1), READ);
    } else if (yk_is_intrinsic(i, "llvm.memset")) {
        plain(a, LLVMGetOperand(i, 0), WRITE);
    }
}

static void volatile_read(struct yk_analysis *a, LLVMValueRef i)
{
    struct yk_places p = yk_places_of(a, LLVMGetOperand(i, 0));
    if (yk_places_shared(&p))
        note(&a->found.volatile_line, i, &a->k->volatile_read);
}

static uint32_t rmw_op(LLVMValueRef i)
{
    switch (LLVMGetAtomicRMWBinOp(i)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
        return YK_ATOMIC_ADD;
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFSub:
        return YK_ATOMIC_ADD | YK_ATOMIC_FLOAT;
    case LLVMAtomicRMWBinOpAnd:
        return YK_ATOMIC_AND;
    case LLVMAtomicRMWBinOpOr:
        return YK_ATOMIC_OR;
    case LLVMAtomicRMWBinOpXor:
        return YK_ATOMIC_XOR;
    case LLVMAtomicRMWBinOpMin:
    case LLVMAtomicRMWBinOpUMin:
        return YK_ATOMIC_MIN;
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpUMax:
        return YK_ATOMIC_MAX;
    default:
        return YK_ATOMIC_XCHG;
    }
}

static void instruction(struct yk_analysis *a, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) {
            atomic(a, i, LLVMGetOperand(i, 0), YK_ATOMIC_LOAD, true);
            break;
        }
        plain(a, LLVMGetOperand(i, 0), READ);
        if (LLVMGetVolatile(i))
            volatile_read(a, i);
        break;
    case LLVMStore:
        if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) {
            atomic(a, i, LLVMGetOperand(i, 1), YK_ATOMIC_STORE, false);
            break;
        }
        plain(a, LLVMGetOperand(i, 1), WRITE);
        if (is_pointer(LLVMGetOperand(i, 0)))
            escape(a, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
        break;
    case LLVMAtomicRMW:
        atomic(a, i, LLVMGetOperand(i, 0), rmw_op(i), used(i));
        break;
    case LLVMAtomicCmpXchg:
        atomic(a, i, LLVMGetOperand(i, 0), YK_ATOMIC_CMPXCHG, true);
        break;
    case LLVMFence:
        note(&a->found.fence_line, i, &a->k->fence);
        break;
    case LLVMPtrToInt:
        if (!harmless_number(i))
            escape(a, LLVMGetOperand(i, 0), NULL);
        break;
    case LLVMCall:
        call(a, i);
        break;
    default:
        break;
    }
}

/* Variables that the kernel's own text declares __local. */
static bool uses_local_variables(const struct yk_analysis *a)
{
    for (unsigned i = 0; i < a->ir.ninsts; i++)
        for (int n = LLVMGetNumOperands(a->ir.inst[i]); n--;) {
            LLVMValueRef v = LLVMGetOperand(a->ir.inst[i], (unsigned)n);
            while (LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v))
                v = LLVMGetOperand(v, 0);
            if (LLVMIsAGlobalVariable(v) && yk_ir_space(v) == YK_SPACE_LOCAL)
                return true;
        }
    return false;
}

void yk_analyse_accesses(struct yk_analysis *a)
{
    for (unsigned i = 0; i < a->ir.ninsts; i++)
        instruction(a, a->ir.inst[i]);
    a->k->local_memory = uses_local_variables(a);
    a->k->local_size_matters |= a->k->local_memory;
    for (unsigned i = 0; i < a->k->nargs; i++)
        a->k->local_size_matters |= a->k->arg[i].kind == YK_ARG_LOCAL;
}
