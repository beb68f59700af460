/* Calls with wrong arguments: how tests of their codes say so. Included by them. */
#ifndef YK_TESTS_STUB_SHIM_CODES_H
#define YK_TESTS_STUB_SHIM_CODES_H

#include "tests/stub/shim/fixture.h"

#define ck_assert_code(code, call) ck_assert_int_eq((call), (code))
/* A creation that must fail with CODE. */
#define ck_assert_none(code, call)                                                                                     \
    do {                                                                                                               \
        cl_int err_ = 0x7777;                                                                                          \
        cl_int *err = &err_;                                                                                           \
        ck_assert_ptr_null((call));                                                                                    \
        ck_assert_int_eq(err_, (code));                                                                                \
        err = NULL;                                                                                                    \
        ck_assert_ptr_null((call));                                                                                    \
    } while (0)

#endif
