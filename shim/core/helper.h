/* yoke-warm, the program of yoke's own that does aside what no app should wait for, or be put at risk by. Who starts
 * it: queue/warm.c, memory/mailbox.c, unasked.c. */
#ifndef YK_SHIM_CORE_HELPER_H
#define YK_SHIM_CORE_HELPER_H

#include <stdbool.h>

/* Arguments, each followed by "=" and the process that asks: keep what devices there are (device/asleep.h). */
#define YK_HELPER_DEVICES "--devices"

/** Is there one? Cost: a few looks into the file system. */
bool yk_helper_able(void);

/** Start it with ARGUMENT, left to itself, with limits on time and files. False: it could not be started. Thread: any;
 * no lock held. Cost: a process. */
bool yk_helper_start(const char *argument);

#endif
