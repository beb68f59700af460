/* The three stages of a chain, each with a thread and a queue of its own. Who uses it: stages.c. */
#ifndef YK_SHIM_QUEUE_STAGES_RUN_H
#define YK_SHIM_QUEUE_STAGES_RUN_H

#include "shim/queue/stages_plan.h"

/**
 * Run CHAIN as PLAN says. KERNEL has the launch's arguments but the hidden ones. Returns how many commands of the chain
 * have been dealt with, from the first: their events are set, failures remembered by the queue. Where a transfer failed
 * the rest is still to be carried out, as it is; none: all of it.
 * *SECONDS: how long the device was at work on the parts. Thread: the queue's worker; no lock held.
 */
unsigned yk_stages_carry(struct yk_chain *chain, const struct yk_stages_plan *plan, const struct yk_facts_kernel *f,
                         cl_kernel kernel, double *seconds);

#endif
