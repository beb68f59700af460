/* Countdown over what yoke asks of the C library: the sweep is linked with --wrap, so that calls from yoke's own code
 * (not from the stub, a library of its own) come through count.c and fail there as arranged. */
#ifndef YK_TESTS_FAULT_COUNT_H
#define YK_TESTS_FAULT_COUNT_H

#include <stdbool.h>

enum count_kind { COUNT_MEMORY, COUNT_MMAP, COUNT_THREAD, COUNT_OPEN, COUNT_WRITE, COUNT_KINDS };

extern const char *const count_name[COUNT_KINDS];

/** Of the calls of KIND from now on the N-th fails, and all later ones too if FOREVER. N 0: they are only counted. */
void count_start(enum count_kind kind, unsigned n, bool forever);

/** Calls of that kind since. */
unsigned count_calls(void);

#endif
