/* main() of a check program: YK_TEST_MAIN("suite", test, test, ...), or YK_TEST_LOOP_MAIN("suite", seconds, test, n)
 * for one that runs for _i of 0 to n - 1, a process each. Exit status 0 iff all passed. */
#ifndef YK_TESTS_UNIT_MAIN_H
#define YK_TESTS_UNIT_MAIN_H

#include <check.h>
#include <stdlib.h>

static inline int yk_test_run(const char *name, TCase *tcase)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define YK_TEST_MAIN(name, ...)                                                                                        \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                                                                    \
        TCase *tcase = tcase_create(name);                                                                             \
        tcase_set_timeout(tcase, 120);                                                                                 \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                                      \
            tcase_add_test(tcase, tests[i]);                                                                           \
        return yk_test_run(name, tcase);                                                                               \
    }

#define YK_TEST_LOOP_MAIN(name, seconds, test, n)                                                                      \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        TCase *tcase = tcase_create(name);                                                                             \
        tcase_set_timeout(tcase, seconds);                                                                             \
        tcase_add_loop_test(tcase, test, 0, n);                                                                        \
        return yk_test_run(name, tcase);                                                                               \
    }

#endif
