/* Divisions of a launch held against where its bytes lie and who has begun, on devices with memory of their own: what
 * has to be moved first, whether the last division is to be kept, and whether it is time to move for the sake of
 * launches to come (moves.h). Who uses it: divide.c. Calls no driver. Cost: microseconds. */
#ifndef YK_SHIM_QUEUE_RESIDENCE_H
#define YK_SHIM_QUEUE_RESIDENCE_H

#include "shim/queue/decide.h"

/** A split must be predicted to beat the primary by this much: predictions err, and a split that loses is worse than
 * one that was missed. */
static inline bool yk_residence_pays(double ms, double alone_ms)
{
    const double margin = 0.05, extra_ms = 0.05;
    return ms > 0 && ms + extra_ms < (1 - margin) * alone_ms;
}

/* A launch to divide. Borrows all. */
struct yk_residence {
    const struct yk_launch *l;
    const struct yk_facts_kernel *f;
    struct yk_decision *d;        /* share_ms, predicted_ms: of the division at hand */
    const struct yk_split *split; /* with the bytes that even shares lack */
    const double *again;          /* of these per device what the next launch moves too */
    double alone_ms;              /* of the primary, once it has what it lacks */
    double moves_ms;              /* of divided launches, see yk_remember_moves */
    double gain_ms, wait;         /* by yk_residence_move: it will be time after so many launches more; 0: never */
};

/** Milliseconds for bringing the primary what it lacks for all of the launch. */
double yk_residence_gather_ms(const struct yk_residence *r);

/** The last division of such a launch holds its bytes: is it as good as GROUPS, the one at hand, or nearly? Then it is
 * in GROUPS and the decision. False: GROUPS was chosen with the bytes that even shares lack; its times with those that
 * it lacks itself are in the decision. */
bool yk_residence_keep(const struct yk_residence *r, uint64_t *groups);

/** The division at hand does not pay. Would one if the bytes were where it needs them and the devices had begun, and is
 * it time for both? Then it is in GROUPS and the decision. To be asked once per launch: what is forgone adds up. */
bool yk_residence_move(struct yk_residence *r, const struct yk_strategy *strategy, uint64_t *groups);

/** The last division has been kept. Would another be much better if the bytes lay for it, and is it time to move them?
 * Then it is in GROUPS and the decision. To be asked once per launch. */
bool yk_residence_improve(struct yk_residence *r, const struct yk_strategy *strategy, uint64_t *groups);

/** Launches like this one are too short to be asked about each: let as many pass as are to be waited for, and count
 * them as forgone. */
void yk_residence_pass(const struct yk_residence *r);

/** The division at hand pays with what it has to move. */
void yk_residence_stayed(const struct yk_residence *r);

/** The launch is divided as GROUPS. */
void yk_residence_note(const struct yk_residence *r, const uint64_t *groups);

#endif
