/* What a divided launch that is over says of those to come. Who uses it: share.c, flights.c. Thread: the worker's; no
 * lock held. */
#ifndef YK_SHIM_QUEUE_SHARE_LEARN_H
#define YK_SHIM_QUEUE_SHARE_LEARN_H

#include "shim/queue/taker.h"

/** Keep what was measured of N takers, and notice launches for which splitting does not pay: WALL seconds have gone by
 * since it was begun to be decided on, but for what was brought. */
void yk_share_learn(struct yk_share_work *w, const struct yk_taker *t, unsigned n, double wall);

/** What whole launches have waited for since, in ms, because the last such launch left its results on several devices.
 */
double yk_share_fetched(const struct yk_launch *l, const struct yk_facts_kernel *f);

/** A launch has taken SECONDS from the decision on, with what was brought and put together, and FETCHED_MS of others.
 */
void yk_share_settle(struct yk_code *code, const struct yk_decision *d, double seconds, double fetched_ms);

#endif
