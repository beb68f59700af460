/* The events that callbacks wait for and of which nobody but the driver tells. Who uses it: callback.c. All but
 * yk_watched_add and yk_watched_any are for its thread. */
#ifndef YK_SHIM_QUEUE_WATCHED_H
#define YK_SHIM_QUEUE_WATCHED_H

#include <stdbool.h>
#include "shim/queue/event.h"

/** Watch EV, which has a real event or will have one in a moment, held meanwhile and counted in its queue's WATCHED.
 * False: no memory. Thread: any. */
bool yk_watched_add(struct yk_event *ev);

/** Is anything watched that is not being looked at? Thread: any. */
bool yk_watched_any(void);

/** Since when the first of them has been watched; 0: none is. */
uint64_t yk_watched_since(void);

/** Look at them, and set those that are through. True: there were some. ALL, or only those that nobody before them in
 * their queue keeps from being complete. */
bool yk_watched_look(bool all);

/** They are being looked at one by one, so that a later one may be seen to be complete and an earlier one not. */
bool yk_watched_thorough(void);

/** EV is complete, said somebody but the driver, or the driver after it had said of an earlier one that it is not: set
 * what comes before it in its queue. */
void yk_watched_before(const struct yk_event *ev);

#endif
