/* The bytes a split launch may touch: its buffer arguments as disjoint ranges of stores. What each device reads is
 * brought to it; what it writes completely is recorded as newest there, and stays; what it may write is compared with
 * what it received and put together on the host. Who uses it: share.c (one worker thread at a time per list). */
#ifndef YK_SHIM_QUEUE_OPERAND_H
#define YK_SHIM_QUEUE_OPERAND_H

#include "shim/memory/post.h"
#include "shim/queue/decide.h"
#include "shim/queue/images.h"
#include "shim/queue/part.h"

enum yk_operand_how {
    YK_OPERAND_WHOLE, /* nothing is known: every taker gets all, all is compared */
    YK_OPERAND_EXACT, /* every write part is exact: nothing is compared */
    YK_OPERAND_BOUNDS /* each device's write parts, which are plain, are compared */
};

struct yk_operand {
    struct yk_store *store; /* borrowed from the launch's arguments */
    size_t off, len;
    bool read, written;
    enum yk_operand_how how;
    unsigned char *snapshot; /* of `kept` bytes from kept_at: what every device received; NULL where nobody needs it */
    size_t kept_at, kept;
};

struct yk_operands {
    struct yk_operand *v;
    unsigned n;
    struct yk_parts parts; /* of operands that are not WHOLE */
    struct yk_images images;
    struct yk_post post; /* what is brought and need not have arrived yet */
    bool waits;          /* but must have: the caller has other bytes brought before the shares run */
    uint32_t aside;      /* bit per device that is brought what it lacks while others run */
    uint64_t moved;      /* bytes transferred so far */
    bool by_kernel;      /* what is not exact is put together by a merge kernel, on device `merger` */
    unsigned merger;
    unsigned runs[YK_MAX_DEVICES]; /* who runs whose share */
    struct yk_launch *launch;      /* borrowed, as are the next two */
    const struct yk_facts_kernel *facts;
    const struct yk_decision *decision;
};

static inline size_t yk_part_length(const struct yk_part *p)
{
    return (size_t)(yk_region_end(&p->region) - p->region.offset);
}

/** Does P touch A? */
static inline bool yk_operand_has(const struct yk_part *p, const struct yk_operand *a)
{
    return p->store == a->store && p->region.offset >= a->off && p->region.offset < a->off + a->len;
}

/* operand_plan.c: which bytes, and how each of them is put together. */
/** The operands of L's arguments but for reductions (reduction.h), overlapping ones joined, as the takers of D touch
 * them. Errors: YK_ENOMEM. */
yk_status yk_operands_collect(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                              struct yk_operands *s);

/** The same operands for other shares; what is not exact will be compared. D lives as long as S or the next plan.
 * Errors: YK_ENOMEM. */
yk_status yk_operands_plan(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                           struct yk_operands *s);

/* operand.c: the bytes themselves, before and after. */
/** Decide which takers of D are brought what they lack, if anything, by threads of their own, beside the primary's
 * share, which works in the host's memory and would wait for them: those with memory of their own, late ones too, where
 * nothing is written that is read or has to be compared. yk_operands_bring leaves them out. */
void yk_operands_set_aside(struct yk_operands *s, const struct yk_decision *d);

/** Is each late taker of D one that nobody waits for: with the host's memory, or one of those? */
bool yk_operands_may_wait(const struct yk_operands *s, const struct yk_decision *d);

/** Is DEV one of those? */
static inline bool yk_operands_aside(const struct yk_operands *s, unsigned dev)
{
    return s->aside >> dev & 1;
}

/** Bring all that DEV, one of those, lacks; *MOVED grows by the bytes. Errors: an OpenCL code. Thread: any, one per
 * device; no lock held. */
cl_int yk_operands_bring_aside(const struct yk_operands *s, unsigned dev, uint64_t *moved);

/** Bring all to the devices that take a share (small pieces from device to device may be under way still, before
 * what the queues of the shares are given from now on), and keep snapshots where a device writes into a buffer of its
 * own (with YOKE_RECOVER wherever what is read is overwritten). Errors: an OpenCL code and the device that failed in
 * *BAD; nothing has been lost. */
cl_int yk_operands_bring(struct yk_operands *s, const struct yk_decision *d, unsigned *bad);

/** After the shares have run: has what was brought in good time arrived? Else the devices that ran on something else, a
 * bit each; the bytes before the launch survive. */
uint32_t yk_operands_lost(struct yk_operands *s);

/** May what S's shares write be recorded before they are over? It is exact, and in memory of the takers' own. */
bool yk_operands_flying(const struct yk_operands *s, const struct yk_decision *d);

/** Is all there that the takers of D need, so that yk_operands_bring copies nothing? Calls no driver. */
bool yk_operands_there(const struct yk_operands *s, const struct yk_decision *d);

/** What was to be device SHARE's share, of which nothing was begun, will be run by TO. Errors: an OpenCL code: TO has
 * not got it. */
cl_int yk_operands_move(struct yk_operands *s, unsigned share, unsigned to);

/** Record what the devices in USED have written; put what must be compared together in the host master, which is newest
 * then. Errors: an OpenCL code, and the device that failed in *BAD. */
cl_int yk_operands_merge(struct yk_operands *s, const bool *used, unsigned *bad);

/** Does DEV write into the host master, where others see it at once? */
bool yk_operands_in_master(const struct yk_operands *s, unsigned dev);

/**
 * Make the bytes before the launch newest again, on the host, whatever the devices have written since. Nobody writes
 * any more. False: they are gone, since some were overwritten in place and there is no snapshot; nothing has changed.
 */
bool yk_operands_restore(struct yk_operands *s);

/** The launch has failed for good: what it writes is lost. */
void yk_operands_lose(struct yk_operands *s);

void yk_operands_finish(struct yk_operands *s);

/* operand_merge.c: putting together on a device. */
/** Decide between merge kernel and comparing. */
void yk_operands_choose(struct yk_operands *s);
/** Put what the devices in USED have written and is not exact into the host master by the merge kernel. Errors as
 * yk_operands_merge. */
cl_int yk_operands_merge_by_kernel(struct yk_operands *s, const bool *used, unsigned *bad);

#endif
