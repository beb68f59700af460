/* A program that launches for days: its memory does not grow. 10^6 launches of each kind in nightly runs, fewer else
 */
#include <stdint.h>
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

enum { N = 256, MOST_GROWTH = 1 << 20 };

static struct shim s;
static cl_kernel k;
static cl_mem a;

static long resident(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");
    ck_assert_int_eq(fscanf(f, "%ld %ld", &all, &pages), 2);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static void plain(int i)
{
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    if (i % 500 == 0)
        OK(clFinish(s.queue));
}

static void with_events(int i)
{
    static cl_event last;
    cl_event e;
    shim_launch(s.queue, k, N, 64, last ? 1 : 0, last ? &last : NULL, &e);
    if (last)
        OK(clReleaseEvent(last));
    last = e;
    if (i % 500 == 0) {
        OK(clWaitForEvents(1, &last));
        OK(clReleaseEvent(last));
        last = NULL;
    }
}

static void with_reads(int i)
{
    cl_int out;
    shim_set_int(k, 1, i);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    if (i % 10 == 0) {
        OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
        ck_assert_int_eq(out, i);
    }
}

static void (*const kind[])(int) = {plain, with_events, with_reads};

START_TEST(launches_leave_no_memory_behind)
{
    int n = getenv("YOKE_NIGHTLY") ? 1000000 : getenv("YOKE_FORCE_SPLIT") ? 4000 : 40000;
    shim_open(&s, 0);
    k = shim_kernel(&s, "fill");
    a = shim_buffer(&s, 4 * N);
    shim_set(k, 0, a);
    shim_set_int(k, 1, 0);
    for (int i = 0; i <= n / 4; i++)
        kind[_i](i);
    OK(clFinish(s.queue));
    /* On a busy machine more launches than ever before may be pending at a time, once: what leaks, leaks every time. */
    long growth = MOST_GROWTH + 1;
    for (unsigned round = 0; round < 3 && growth > MOST_GROWTH; round++) {
        long before = resident();
        for (int i = 0; i <= n; i++)
            kind[_i](i);
        OK(clFinish(s.queue));
        growth = resident() - before;
        printf("%d launches: %ld KiB more\n", n, growth >> 10);
    }
    ck_assert_msg(growth <= MOST_GROWTH, "%d launches grow resident memory by %ld KiB", n, growth >> 10);
    with_events(500);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    shim_close(&s);
}
END_TEST

YK_TEST_LOOP_MAIN("steady", 1300, launches_leave_no_memory_behind, 3)
