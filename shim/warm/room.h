/* Room for a compiler beside a program that is still at work. Who uses it: yoke-warm. Thread: one. */
#ifndef YK_SHIM_WARM_ROOM_H
#define YK_SHIM_WARM_ROOM_H

/** Wait until process ASKER has ended, or most of a processor has been idle for a moment (/proc/stat; where there is no
 * such file there is room), but no longer than MOST_MS: a program that is at work on all processors for long gains by
 * what is compiled for it too, and loses little by one piece of it now and then. */
void yk_room_wait(int asker, int most_ms);

#endif
