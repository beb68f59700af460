/* A launch in parts beside its own transfers on several devices, each with its own link (stages_plan.h): which launches
 * may be, which are rather divided, and where every byte is afterwards. Who uses it: stages_plan.c, stages.c,
 * stages_run.c. */
#ifndef YK_SHIM_QUEUE_STAGES_APART_H
#define YK_SHIM_QUEUE_STAGES_APART_H

#include "shim/queue/stages_plan.h"

/** How many other devices could take a share of launches? F: of this kernel; NULL: of any. CPUs are kept from those of
 * a GPU's that may round differently. Thread: any. Cost: some loads, as of the next two. */
unsigned yk_stages_others(const struct yk_facts_kernel *f);

/** How long so many bytes take over the primary's link in the direction that takes longer. */
double yk_stages_longer_ms(size_t in, size_t out);

/** Is L rather divided among devices, now or when they are ready, than run beside its own transfers of IN and OUT
 * bytes? These are then before and after it. Until its time is known, or others are ready for one that is not long, the
 * primary is all there is. */
bool yk_stages_rather_divided(const struct yk_launch *l, const struct yk_facts_kernel *f, size_t in, size_t out);

/** The devices that may carry out parts of CHAIN's launch, into DEV (YK_MAX_DEVICES): the primary first, then others
 * like it with memory of their own, that are ready for its kernel and have its buffers, which are made. How many: 1,
 * the primary alone. Thread: the worker's; no lock held. Cost: microseconds, but for making buffers. */
unsigned yk_stages_devices(const struct yk_chain *chain, const struct yk_facts_kernel *f, unsigned *dev);

/** May what the primary alone carries out of CHAIN be brought from where chains before have left it? */
bool yk_stages_may_gather(const struct yk_chain *chain, const struct yk_facts_kernel *f);

/** What P writes: is every byte of it, and are they contiguous? */
bool yk_stages_all(const struct yk_part *p);

/** What each of P's sides reads and writes, into it. False: it may not run apart. */
bool yk_stages_part(const struct yk_chain *chain, const struct yk_facts_kernel *f, struct yk_stages_plan *p);

/** Have the bytes that P's sides read and CHAIN does not write brought to them. Errors: the driver's; nothing is lost.
 * Thread: the worker's; no lock held. */
cl_int yk_stages_bring(const struct yk_chain *chain, struct yk_stages_plan *p);

/** All parts of P have run: record where what was written is. */
void yk_stages_record(const struct yk_stages_plan *p);

#endif
