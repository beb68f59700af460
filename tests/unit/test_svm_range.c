/* Where shared virtual memory lies: what is inside of an allocation, and no longer once that is freed. */
#include "shim/memory/svm_range.h"
#include "tests/unit/main.h"

static char memory[1000];

START_TEST(what_lies_in_an_allocation_is_found)
{
    ck_assert(!yk_svm_range_has(memory));
    for (int i = 0; i < 10; i += 2)
        ck_assert(yk_svm_range_add(memory + 100 * i, 100));
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(yk_svm_range_has(memory + i), i / 100 % 2 == 0);
    yk_svm_range_remove(memory + 450); /* not where one begins */
    yk_svm_range_remove(memory + 400);
    yk_svm_range_remove(memory + 400);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(yk_svm_range_has(memory + i), i / 100 % 2 == 0 && i / 100 != 4);
    for (int i = 0; i < 10; i += 2)
        yk_svm_range_remove(memory + 100 * i);
    ck_assert(!yk_svm_range_has(memory));
}
END_TEST

START_TEST(an_allocation_of_nothing_is_one)
{
    ck_assert(yk_svm_range_add(memory, 0));
    ck_assert(yk_svm_range_has(memory));
    yk_svm_range_remove(memory);
    ck_assert(!yk_svm_range_has(memory));
}
END_TEST

YK_TEST_MAIN("svm_range", what_lies_in_an_allocation_is_found, an_allocation_of_nothing_is_one)
