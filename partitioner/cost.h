/* What a division is predicted to take, so that a split can be held against the best single device. Who calls it: the
 * shim's planner (does splitting pay?), strategies, the simulation, the summary. Pure. All times in ms.
 *
 * The model. A device with n > 0 work-groups
 * - gets its bytes over its link:           in(n)  = (bytes + n * bytes_per_group) / bandwidth
 * - runs them:                              run(n) = latency + table(n), or latency + n / rate
 * - gives its results back over its link:   out(n) = (back + n * back_per_group) / bandwidth
 * Devices behind one link take turns on it in their order, each way. If more than one device has a share, the merges of
 * those that have one follow. */
#ifndef YK_PARTITIONER_COST_H
#define YK_PARTITIONER_COST_H

#include "partitioner/strategy.h"

/* The three parts of a share's time, and what a second work-group more costs. */
struct yk_share_time {
    double in, run, out;
};

/** Is the speed of D known? */
static inline bool yk_split_known(const struct yk_split_device *d)
{
    return d->table.n >= 2 || d->rate > 0;
}

/** The parts for GROUPS > 0 (may be no whole number) of D, whose speed is known. */
struct yk_share_time yk_split_parts(const struct yk_split_device *d, double groups);

/** Time of GROUPS work-groups on D with its link to itself; 0 for none. False: the speed is not known (and GROUPS is
 * not 0). */
bool yk_split_time(const struct yk_split_device *d, uint64_t groups, double *ms);

/** Time until everything is done. False: the speed of a device with a share is not known. Cost: O(devices). */
bool yk_split_makespan(const struct yk_split *split, const uint64_t *groups, double *ms);

/** The same, and when each device is done, results back, merges aside, into DONE[split->n] (0: no share). */
bool yk_split_times(const struct yk_split *split, const uint64_t *groups, double *done, double *ms);

/** The usable device of known speed that would be done first with all work-groups. False: no such device. */
bool yk_split_best_single(const struct yk_split *split, unsigned *device, double *ms);

/**
 * For devices that are known to be of one kind: is the division GROUPS, which gives work to several, so little better
 * than EVEN that it may be the noise of a few samples? EVEN is then predicted to take at most PART of the other's time
 * and EXTRA_MS longer. False where a speed is not known.
 */
bool yk_split_nearly_even(const struct yk_split *split, const uint64_t *groups, const uint64_t *even, double part,
                          double extra_ms);

/**
 * Is the division GROUPS predicted to take less than (1 - MARGIN) of the best single device's time? Unknown speeds: no
 * prediction, and the answer is yes, since only running them makes them known. *BEST: the device to use when the answer
 * is no.
 */
bool yk_split_pays(const struct yk_split *split, const uint64_t *groups, double margin, unsigned *best);

#endif
