/** Run a plan with the plain OpenCL API and keep what every buffer holds in the end. For main.c. Main thread only. */
#ifndef TESTS_DIFF_LAUNCH_H
#define TESTS_DIFF_LAUNCH_H

#include "plan.h"

#include <stdio.h>

struct launcher;

/** Open device number DEVICE of all platforms. Ends the process with a message on failure. */
struct launcher *launcher_open(unsigned device);

/** Does the device compute in double? */
bool launcher_has_double(const struct launcher *launcher);

/** Run PLAN (only kernel ONLY, if that is not negative), append its buffers to FILE. False: an OpenCL error, printed.
 */
bool launcher_run(struct launcher *launcher, const struct plan *plan, int only, FILE *file);
void launcher_close(struct launcher *launcher);

#endif
