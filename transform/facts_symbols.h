/* What a kernel touches, as expressions: part of the facts. An expression is a node that refers to earlier nodes; an
 * access is the byte offset into a buffer argument, how many bytes, and the conditions under which it happens. Written
 * by yoke-transform (symbols.c), evaluated by facts_regions.c. Untrusted input like the rest of the record. */
#ifndef YK_TRANSFORM_FACTS_SYMBOLS_H
#define YK_TRANSFORM_FACTS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Integers of `bits` bits that wrap; signedness is the operation's, as in LLVM IR. a, b, c are numbers of earlier
 * nodes. */
enum yk_node_op {
    YK_NODE_CONST,     /* imm */
    YK_NODE_ARG,       /* bits of argument a, from byte imm on */
    YK_NODE_GLOBAL_ID, /* in dimension imm, as are the next six; dimensions of the full range */
    YK_NODE_LOCAL_ID,
    YK_NODE_GROUP_ID,
    YK_NODE_GLOBAL_SIZE,
    YK_NODE_LOCAL_SIZE,
    YK_NODE_NUM_GROUPS,
    YK_NODE_GLOBAL_OFFSET,
    YK_NODE_WORK_DIM,
    YK_NODE_UNKNOWN, /* any value, another one each time it is reached */
    YK_NODE_SOME,    /* one value that a could have */
    YK_NODE_JOIN,    /* a or b */
    YK_NODE_BELOW,   /* a, which is less than b (unsigned) where this is reached; SBELOW: signed */
    YK_NODE_SBELOW,
    YK_NODE_ADD,
    YK_NODE_SUB,
    YK_NODE_MUL,
    YK_NODE_UDIV,
    YK_NODE_SDIV,
    YK_NODE_UREM,
    YK_NODE_SREM,
    YK_NODE_SHL,
    YK_NODE_LSHR,
    YK_NODE_ASHR,
    YK_NODE_AND,
    YK_NODE_OR,
    YK_NODE_XOR,
    YK_NODE_ZEXT, /* of a */
    YK_NODE_SEXT,
    YK_NODE_TRUNC,
    YK_NODE_SELECT, /* a ? b : c */
    YK_NODE_UMIN,
    YK_NODE_UMAX,
    YK_NODE_SMIN,
    YK_NODE_SMAX,
    YK_NODE_EQ, /* one bit, as are the next five */
    YK_NODE_NE,
    YK_NODE_ULT,
    YK_NODE_ULE,
    YK_NODE_SLT,
    YK_NODE_SLE,
    YK_NODE_TRIP, /* how often a loop has gone round so far: it goes on while a + trip * b TEST c, see YK_TRIP */
    YK_NODE_IOTA, /* each of 0 .. a - 1 in turn */
    YK_NODE_OP_COUNT
};

/* imm of a TRIP: the comparison, and the bits of the counter that is compared, which may be fewer than a's */
#define YK_TRIP(test, counter) ((int64_t)(test) | (int64_t)(counter) << 8)
#define YK_TRIP_TEST(imm)      ((unsigned)((imm)&255))
#define YK_TRIP_COUNTER(imm)   ((unsigned)((imm) >> 8))

enum yk_trip_test {
    YK_TRIP_ULT,
    YK_TRIP_ULE,
    YK_TRIP_UGT,
    YK_TRIP_UGE,
    YK_TRIP_SLT,
    YK_TRIP_SLE,
    YK_TRIP_SGT,
    YK_TRIP_SGE,
    YK_TRIP_NE,
    YK_TRIP_UNKNOWN, /* nobody knows how often */
    YK_TRIP_TEST_COUNT
};

struct yk_facts_node {
    uint8_t op;   /* enum yk_node_op */
    uint8_t bits; /* 1..64 */
    uint16_t a, b, c;
    int64_t imm;
};

struct yk_facts_guard {
    uint16_t node; /* of one bit */
    bool want;     /* the access happens only where node is this */
};

enum yk_access_kind {
    YK_ACCESS_READ,
    YK_ACCESS_WRITE,
    YK_ACCESS_ATOMIC, /* any; from the next one on: an integer's, its result not used */
    YK_ACCESS_ADD,
    YK_ACCESS_AND,
    YK_ACCESS_OR,
    YK_ACCESS_XOR,
    YK_ACCESS_SMIN,
    YK_ACCESS_SMAX,
    YK_ACCESS_UMIN,
    YK_ACCESS_UMAX,
    YK_ACCESS_KIND_COUNT
};

struct yk_facts_access {
    uint16_t arg;
    uint8_t kind;            /* enum yk_access_kind */
    bool exact;              /* it happens wherever the guards hold, and touches every one of its bytes */
    uint32_t bytes;          /* from the offset on */
    uint16_t node;           /* byte offset in the buffer, 64 bits */
    uint16_t nguards, guard; /* kernel->guard[guard .. guard + nguards) */
};

/* Enough for kernels of thousands of lines; beyond that whole buffers are brought. */
enum { YK_MAX_NODES = 4096, YK_MAX_ACCESSES = 512, YK_MAX_GUARDS = 8192 };

/** Name in the record; NULL beyond the last. */
const char *yk_node_op_name(unsigned op);
const char *yk_access_kind_name(unsigned kind);
/** How many of a, b, c the operation uses. */
unsigned yk_node_operands(unsigned op);
/** Does it use imm? */
bool yk_node_has_imm(unsigned op);

/**
 * Is node N, which has number I among NODE, well formed: earlier operands of fitting widths, a known operation?
 * Arguments are not looked at. Cost: O(1).
 */
bool yk_node_valid(const struct yk_facts_node *node, size_t i);

#endif
