/* Calls with wrong arguments: what tests of their codes start from. Included by them. */
#ifndef YK_TESTS_STUB_SHIM_CODES_H
#define YK_TESTS_STUB_SHIM_CODES_H

#include "tests/stub/shim/shim.h"

#define IS(code, call) ck_assert_int_eq((call), (code))
/* A creation that must fail with CODE. */
#define NONE(code, call)                                                                                               \
    do {                                                                                                               \
        cl_int err_ = 0x7777;                                                                                          \
        cl_int *err = &err_;                                                                                           \
        ck_assert_ptr_null((call));                                                                                    \
        ck_assert_int_eq(err_, (code));                                                                                \
        err = NULL;                                                                                                    \
        ck_assert_ptr_null((call));                                                                                    \
    } while (0)

static struct shim s, other; /* two contexts */

static inline void open_two(void)
{
    shim_open(&s, 0);
    shim_open(&other, 0);
}

static inline void close_two(void)
{
    OK(clReleaseProgram(other.program));
    OK(clReleaseCommandQueue(other.queue));
    OK(clReleaseContext(other.context));
    shim_close(&s);
}
#endif
