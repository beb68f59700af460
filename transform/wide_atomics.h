/* Drivers of GPUs take atomic_add and its like on 64 bits too, for which the extensions have names of their own
 * (atom_add): pyFAI does so where there are these extensions. clang knows 32 bits only. Who uses it: front.c. */
#ifndef YK_TRANSFORM_WIDE_ATOMICS_H
#define YK_TRANSFORM_WIDE_ATOMICS_H

#include <stdbool.h>

/** Their declarations, of 32 bits too, in place of clang's own: a line to go before a program. */
extern const char yk_wide_atomics[];

/** Is it for want of them that clang says ERROR? */
bool yk_wide_atomics_missed(const char *error);

#endif
