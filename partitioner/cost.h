/* What a division is predicted to take, so that a split can be held against the best single device. Who calls it: the
 * shim's planner (does splitting pay?), strategies, the summary. Pure. All times in ms.
 *
 * The model: a share of n > 0 work-groups takes latency + n / rate + (bytes + n * bytes_per_group) / bandwidth. */
#ifndef YK_PARTITIONER_COST_H
#define YK_PARTITIONER_COST_H

#include "partitioner/strategy.h"

/** Time of GROUPS work-groups on D; 0 for none. False: the rate is not known (and GROUPS is not 0). */
bool yk_split_time(const struct yk_split_device *d, uint64_t groups, double *ms);

/** Time until the last share is done. False: the rate of a device with a share is not known. */
bool yk_split_makespan(const struct yk_split *split, const uint64_t *groups, double *ms);

/** The usable device of known rate that would be done first with all work-groups. False: no such device. */
bool yk_split_best_single(const struct yk_split *split, unsigned *device, double *ms);

/**
 * Is the division GROUPS predicted to take less than (1 - MARGIN) of the best single device's time? Unknown rates: no
 * prediction, and the answer is yes, since only running them makes them known. *BEST: the device to use when the answer
 * is no.
 */
bool yk_split_pays(const struct yk_split *split, const uint64_t *groups, double margin, unsigned *best);

#endif
