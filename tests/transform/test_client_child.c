/* Programs that are started beside the app: where they stand when both want a core. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/main.h"
#include "transform/client_child.h"

/* A session of its own stands back as a group too. */
START_TEST(what_is_detached_steps_aside)
{
    char text[128] = "";
    if (access("/proc/self/autogroup", W_OK)) {
        printf("this kernel has no autogroups: nothing to see here\n");
        return;
    }
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), out = fileno(file);
    ck_assert_int_ge(null, 3);
    struct yk_client_child c = {.path = "/bin/cat",
                                .in = null,
                                .out = out,
                                .err = null,
                                .timeout_ms = 10000,
                                .argument = "/proc/self/autogroup",
                                .detached = true};
    ck_assert_int_eq(yk_client_child_run(&c), YK_OK);
    for (unsigned i = 0; i < 200 && pread(out, text, sizeof text - 1, 0) <= 0; i++)
        usleep(50000);
    ck_assert_msg(strstr(text, "nice 10") != NULL, "it is in %s", text);
    fclose(file);
    close(null);
}
END_TEST

YK_TEST_MAIN("client child", what_is_detached_steps_aside)
