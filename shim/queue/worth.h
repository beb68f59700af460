/* When it is worth the time to ask the transformer and to build for other devices. What that costs is known only when
 * it has been paid, and what is left of the program never: so it is begun when the kernels of a program have run for as
 * long as it is predicted to cost. Until then launches go whole, short ones straight to the primary. The first two of a
 * kernel, those by whose time what it has spent has doubled, and long ones are measured by the queue's worker; the
 * others count with the rate that was measured. Who calls it: decide.c, launch.c. It calls no driver. */
#ifndef YK_SHIM_QUEUE_WORTH_H
#define YK_SHIM_QUEUE_WORTH_H

#include "shim/queue/launch.h"

/** Begin what has become worth it. May L go whole at once because too little has been spent so far, or is it short and
 * nobody else ready yet? True: its time has been counted. False: it is to be measured, or the time has come, or splits
 * are insisted on. Thread: any. Cost: nanoseconds. */
bool yk_worth_early(struct yk_launch *l);

/** Begin what has become worth it for B. For launches that are not decided upon (stages.c). Thread: any. */
void yk_worth_begin(struct yk_build *b);

/** A launch of CODE took SECONDS on the primary: count them. Thread: any. */
void yk_worth_measured(struct yk_code *code, double seconds);

/** A launch of CODE that was not measured on the primary alone is predicted to have taken it SECONDS (0: unknown):
 * count them, so that later processes know how long the program's kernels are at work. Thread: any. */
void yk_worth_predicted(struct yk_code *code, double seconds);

#endif
