/* main() of a check program: YK_TEST_MAIN("suite", test, test, ...). Exit status 0 iff all passed. */
#ifndef YK_TESTS_UNIT_MAIN_H
#define YK_TESTS_UNIT_MAIN_H

#include <check.h>
#include <stdlib.h>

#define YK_TEST_MAIN(name, ...)                                                                                        \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                                                                    \
        Suite *suite = suite_create(name);                                                                             \
        TCase *tcase = tcase_create(name);                                                                             \
        tcase_set_timeout(tcase, 120);                                                                                 \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                                      \
            tcase_add_test(tcase, tests[i]);                                                                           \
        suite_add_tcase(suite, tcase);                                                                                 \
        SRunner *runner = srunner_create(suite);                                                                       \
        srunner_run_all(runner, CK_ENV);                                                                               \
        int failed = srunner_ntests_failed(runner);                                                                    \
        srunner_free(runner);                                                                                          \
        return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                                                   \
    }

#endif
