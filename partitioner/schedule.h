/* Whole launches of a window placed on devices, their transfers in their times: which device carries out each, one at a
 * time and in the window's order, so that everything is done soonest. List scheduling (Graham, Bounds on
 * Multiprocessing Timing Anomalies, 1969: at most 2 - 1/m of the least time on m equal devices), then moves of single
 * launches while these help. For trees with transfers there is tree.h, which takes milliseconds. Who uses it:
 * shim/queue/beside_window.c. Pure. Times in ms. */
#ifndef YK_PARTITIONER_SCHEDULE_H
#define YK_PARTITIONER_SCHEDULE_H

#include <stdint.h>

enum { YK_SCHEDULE_TASKS = 64, YK_SCHEDULE_DEVICES = 64 };

/* Tasks are in an order in which they may run. */
struct yk_schedule_task {
    const double *ms; /* [devices]: its time on each; INFINITY: cannot run there. Borrowed */
    uint64_t after;   /* bit i: begins when task i (an earlier one) is done */
};

/** Time until all of T[0 .. N) is done with task i on device PLACE[i]; INFINITY where one cannot be there. N and
 * DEVICES are at most as above. Cost: O(N + dependencies). */
double yk_schedule_ms(const struct yk_schedule_task *t, unsigned n, unsigned devices, const unsigned *place);

/** A good placement into PLACE[N], and its time: never worse than all on device HOME, and that where nothing is better.
 * Cost: O(N * devices) of the above per round, at most four rounds. */
double yk_schedule(const struct yk_schedule_task *t, unsigned n, unsigned devices, unsigned home, unsigned *place);

#endif
