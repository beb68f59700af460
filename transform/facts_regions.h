/* What a box of work-groups touches: the accesses of the facts, evaluated with a launch's real arguments and sizes. Who
 * uses it: the shim's planner, tests, benches. Pure.
 *
 * Reads are never missed: every byte that the box reads lies in a read region (or outside of the buffer). Writes are
 * never missed either. A write that is `exact` is complete: the box writes every byte of the region, whatever the
 * buffers hold. */
#ifndef YK_TRANSFORM_FACTS_REGIONS_H
#define YK_TRANSFORM_FACTS_REGIONS_H

#include "base/array.h"
#include "partitioner/plan.h"
#include "partitioner/range.h"
#include "transform/facts.h"
#include "transform/facts_form.h"

/* An argument's value: bytes of a scalar or struct, or a buffer's size. */
struct yk_reach_arg {
    const void *bytes; /* NULL: not a value */
    uint64_t size;     /* of the value or the buffer */
};

struct yk_reach_launch {
    unsigned dims;
    uint64_t groups[3], local[3], offset[3]; /* of the full range; 1, 1, 0 beyond dims */
    const struct yk_reach_arg *arg;          /* as many as the kernel's nargs */
};

struct yk_touch {
    struct yk_region region; /* bytes of the buffer, inside of it */
    uint16_t arg;
    uint8_t kind; /* enum yk_access_kind */
    bool exact;   /* of writes */
    bool whole;   /* nothing better than the whole buffer is known */
};

struct yk_reach {
    YK_ARRAY(struct yk_touch) touch;
    struct yk_form *form; /* per node, scratch */
    size_t nforms;
    struct yk_form_vars vars;
};

/**
 * What BOX touches, into R->touch, which is emptied first. R starts zeroed and may be used again and again.
 * Owns: yk_reach_finish releases. Thread: one at a time per R. Errors: YK_ENOMEM.
 * Cost: a few microseconds; O(nodes + accesses * regions).
 */
yk_status yk_reach_box(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                       const struct yk_box *box);
/** The same for all boxes of SHARE together. */
yk_status yk_reach_share(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                         const struct yk_share *share);
void yk_reach_finish(struct yk_reach *r);

/* facts_eval.c: variables 0..2 are group ids, 3..5 local ids, of the box. */
void yk_reach_forms(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                    const struct yk_box *box);

/* What a set of conditions says. */
enum { YK_REACH_CONDITIONS = 16 };
struct yk_conditions {
    unsigned n;
    struct yk_form at_least_0[YK_REACH_CONDITIONS];
    struct yk_form not_0; /* if CROSSES: it passes through 0, and must not be it */
    bool crosses;
    bool unknown; /* more is asked for than all these say */
    bool never;   /* they cannot hold */
};
/** None yet. The room for them is not touched: it is large for a launch's few microseconds. */
static inline void yk_conditions_init(struct yk_conditions *c)
{
    c->n = 0;
    c->crosses = c->unknown = c->never = false;
}
/** Add what it takes for NODE to be WANT. */
void yk_reach_condition(const struct yk_facts_kernel *k, struct yk_reach *r, unsigned node, bool want,
                        struct yk_conditions *c);

/* facts_shape.c: numbers start + sum of k*[0,count) + [0,bytes), as a region. */
struct yk_strides {
    unsigned n;
    struct yk_stride {
        int64_t k; /* > 0 */
        uint64_t count;
    } v[YK_FORM_TERMS];
};
/** The region they make; *EXACT stays true only if it has no other byte. START may be negative: the region is returned
 * with offsets counted from it. */
struct yk_region yk_strides_region(struct yk_strides *s, uint64_t bytes, bool *exact);
/** Make A the union of A and B; false: that is no region. */
bool yk_region_join(struct yk_region *a, const struct yk_region *b);
/** One past the last byte. */
uint64_t yk_region_end(const struct yk_region *r);

#endif
