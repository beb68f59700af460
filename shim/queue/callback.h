/* The thread that calls the app's callbacks, so that they may call OpenCL. Started by the first callback; lives as long
 * as the process. Who uses it: event.c, object/ (build, destructor callbacks). */
#ifndef YK_SHIM_QUEUE_CALLBACK_H
#define YK_SHIM_QUEUE_CALLBACK_H

#include <stdbool.h>
#include "shim/queue/event.h"

/** Run FN(ARG) on the callback thread, in order of posting. False: no memory or thread; nothing will run. */
bool yk_callback_post(void (*fn)(void *arg), void *arg);

/** The same of EV: behind the callbacks of what comes before it in its queue. */
bool yk_callback_post_of(struct yk_event *ev, void (*fn)(void *arg), void *arg);

/** The same, but behind the callbacks of all events that are complete by now: what it tells of may be needed there. */
bool yk_callback_post_last(void (*fn)(void *arg), void *arg);

/** Wait, MS at most, until all that is due has been called, and what that brought forth. False: it has not. In a
 * callback itself nothing is waited for. Thread: any; no lock held. */
bool yk_callback_settle(unsigned ms);

/** May what is due at once be called by the calling thread itself, as a CPU's driver does, once what is due before it
 * has been? Not in a callback, and not where that waits. Thread: any; no lock held. Cost where something is due: as
 * yk_callback_due's. */
bool yk_callback_here(void);

/** Before a call returns after which a CPU's driver has called what is due: see to it. Some 20 us where something is;
 * 0.2 s once where a callback waits for the program. Thread: any; no lock held. */
void yk_callback_due(void);

/** The same, if it is of Q's commands: a function for another queue's may take its time. Cost where nothing is: two
 * loads. */
void yk_callback_due_in(const struct yk_queue *q);

/** Poll EV (which stands for a real event) until it is complete, then yk_event_set it: seen late by an eighth of the
 * time for which nothing has been complete, a millisecond at most. Holds EV meanwhile, and counts it in its queue's
 * WATCHED. */
bool yk_callback_watch(struct yk_event *ev);

/** Some of what is watched may be complete by now: have it looked at. Any thread; no lock above a leaf's. */
void yk_callback_look(void);

#endif
