/* By which code a launch runs whole. Drivers of CPU devices compile a kernel at its first launch for a local size, and
 * for wide ranges and others apart unless the wide one is there already (PoCL: 80 ms). Where a share of a kernel has
 * run on the primary from the partition-ready source, and the program's own kernel never has, a launch that goes whole
 * would be compiled for, which it never is on the bare driver: there the large launch before it was. So the first ones
 * run from that source too; a program that goes on is better off by its own kernel, straight from its own thread. Who
 * uses it: launch.c, decide.c, taker.c. */
#ifndef YK_SHIM_QUEUE_FORM_H
#define YK_SHIM_QUEUE_FORM_H

#include "partitioner/range.h"
#include "shim/queue/launch.h"

/** A box of L, of local size LOCAL, has been given to DEV as a share. Thread: any. Cost: three loads where that changes
 * nothing. */
void yk_form_shared(const struct yk_launch *l, unsigned dev, const size_t *local, const struct yk_box *box);

/** The program's own kernel has been launched. Thread: any. */
static inline void yk_form_own(struct yk_code *code)
{
    if (!__atomic_load_n(&code->own_ran, __ATOMIC_RELAXED))
        __atomic_store_n(&code->own_ran, true, __ATOMIC_RELAXED);
}

/** Is it to be asked by which code a whole launch of CODE runs? Cost: two loads. */
static inline bool yk_form_open(const struct yk_code *code)
{
    return __atomic_load_n(&code->apart, __ATOMIC_RELAXED) && !__atomic_load_n(&code->own_ran, __ATOMIC_RELAXED);
}

/** L whole on the primary's real queue, by whichever code needs no compiling; as yk_launch_whole. Thread: the
 * worker's. */
cl_int yk_form_whole(struct yk_launch *l, cl_event *real);

#endif
