/* What is remembered of launches, of this and of earlier processes: the profiler's samples under this launch's names.
 * Who uses it: worth.c, predict.c, share.c, launch.c. Nothing here waits for a file or calls a driver. */
#ifndef YK_SHIM_QUEUE_REMEMBER_H
#define YK_SHIM_QUEUE_REMEMBER_H

#include "profiler/profile.h"
#include "shim/queue/launch.h"

/** Begin to read what earlier processes have left, in the background, once. Cheap. Where there is one device: nothing.
 */
void yk_remember_start(void);

/** Key of the samples of kind KIND of L on DEV. Borrows L. */
struct yk_profile_key yk_remember_key(const struct yk_launch *l, unsigned dev, enum yk_sample_kind kind);

/** Milliseconds that the primary is remembered to take for L alone; 0: not known. */
double yk_remember_alone(const struct yk_launch *l);

/** The same, of launches after the first in their process: nothing was compiled in it. */
double yk_remember_measured(const struct yk_launch *l);

/** Milliseconds that the primary may be presumed to take for L at least, whose kernel was never measured but looks like
 * F: by the tree of model.h, with its error to be on the safe side. 0: nobody knows. */
double yk_remember_guess(const struct yk_launch *l, const struct yk_facts_kernel *f);

/** How many processes have run L whole as their first launch of it. */
unsigned yk_remember_tries(const struct yk_launch *l);

/** ITEMS work-items of L took MS on DEV: alone, as a share, or as its first launch there in this process. */
void yk_remember(const struct yk_launch *l, unsigned dev, enum yk_sample_kind kind, double items, double ms);

/** The same of a share in a launch that was divided against what its samples say: FIRST where it was the first there in
 * this process, which may have taken longer than the next will, never shorter. */
void yk_remember_try(const struct yk_launch *l, unsigned dev, bool first, double items, double ms);

/** ITEMS work-items of L, a share of it, took MS on DEV, which has been remembered: is that the least per item? Nothing
 * happens for problems beyond those whose shares the profile keeps. */
void yk_remember_least(const struct yk_launch *l, unsigned dev, double items, double ms);

/** Is there such a one? */
bool yk_remember_has_least(const struct yk_launch *l, unsigned dev);

/** Work-groups a millisecond, counted as L's samples are, of the best of DEV's shares if it is slower than the primary
 * for launches like L, whatever these find to do; else 0. It is where the best of at least six of its shares (two, or a
 * long one, where it is far slower) took longer per item than the best of the primary's. */
double yk_remember_slower(const struct yk_launch *l, unsigned dev);

/**
 * Launches like L that were better not divided, one after the other, in this and earlier processes. What was measured
 * of shares may have been another program's doing, so that now and then one is divided nevertheless: returns true after
 * 8, 16, 32 and 64 of them and every 64th then, and where the primary has become faster than it was for one of them:
 * that was another time, and so may the shares' samples be. ALONE_MS: of the primary for all of L.
 */
bool yk_remember_again(const struct yk_launch *l, double alone_ms);

/** What moving bytes costs about divided launches like L, in ms each, once they lie where such launches leave them:
 * what they are brought and, of that into *FETCHED_MS, what others wait for since results lie on several devices. In
 * this process or, until it is known there (then *FETCHED_MS is 0), in earlier ones; 0: nothing, or not known. */
double yk_remember_moves(const struct yk_launch *l, double *fetched_ms);

/** One was brought bytes for BROUGHT_MS, and others have waited for FETCHED_MS after the last. */
void yk_remember_move(const struct yk_launch *l, double brought_ms, double fetched_ms);

/** One more. TRIED: because it has been divided nevertheless, so that the next is not. */
void yk_remember_declined(const struct yk_launch *l, double alone_ms, bool tried);

/** L was divided and faster so: of those before it half are forgotten. */
void yk_remember_won(const struct yk_launch *l);

/** Work-items in a unit of L's samples: a work-group of the size the program gave; one where it gave none. */
double yk_remember_unit(const struct yk_launch *l);

#endif
