/* A machine whose CPU's driver nobody has asked yet what its devices are (device/asleep.h): beside a GPU the first
 * process does without it, and has yoke-warm ask, for later ones. Who uses it: runtime.c, api/context.c. */
#ifndef YK_SHIM_CORE_UNASKED_H
#define YK_SHIM_CORE_UNASKED_H

#include <stdbool.h>

/** Before discovery: may this process do without? Not where the user insists on what several devices do together, nor
 * where there is no yoke-warm. */
bool yk_unasked_may_be(void);

/** If it does, have yoke-warm ask: once a process, in the background. Thread: any; no lock held. */
void yk_unasked_ask(void);

#endif
