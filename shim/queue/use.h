/* Are other devices of use to a program? A context and a build on each of three more GPUs cost 0.2 to 0.4 s when the
 * process ends (four H100), which is more than what cannot be divided loses anywhere else. So they are held to be of
 * no use to a program from its first launch that finds them asked for until they have won that much, and whether they
 * were is remembered per program and per executable. Only where the primary is a GPU with memory of its own: what
 * devices that share the host's memory cost is paid by yoke-warm. Who uses it: worth.c, build.c and ahead.c ask;
 * decide.c, launch.c, beside.c and ahead.c tell. It calls no driver. Thread: any. */
#ifndef YK_SHIM_QUEUE_USE_H
#define YK_SHIM_QUEUE_USE_H

#include "shim/queue/launch.h"

/** Have other devices been of no use to B's program, in five processes and more, one after the other? Then they are not
 * to be prepared before it has run for long, but in each fourth process (from the 32nd on each 32nd). Counts this
 * process as one that does without, if it does. Cost: a load, once it is known. */
bool yk_use_none(struct yk_build *b);

/** The same of all programs of this executable. */
bool yk_use_none_to_process(void);

/** Were they of use in the last process that had them? Cost: a look at what is remembered. */
bool yk_use_proven(const struct yk_build *b);
bool yk_use_proven_to_process(void);

/** Beside a GPU with memory of its own: have B's kernels been at work for so long, here or in earlier processes, that
 * what yoke-warm compiles and keeps for CPU devices may pay? Elsewhere always: yk_remember_worth tells. */
bool yk_use_kept(const struct yk_build *b);

/** A launch of B has come, for which other devices are asked for. Cost: a load or two, but for the first. */
void yk_use_begin(struct yk_build *b);

/** Other devices have saved B's launches SECONDS of what the primary alone would have taken; less than 0: cost them. */
void yk_use_gained(struct yk_build *b, double seconds);

#endif
