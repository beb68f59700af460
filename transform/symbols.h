/* Values of a kernel as expressions over ids, sizes and scalar arguments: the nodes of the record. Called by touches.c.
 * Never fails: what is not understood is an UNKNOWN node. */
#ifndef YK_TRANSFORM_SYMBOLS_H
#define YK_TRANSFORM_SYMBOLS_H

#include <llvm-c/Target.h>
#include "base/array.h"
#include "transform/analysis.h"

enum yk_symbols_loop_state { YK_LOOP_NEW, YK_LOOP_OPEN, YK_LOOP_DONE };

/* A loop, and the condition that ends it where that is linear in the number of rounds. */
struct yk_symbols_loop {
    enum yk_symbols_loop_state state;
    int trip;            /* node, once DONE */
    LLVMValueRef phi;    /* the counter that the condition tests; NULL: unknown */
    unsigned limit;      /* node: it stays below this ... */
    bool below, sbelow;  /* ... where this is set and the loop goes on (unsigned; signed) */
    unsigned test, next; /* blocks: the one that tests, its successor inside */
    bool single;         /* nothing else ends the loop */
};

struct yk_symbols {
    struct yk_analysis *a;
    struct yk_flow post; /* postdominators */
    YK_ARRAY(struct yk_facts_node) node;
    int *memo;                    /* node of an instruction that is a scalar; -1: not asked for yet */
    struct yk_symbols_loop *loop; /* per loop */
    int *same;                    /* hash table of nodes: number or -1 */
    unsigned depth;               /* of the recursion */
    bool full;                    /* too many nodes: the result is not to be used */
    LLVMTargetDataRef layout;
};

/** Owns: in a->arena but for the nodes, which yk_symbols_finish releases. Errors: YK_ENOMEM. */
yk_status yk_symbols_init(struct yk_symbols *s, struct yk_analysis *a);
void yk_symbols_finish(struct yk_symbols *s);

/** Element LANE of integer V (0 for a scalar) as block USER sees it: a node of the width of V's elements. */
unsigned yk_symbols_value(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user);

/** NODE, computed in block B, as USER sees it: outside of a loop only one of its values is left. */
unsigned yk_symbols_outside(struct yk_symbols *s, unsigned node, unsigned b, unsigned user);
/** NODE, which is V as it comes to PHI: its block may be in a loop that PHI is not in, and the one it comes from too.
 */
unsigned yk_symbols_leaving(struct yk_symbols *s, unsigned node, LLVMValueRef v, LLVMValueRef phi);

/**
 * Where pointer V points, as block USER sees it: buffer argument *ARG and a 64-bit node, the byte offset, *NODE.
 * False: not known, or not always the same argument.
 */
bool yk_symbols_pointer(struct yk_symbols *s, LLVMValueRef v, unsigned user, unsigned *arg, unsigned *node);

/** Make a node. Equal nodes are the same node. */
unsigned yk_symbols_node(struct yk_symbols *s, enum yk_node_op op, unsigned bits, unsigned a, unsigned b, unsigned c,
                         int64_t imm);
unsigned yk_symbols_const(struct yk_symbols *s, unsigned bits, int64_t imm);
unsigned yk_symbols_unknown(struct yk_symbols *s, unsigned bits);
/** A as a signed number of 64 bits. */
unsigned yk_symbols_sext64(struct yk_symbols *s, unsigned a);

/* symbols_loop.c */
/** What is known of loop L, found out when first asked. */
const struct yk_symbols_loop *yk_symbols_loop(struct yk_symbols *s, unsigned l);
/** The loop that B is header of, or -1. */
int yk_symbols_loop_of(const struct yk_symbols *s, unsigned b);
/** PHI of loop L's header as start + round * step; false: it is something else. STEP_V the value of one step, NEG:
 * taken away. For pointers STEP is the GEP. */
bool yk_symbols_counter(struct yk_symbols *s, LLVMValueRef phi, unsigned l, LLVMValueRef *start, LLVMValueRef *step);
/** May node I change between rounds of a loop (does it depend on any loop's rounds or on anything unknown)? */
bool yk_symbols_varies(const struct yk_symbols *s, unsigned i);

/* symbols_call.c */
/** What a work-item may ask for along a dimension. */
struct yk_symbols_id {
    const char *name;
    enum yk_node_op op;
    int64_t beyond; /* in dimensions that no range has, at most: PoCL 3.1 has 0 where the specification has 1 */
};
/** NULL: function NAME asks for something else. */
const struct yk_symbols_id *yk_symbols_id(const char *name);
/** The value of call V (a scalar integer), element LANE. */
unsigned yk_symbols_call(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user);

/* guards.c */
/**
 * The conditions under which block B is reached, appended to G. True: it is reached exactly where they hold, in every
 * round of its loops that they allow. Errors: out of memory counts as not exact.
 */
struct yk_guards {
    YK_ARRAY(struct yk_facts_guard) v;
};
bool yk_guards_of(struct yk_symbols *s, unsigned b, struct yk_guards *g);

#endif
