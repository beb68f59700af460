/* A launch beside its own transfers: where an in-order queue has pending [non-blocking writes] launch [reads], and the
 * kernel's facts say which bytes each work-group touches, the launch is cut into parts (stages_plan.h) that follow one
 * another through three stages, each with a queue of its own on the primary: bytes in, work-groups, bytes out. The time
 * comes to what all parts need first plus the longest stage, instead of all stages together. Its slow twin is the same
 * commands one after the other. Who uses it: the worker of queue.c.
 *
 * The worker waits a moment for what belongs to a chain, unless the program waits already. What the program sees is
 * what it would see of the commands in their order: their events become complete in that order, writes when all their
 * memory has been read, and an error is that of its command; those behind it fail as they do behind any other.
 *
 * YOKE_PIPELINE: `off`, `auto` (default): large chains, where the primary is a GPU with memory of its own, unless the
 * launch is predicted to gain more by being divided among devices that are ready for it; for tests `force`: all, and a
 * number: all, in so many parts. */
#ifndef YK_SHIM_QUEUE_STAGES_H
#define YK_SHIM_QUEUE_STAGES_H

#include "shim/queue/command.h"
#include "shim/queue/stages_plan.h"

/** May C, the first pending command of its queue, begin a chain? Cost: loads. */
bool yk_stages_begins(const struct yk_command *c);

/**
 * The chain that begins with the queue's first command. May wait for what the program goes on enqueueing, at most 0.1
 * ms after the last. False: there is none, and *PLAIN commands are to be carried out as they are.
 * Thread: the worker, with the queue's lock held, which is dropped while it waits.
 */
bool yk_stages_collect(struct yk_queue *q, struct yk_chain *chain, unsigned *plain);

/**
 * Carry CHAIN out. Returns how many of its commands, from the first, have been dealt with, their events set. None: it
 * does not pay or cannot be done, nothing has changed. Thread: the worker; no lock held.
 */
unsigned yk_stages_run(struct yk_chain *chain);

#endif
