/* Under which conditions a block is reached: from it back along what it is control dependent on. */
#include "transform/symbols.h"

struct edge {
    unsigned from, to;
};

enum { MAX_EDGES = 16, MAX_LEVELS = 64, MAX_BLOCKS = 2000 };

/* Edges FROM -> TO such that X is sure to be reached behind them, and not sure before. At most MAX_EDGES + 1 are
 * counted.
 */
static unsigned depends(const struct yk_symbols *s, unsigned x, struct edge *e)
{
    const struct yk_flow *f = &s->a->ir.flow;
    unsigned n = 0;
    for (unsigned b = 0; b < f->n; b++) {
        if (f->nsucc[b] < 2 || f->place[b] == f->n || (b != x && yk_flow_dominates(&s->post, x, b)))
            continue;
        for (unsigned i = 0; i < f->nsucc[b] && n <= MAX_EDGES; i++) {
            unsigned to = f->succ[b][i];
            if (to != x && !yk_flow_dominates(&s->post, x, to))
                continue;
            if (n < MAX_EDGES)
                e[n] = (struct edge){b, to};
            n++;
        }
    }
    return n;
}

/* The condition of edge E appended to G; false: it cannot be said. */
static bool condition(struct yk_symbols *s, struct edge e, struct yk_guards *g)
{
    LLVMValueRef t = LLVMGetBasicBlockTerminator(s->a->ir.block[e.from]);
    struct yk_facts_guard one = {.want = true};
    if (LLVMIsABranchInst(t) && LLVMIsConditional(t)) {
        one.node = (uint16_t)yk_symbols_value(s, LLVMGetCondition(t), 0, e.from);
        one.want = s->a->ir.flow.succ[e.from][0] == e.to;
    } else if (LLVMIsASwitchInst(t)) {
        /* Operands: value, default, then case and block in turn. */
        LLVMValueRef v = LLVMGetOperand(t, 0), only = NULL;
        if (s->a->ir.flow.succ[e.from][0] == e.to)
            return false;
        for (int i = 2; i + 1 < LLVMGetNumOperands(t); i += 2) {
            LLVMBasicBlockRef to = LLVMValueAsBasicBlock(LLVMGetOperand(t, (unsigned)i + 1));
            if (yk_ir_block(&s->a->ir, to) != e.to)
                continue;
            if (only)
                return false;
            only = LLVMGetOperand(t, (unsigned)i);
        }
        if (!only || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
            return false;
        unsigned x = yk_symbols_value(s, v, 0, e.from), y = yk_symbols_value(s, only, 0, e.from);
        one.node = (uint16_t)yk_symbols_node(s, YK_NODE_EQ, 1, x, y, 0, 0);
    } else {
        return false;
    }
    return !s->full && yk_array_push(&g->v, one);
}

/* Is every loop around A also around B? */
static bool inside_loops_of(const struct yk_ir_kernel *k, unsigned a, unsigned b)
{
    for (unsigned l = 0; l < k->nloops; l++)
        if (k->loop[l].in[a] && !k->loop[l].in[b])
            return false;
    return true;
}

/* Every loop around B must end by its counter's test alone, and B must lie behind that test: one of the edges PASSED.
 */
static bool loops_exact(struct yk_symbols *s, unsigned b, const struct edge *passed, unsigned n)
{
    for (unsigned l = 0; l < s->a->ir.nloops; l++) {
        if (!s->a->ir.loop[l].in[b])
            continue;
        const struct yk_symbols_loop *p = yk_symbols_loop(s, l);
        bool behind = false;
        for (unsigned i = 0; i < n; i++)
            behind |= passed[i].from == p->test && passed[i].to == p->next;
        if (!p->single || !behind)
            return false;
    }
    return true;
}

bool yk_guards_of(struct yk_symbols *s, unsigned b, struct yk_guards *g)
{
    const struct yk_ir_kernel *k = &s->a->ir;
    const struct yk_flow *f = &k->flow;
    struct edge e[MAX_EDGES], passed[MAX_LEVELS];
    unsigned npassed = 0, x = b;
    if (f->place[b] == f->n || s->post.place[b] == s->post.n)
        return false;
    bool exact = k->nblocks <= MAX_BLOCKS;
    for (unsigned level = 0; exact || level < MAX_LEVELS; level++) {
        unsigned n = level < MAX_LEVELS && k->nblocks <= MAX_BLOCKS ? depends(s, x, e) : MAX_EDGES + 1;
        unsigned before = 0, which = 0, beside = 0;
        if (n > MAX_EDGES)
            return false;
        for (unsigned i = 0; i < n; i++) {
            if (e[i].from != x && yk_flow_dominates(f, e[i].from, x)) {
                which = i;
                before++;
            } else if (!yk_flow_dominates(f, x, e[i].from)) {
                beside++; /* not the way round a loop: one of several ways to get here */
            }
        }
        if (before == 1 && !beside) {
            /* What a loop computed is one of its values to those behind it. */
            if (!inside_loops_of(k, e[which].from, b) || !condition(s, e[which], g))
                exact = false;
            passed[npassed++] = e[which];
            x = e[which].from;
            continue;
        }
        if (before || beside)
            exact = false;
        /* On with what is always passed before. */
        if (f->idom[x] == x)
            return exact && loops_exact(s, b, passed, npassed);
        x = f->idom[x];
    }
    return false;
}
