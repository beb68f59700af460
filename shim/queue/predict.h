/* How long a launch is predicted to take on each device, as the strategies want it. Who uses it: decide.c. */
#ifndef YK_SHIM_QUEUE_PREDICT_H
#define YK_SHIM_QUEUE_PREDICT_H

#include "partitioner/strategy.h"
#include "profiler/series.h"
#include "shim/queue/decide.h"

struct yk_prediction {
    struct yk_split_device device[YK_MAX_DEVICES];
    struct yk_point point[YK_MAX_DEVICES][YK_SERIES_POINTS]; /* what their tables point to */
    double alone_ms;                                         /* the primary alone; 0: not known */
    bool guessed;                /* alone_ms is a careful guess of what was never measured: yk_remember_guess */
    bool again;                  /* as if the shares seen had been unlucky: yk_remember_again */
    bool seen_alone;             /* alone_ms was measured for launches like this */
    bool all_known;              /* every taker's speed was measured, here or earlier */
    bool unseen[YK_MAX_DEVICES]; /* nobody knows what a first launch takes there */
    bool all_warm;               /* every taker has run this kernel before in this process, and none is late */
    bool few;                    /* of a device of the primary's kind few shares were measured: what they say may be
                                    another program's doing */
};

/**
 * Predict L for the takers of D (and what bytes they need: BYTES[dev], to be moved through the host).
 * A device that has not run the kernel in this process has a latency: what its driver does at a first launch, and the
 * rest of its build if that is not done. Owns: *P points into itself; do not copy. Cost: microseconds.
 */
void yk_predict(const struct yk_launch *l, const struct yk_decision *d, const double *bytes, struct yk_prediction *p);

/** Beside a GPU: devices of unknown speed that lack bytes (BYTES of each) take no share. Chunks would tell their speed,
 * but not where bytes have to be moved for them, and what may take any time at all must not keep the others from
 * sharing. For launches that are divided of yoke's own accord only. */
void yk_predict_known_only(struct yk_prediction *p, const double *bytes);

#endif
