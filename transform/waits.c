/* Loops that wait for what another work-group writes: they read global memory again and again, and nothing else of what
 * ends them changes. */
#include "transform/analysis.h"

struct slice {
    struct yk_analysis *a;
    const struct yk_ir_loop *loop;
    unsigned *seen; /* per instruction: in which round */
    unsigned round;
    unsigned *stack, n;
    bool reads, advances;
};

static void push(struct slice *s, LLVMValueRef v)
{
    int i = LLVMIsAInstruction(v) ? yk_ir_inst(&s->a->ir, v) : -1;
    if (i < 0 || s->seen[i] == s->round || !s->loop->in[s->a->ir.inst_block[i]])
        return; /* the same every time round */
    s->seen[i] = s->round;
    s->stack[s->n++] = (unsigned)i;
}

static void follow(struct slice *s, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI: {
        unsigned b = yk_ir_block(&s->a->ir, LLVMGetInstructionParent(v));
        for (unsigned l = 0; l < s->a->ir.nloops; l++)
            if (s->a->ir.loop[l].header == b) {
                s->advances = true; /* a counter, a cursor... */
                return;
            }
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            push(s, LLVMGetIncomingValue(v, i));
        return;
    }
    case LLVMLoad: {
        struct yk_places p = yk_places_of(s->a, LLVMGetOperand(v, 0));
        if (yk_places_shared(&p))
            s->reads = true;
        else if (!p.constant)
            s->advances = true; /* private or local memory may count */
        break;
    }
    case LLVMCall: {
        struct yk_builtin b = yk_call_of(v);
        if (b.class == YK_BI_ATOMIC || b.class == YK_BI_LOAD || b.class == YK_BI_UNKNOWN)
            s->reads = true;
        break;
    }
    default:
        break;
    }
    for (int i = LLVMGetNumOperands(v); i--;)
        push(s, LLVMGetOperand(v, (unsigned)i));
}

/* What decides at the end of block B whether the loop ends. */
static void exit_condition(struct slice *s, unsigned b)
{
    s->round++;
    s->n = 0;
    s->reads = s->advances = false;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(s->a->ir.block[b]);
    if (LLVMGetNumOperands(t))
        push(s, LLVMGetOperand(t, 0));
    while (s->n)
        follow(s, s->a->ir.inst[s->stack[--s->n]]);
}

static bool leaves(const struct yk_ir_kernel *k, const struct yk_ir_loop *l, unsigned b)
{
    LLVMValueRef t = LLVMGetBasicBlockTerminator(k->block[b]);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        if (!l->in[yk_ir_block(k, LLVMGetSuccessor(t, i))])
            return true;
    return false;
}

yk_status yk_analyse_waits(struct yk_analysis *a)
{
    const struct yk_ir_kernel *k = &a->ir;
    struct slice s = {.a = a};
    s.seen = yk_arena_array(a->arena, unsigned, k->ninsts);
    s.stack = yk_arena_array(a->arena, unsigned, k->ninsts);
    if (!s.seen || !s.stack)
        return YK_ENOMEM;
    for (unsigned l = 0; l < k->nloops; l++) {
        bool waits = false, ends = false;
        unsigned line = 0;
        s.loop = &k->loop[l];
        for (unsigned b = 0; b < k->nblocks; b++) {
            if (!s.loop->in[b] || !leaves(k, s.loop, b))
                continue;
            exit_condition(&s, b);
            if (s.reads && !s.advances) {
                waits = true;
                line = yk_line_of(LLVMGetBasicBlockTerminator(k->block[b]));
            } else if (s.advances) {
                ends = true;
            }
        }
        if (waits && !ends && !a->k->waits) {
            a->k->waits = true;
            a->found.wait_line = line;
        }
    }
    return YK_OK;
}
