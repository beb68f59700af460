/* Background work that calls drivers: counted, so that the process does not exit in the middle of it (drivers crash
 * when their libraries are torn down under a running call). Who uses it: queue/build.c, queue/queue.c and others. */
#ifndef YK_SHIM_CORE_BACKGROUND_H
#define YK_SHIM_CORE_BACKGROUND_H

#include <stdbool.h>

/** From the app's thread, before a thread with background work is started: exit is noticed from now on. Cheap. */
void yk_background_prepare(void);

/** From the app's thread, after a driver has compiled: what its compiler destroys at exit must still be there when
 * background work is waited for. Cheap. */
void yk_background_compiled(void);

/** Begin a stretch of driver calls. False: the process is about to exit; do none. Thread: any; no lock held. */
bool yk_background_enter(void);
void yk_background_leave(void);

/** Such a stretch on behalf of a thread that may not have begun yet: *HELD, which is guarded by the caller's lock, says
 * whether there is one; ON begins it, else it ends. The same again does nothing. */
void yk_background_hold(bool *held, bool on);

/** *HELD stands for this thread: if it is the one that exits, it does not wait for that. */
void yk_background_own(const bool *held);

/** Is the process about to exit? For stretches that could stop early. */
bool yk_background_ending(void);

/** Called, where somebody has set it (atomic), when the process is about to exit, before background work is waited for.
 */
extern void (*yk_background_last_words)(void);

#endif
