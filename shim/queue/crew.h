/* One thread per real device that carries out shares of split launches: a driver may run a kernel on the thread that
 * waits for it (PoCL's basic device does), so that shares of several devices need several threads. Who uses it:
 * share.c. */
#ifndef YK_SHIM_QUEUE_CREW_H
#define YK_SHIM_QUEUE_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include "base/lock.h"

struct yk_task {
    void (*run)(struct yk_task *t);
    struct yk_task *next;
    bool done;
};

/** Give T to DEV's thread (started when first needed). False: no thread; nothing happens. T stays the caller's memory
 * until yk_crew_wait. Thread: any. */
bool yk_crew_start(unsigned dev, struct yk_task *t);
void yk_crew_wait(struct yk_task *t);

#endif
