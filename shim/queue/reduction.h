/* Buffers that a launch touches by atomics alone, whose results nobody uses and whose order does not matter: one taker,
 * the home, works on the buffer itself, every other one on a buffer of its own that begins with numbers which change
 * nothing; at the end each of those is combined with the home's, exactly as if all had worked on one. Who uses it:
 * share.c. */
#ifndef YK_SHIM_QUEUE_REDUCTION_H
#define YK_SHIM_QUEUE_REDUCTION_H

#include "shim/queue/decide.h"
#include "transform/facts_regions.h"

enum { YK_REDUCTION_SPANS = 8 };

struct yk_reduction {
    unsigned arg;
    struct yk_mem *mem; /* borrowed from the launch's arguments */
    unsigned nspans;
    struct {
        size_t off, len; /* of the argument */
        unsigned kind;   /* enum yk_access_kind */
        unsigned size;   /* of a number: 4 or 8 */
    } span[YK_REDUCTION_SPANS];
    cl_mem apart[YK_MAX_DEVICES]; /* a taker's own; NULL at home */
    unsigned char *before;        /* the argument's bytes before the launch */
};

struct yk_reductions {
    struct yk_reduction *v;
    unsigned n, home;
};

/** Those of L. Errors: YK_ENOMEM; YK_EINVAL: it cannot be split (kinds meet at one place, or another argument is the
 * same memory). */
yk_status yk_reductions_collect(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                                struct yk_reductions *s);
/** Is argument I one of them? */
bool yk_reductions_have(const struct yk_reductions *s, unsigned i);
/** The home gets the bytes, and they are kept. Errors: OpenCL's. */
cl_int yk_reductions_bring(struct yk_reductions *s, unsigned home, uint64_t *moved);
/** DEV, not the home, gets buffers of its own as arguments of K. Errors: OpenCL's. */
cl_int yk_reductions_apart(struct yk_reductions *s, unsigned dev, cl_kernel k);
/** Combine what the devices in USED have; the host is newest then. Errors: OpenCL's, *BAD the device. */
cl_int yk_reductions_merge(struct yk_reductions *s, const bool *used, unsigned *bad, uint64_t *moved);
/** The bytes before the launch again; nobody writes any more. */
void yk_reductions_restore(struct yk_reductions *s);
/** The launch has failed for good. */
void yk_reductions_lose(struct yk_reductions *s);
void yk_reductions_finish(struct yk_reductions *s);

#endif
