/* Who of the yoke-warm processes of a user may work: one at a time, by locks on files in the cache folder, which end
 * with the process. Where there can be no such files all may. Thread: one. */
#ifndef YK_SHIM_WARM_TURN_H
#define YK_SHIM_WARM_TURN_H

#include <stdbool.h>

/** Wait until no other works: the compilers of several would take the processors from what the user waits for, and PoCL
 * 3.1 does not bear two processes that compile one program. */
void yk_turn_take(void);

/** Let those work who are waiting now, and wait again. */
void yk_turn_let_others_first(void);

/** A few may wait. False: there are as many, and who comes now should end; later processes of the program ask again. A
 * program of hundreds of kernels would leave as many behind. */
bool yk_turn_place(void);

#endif
