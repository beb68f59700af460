/* What is remembered of whole programs and processes, of this one and of earlier ones: how long they take to be built
 * and how long their launches take together. Who uses it: worth.c, use.c, build.c, ahead.c. Nothing here waits for a
 * file or calls a driver. Thread: any. */
#ifndef YK_SHIM_QUEUE_REMEMBER_PROGRAM_H
#define YK_SHIM_QUEUE_REMEMBER_PROGRAM_H

#include "profiler/profile.h"
#include "shim/queue/launch.h"

/** Keys of the samples of kind KIND of B's program on DEV, and of this executable. */
struct yk_profile_key yk_remember_program_key(const struct yk_build *b, unsigned dev, enum yk_sample_kind kind);
struct yk_profile_key yk_remember_process_key(enum yk_sample_kind kind);

/** Milliseconds that DEV is remembered to need for building B; the primary's time where it is not known. */
double yk_remember_build(const struct yk_build *b, unsigned dev);
void yk_remember_built(const struct yk_build *b, unsigned dev, double ms);

/** Has this process or an earlier one built B's partition-ready programs for all GPUs that take part, so that their
 * drivers have kept them? */
bool yk_remember_was_built(const struct yk_build *b);

/** The launches of B's kernels have taken MS together on the primary alone, so far. Kept per program: the most of this
 * process, or half-way to it from what earlier ones took where that is more. */
void yk_remember_program(struct yk_build *b, double ms);

/** The same of all programs of this executable, in an earlier process. */
double yk_remember_process(void);

/** How long they have taken together, in this or an earlier process: milliseconds; 0: nothing is known. */
double yk_remember_together(const struct yk_build *b);

/** The same in earlier processes only. */
double yk_remember_before(const struct yk_build *b);

/** Did launches of this program last long enough, in this or earlier processes, to prepare for splitting them at once?
 */
bool yk_remember_worth(const struct yk_build *b);

#endif
