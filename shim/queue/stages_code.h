/* What a launch that is run in parts on the primary alone needs of its program: facts, and the partition-ready program
 * where a kernel is launched from that. Kept per build apart from what splits over devices use, since programs on a
 * single device have none of that. Asked for when a launch is seen that would gain (stages.h). Who uses it: stages.c.
 */
#ifndef YK_SHIM_QUEUE_STAGES_CODE_H
#define YK_SHIM_QUEUE_STAGES_CODE_H

#include "shim/queue/launch.h"

struct yk_stages_code;

/**
 * The facts of L's kernel, where it can be run in parts now; NULL: it cannot, or not yet, and what is needed for it is
 * being made in the background. With YOKE_PIPELINE=force it is waited for.
 * Thread: the queue's worker; no lock held. Cost: loads where it is known; a look into the cache of facts where not.
 */
const struct yk_facts_kernel *yk_stages_facts(struct yk_launch *l);

/** B has been built: where this is cheap, on machines with cores to spare, have its kernels read before anything asks.
 * Thread: any; no lock held. Cost: a thread. */
void yk_stages_expect(struct yk_build *b);

/** A real kernel of L on the primary for parts of it, that nobody else uses; NULL: cannot be had. Give it back. */
struct yk_code_kernel *yk_stages_take(struct yk_launch *l, const struct yk_facts_kernel *f);
void yk_stages_give(struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_code_kernel *k);

/** Releases what BUILD has of all this. For build.c. */
void yk_stages_code_finish(struct yk_stages_code *s);

#endif
