/* One thread per real device that carries out shares of split launches: a driver may run a kernel on the thread that
 * waits for it (PoCL's basic device does), so that shares of several devices need several threads. Who uses it:
 * share.c; build_devices.c makes it ready. */
#ifndef YK_SHIM_QUEUE_CREW_H
#define YK_SHIM_QUEUE_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include "base/lock.h"

struct yk_task {
    void (*run)(struct yk_task *t);
    struct yk_task *next;
    unsigned done; /* 1: it is; atomic */
};

/** DEV will have something to do soon: start its thread now. One that begins when there is work is put on the processor
 * of its parent, which is at work too, and stays there for a tick or two of the scheduler even if another is free: 2 to
 * 4 ms of a first launch. A thread that sleeps is woken on a free one. Thread: any. */
void yk_crew_ready(unsigned dev);

/** Give T to DEV's thread (started when first needed). ON_PROCESSOR: both that thread and the caller will compute, so
 * they had better not share a processor. False: no thread; nothing happens. T stays the caller's memory until
 * yk_crew_wait. Thread: any. */
bool yk_crew_start(unsigned dev, struct yk_task *t, bool on_processor);
void yk_crew_wait(struct yk_task *t);

#endif
