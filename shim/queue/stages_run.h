/* A chain as it was planned, on one device or several: its stages (stages_flow.h), and what the program sees of them.
 * Who uses it: stages.c. */
#ifndef YK_SHIM_QUEUE_STAGES_RUN_H
#define YK_SHIM_QUEUE_STAGES_RUN_H

#include "shim/queue/stages_plan.h"

/**
 * Run CHAIN as PLAN says. KERNEL, one for each side, has the launch's arguments but the hidden ones. Returns how many
 * commands of the chain have been dealt with, from the first: their events are set, failures remembered by the queue.
 * Where a transfer failed the rest is still to be carried out, as it is; none: all of it, which where they lie
 * apart is also what becomes of a launch that failed: *FAILED is the device then, else YK_MAX_DEVICES.
 * *SECONDS: how long the primary was at work on its parts. Thread: the queue's worker; no lock held.
 */
unsigned yk_stages_carry(struct yk_chain *chain, struct yk_stages_plan *plan, const struct yk_facts_kernel *f,
                         const cl_kernel *kernel, double *seconds, unsigned *failed);

/** The memory of C's transfers is about to be moved (yk_inplace_note). Thread: the queue's worker. */
void yk_stages_note_memory(const struct yk_chain *c, bool at_once);

#endif
