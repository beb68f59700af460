/* Which of the buffers that live in host memory lie on the primary for a while, as a whole: those that launches go on
 * using. One comes when windows of it have cost as many bytes as it has (so that at most twice as many move as if that
 * had been known from the start), and there is room for it beside those used sooner (partitioner/evict.h). Who uses it:
 * windows.c. Thread: the worker whose turn it is; no lock held. */
#ifndef YK_SHIM_QUEUE_TENANTS_H
#define YK_SHIM_QUEUE_TENANTS_H

#include "shim/queue/launch.h"
#include "shim/queue/windows_plan.h"

/** L's turn has come: its buffers have been used once more, and those of them come for which it pays. *MOVED grows by
 * the bytes that go either way. */
void yk_tenants_call(struct yk_launch *l, uint64_t *moved);

/** P has cost what its windows hold, for each buffer that is no tenant. */
void yk_tenants_paid(const struct yk_windows_plan *p);

/** All leave (as many as can), those of L too if OWN: L's windows have no room beside them. */
void yk_tenants_clear(struct yk_launch *l, bool own, uint64_t *moved);

/** Before L: what it touches of its tenants is newest there. F: known facts or NULL. Errors as yk_store_need. */
cl_int yk_tenants_bring(struct yk_launch *l, const struct yk_facts_kernel *f, uint64_t *moved);
/** After it: so is what it may have written. */
void yk_tenants_wrote(struct yk_launch *l, const struct yk_facts_kernel *f);

/** Are all of L's buffers that live on the host tenants? Then it needs no windows. */
bool yk_tenants_all(const struct yk_launch *l);

#endif
