/* ck_assert costs a system call each: this is for tests that ask millions of times. */
#ifndef YK_TESTS_UNIT_MUST_H
#define YK_TESTS_UNIT_MUST_H

#include <check.h>

static unsigned long must_round; /* of a random test: named where it fails */

#define must(x)                                                                                                        \
    do {                                                                                                               \
        if (!(x))                                                                                                      \
            ck_abort_msg("round %lu: %s", must_round, #x);                                                             \
    } while (0)

#endif
