/* The launches that a queue holds back, and giving them to the driver: merged where several can be. Who uses it:
 * gather.c, one thread at a time per object. */
#ifndef YK_SHIM_QUEUE_GATHERED_H
#define YK_SHIM_QUEUE_GATHERED_H

#include "partitioner/levels.h"
#include "shim/queue/merged.h"
#include "shim/queue/side.h"

/* A launch that is held, captured as little as can be. */
struct yk_held {
    struct yk_merged *m;  /* borrowed: the list holds the code, the code its build */
    struct yk_code *code; /* held by the list, as are the memory objects among the values */
    struct yk_event *ev;  /* held; NULL: nobody wants one */
    pthread_t by;
    size_t first;                        /* its values are value.v[first ...) of the list */
    uint32_t groups[3], local[3], total; /* 1 in dimensions that it lacks */
    unsigned level;
    bool has_offset;
    uint8_t dims;
    size_t offset[3]; /* 0 in dimensions that it lacks */
};

enum { YK_KEPT_SEEN = 64 };

struct yk_gathered {
    struct yk_held *v;
    size_t n, cap;
    YK_ARRAY(struct yk_value) value;
    YK_ARRAY(struct yk_handle *) kept; /* memory objects held for all the launches, most of them once */
    YK_ARRAY(struct yk_code *) codes;  /* likewise */
    const void *seen[YK_KEPT_SEEN];    /* some of the two, by a hash of the address */
    bool large;                        /* some values have bytes on the heap */
    uint64_t groups;
};

static inline const struct yk_value *yk_held_value(const struct yk_gathered *g, const struct yk_held *h)
{
    return g->value.v + h->first;
}

/* Bytes [from, to) of an argument's buffer that a launch touches, counted from its own beginning. */
struct yk_known_row {
    uint64_t from, to;
    uint32_t arg, write;
};

/* The tables of a queue's latest merged launches (transform/facts_merged.h): making a buffer for each costs a GPU's
 * driver more than the launch. */
enum { YK_TABLES = 8 };
struct yk_tables {
    struct {
        YK_ARRAY(unsigned char) host; /* the driver may still read it while `used` is not complete */
        cl_mem real;
        size_t size;   /* of real */
        cl_event used; /* the launch that reads it; NULL: none */
    } table[YK_TABLES];
    unsigned next;
    cl_mem none; /* a small buffer for parameters that no launch uses; NULL: not needed yet */
};

enum { YK_TOUCHES = 64 };
struct yk_touches {
    size_t n;
    struct yk_levels_touch v[YK_TOUCHES];
};

/** What R says of a launch of F's, into ROW, *N of them; regions of very many rows become one. False: too many. */
bool yk_touches_rows(struct yk_known_row row[YK_TOUCHES], size_t *n, const struct yk_facts_kernel *f,
                     const struct yk_reach *r);

/** ROW[0 .. N) of L as bytes of its stores. */
void yk_touches_make(struct yk_touches *t, const struct yk_launch *l, const struct yk_known_row *row, size_t n);

/** Capture L, of GROUPS work-groups and to be carried out at LEVEL. EV (may be NULL) is held. False: no memory. */
bool yk_gathered_add(struct yk_gathered *g, const struct yk_launch *l, struct yk_merged *m, const uint64_t *groups,
                     unsigned level, struct yk_event *ev);

/** Does somebody want an event of G's? */
bool yk_gathered_wanted(const struct yk_gathered *g);

/**
 * Give all of G to the driver, on the primary's queue of Q, whose tables are T and queues beside it SIDE: level by
 * level, what can be merged merged, what cannot maybe side by side. What is asked for by its event comes before what
 * was enqueued after it. Every event gets a real one or an error; failures are remembered by Q. Thread: nobody else
 * issues to Q. No lock held.
 */
void yk_gathered_issue(struct yk_gathered *g, struct yk_queue *q, struct yk_tables *t, struct yk_side *side);

/** Release what is captured; keeps the memory. No lock held. */
void yk_gathered_clear(struct yk_gathered *g);
void yk_gathered_finish(struct yk_gathered *g);

/** Waits for the launches that still read one. */
void yk_tables_finish(struct yk_tables *t);

#endif
