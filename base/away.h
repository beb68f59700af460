/* Helpers that wake beside whom they help. Where processors are few and have been busy, Linux looks for no idle one
 * when a thread is woken (SIS_UTIL) but puts it where it slept, or on its waker's, who goes on computing there; a free
 * processor takes it away only after a tick or two, 4 ms each: half of a short launch. So whoever wakes a helper and
 * goes on computing asks that it be another one. Who uses it: crew.c and copiers.c. */
#ifndef YK_BASE_AWAY_H
#define YK_BASE_AWAY_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct yk_away {
    pid_t tid; /* of the helper, who sets it; 0: it is left where it wakes */
    bool set;  /* it may not use one of its processors for now */
    cpu_set_t before, now;
};

/** Are processors so few that Linux may look for no idle one? With more there is one nearly always, and it is found. */
bool yk_away_few(void);

/** The calling thread is the helper. */
void yk_away_begin(struct yk_away *a);

/** The helper sleeps and is about to be woken: not on the caller's processor. Nothing where processors are many, or
 * this is its only one. Cost: two system calls, 1 us. The caller keeps others from A. */
void yk_away_send(struct yk_away *a);

/** The helper is awake: as it was before, unless somebody else has changed that. The same. */
void yk_away_end(struct yk_away *a);

#endif
