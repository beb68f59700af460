/* Where threads of yoke begin, and their stacks, under limits that a process is started with: the C library reads
 * RLIMIT_STACK once, so each case is this program again. */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/thread.h"
#include "tests/unit/main.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { MIB = 1 << 20 };

static int done[2];

static void write_deep(void)
{
    volatile char deep[7 * MIB];
    for (size_t i = sizeof deep; i > 4096; i -= 4096) /* downwards, as calls do */
        deep[i - 1] = 1;
}

/* Tells how large its stack is, when that much could be written. */
static void *use_stack(void *unused)
{
    pthread_attr_t attr;
    size_t size = 0;
    void *low;
    if (pthread_getattr_np(pthread_self(), &attr) == 0)
        pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    if (size >= 8 * MIB)
        write_deep();
    if (write(done[1], &size, sizeof size) != sizeof size)
        _exit(3);
    return unused;
}

/* From now on no more than ROOM bytes can be mapped; false: it cannot be said. */
static bool leave_room(rlim_t room)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    bool known = f && fscanf(f, "%lu", &pages) == 1;
    if (f)
        fclose(f);
    struct rlimit l = {pages * (rlim_t)sysconf(_SC_PAGESIZE) + room, RLIM_INFINITY};
    return known && setrlimit(RLIMIT_AS, &l) == 0;
}

static int child(const char *room)
{
    size_t size = 0;
    rlim_t bytes = (rlim_t)strtoul(room, NULL, 10) * MIB;
    if (pipe(done) || (bytes && !leave_room(bytes)))
        return 1;
    if (yk_thread_start(use_stack, NULL) || read(done[0], &size, sizeof size) != sizeof size)
        return 1;
    printf("%zu\n", size / MIB);
    return 0;
}

static struct {
    int end[2];
    cpu_set_t set; /* that it may use once it has begun */
} begun;

static void *say_where(void *arg)
{
    (void)arg;
    bool got = sched_getaffinity(0, sizeof begun.set, &begun.set) == 0;
    return write(begun.end[1], &got, sizeof got) == sizeof got ? arg : NULL;
}

/* Wherever it begins, it is not kept there; also where its parent has one processor only. */
START_TEST(a_thread_that_begins_elsewhere_may_go_anywhere)
{
    cpu_set_t all, one;
    bool got = false;
    int cpu = sched_getcpu();
    ck_assert_int_eq(pipe(begun.end), 0);
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    ck_assert_int_eq(yk_thread_start_elsewhere(say_where, NULL), 0);
    ck_assert_int_eq(read(begun.end[0], &got, sizeof got), sizeof got);
    ck_assert(got && CPU_EQUAL(&all, &begun.set));
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_int_eq(yk_thread_start_elsewhere(say_where, NULL), 0);
    ck_assert_int_eq(read(begun.end[0], &got, sizeof got), sizeof got);
    ck_assert(got && CPU_EQUAL(&one, &begun.set));
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST

/* MiB of stack that a thread has in a process started with that LIMIT; ROOM: MiB that it can map, 0: any number.
 * False: this process may not set that limit, which is said. */
static bool under(rlim_t limit, const char *room, unsigned *mib)
{
    char text[32] = "";
    int out[2], status;
    struct rlimit l;
    ck_assert_int_eq(pipe(out), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_STACK, &l), 0);
    if (limit > l.rlim_max) {
        fprintf(stderr, "skipped: the stack's hard limit is lower\n");
        return false;
    }
    pid_t pid = fork();
    if (!pid) {
        l.rlim_cur = limit;
        if (setrlimit(RLIMIT_STACK, &l) || dup2(out[1], 1) < 0)
            _exit(2);
        execl("/proc/self/exe", "test_thread", room, (char *)NULL);
        _exit(2);
    }
    close(out[1]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_gt(read(out[0], text, sizeof text - 1), 0);
    close(out[0]);
    *mib = (unsigned)strtoul(text, NULL, 10);
    return true;
}

START_TEST(unlimited_stacks_are_not_small)
{
    unsigned mib;
    if (under(RLIM_INFINITY, "0", &mib))
        ck_assert_uint_ge(mib, 8);
}
END_TEST

START_TEST(small_stacks_are_not_small)
{
    unsigned mib;
    if (under(MIB, "0", &mib))
        ck_assert_uint_ge(mib, 8);
}
END_TEST

START_TEST(large_stacks_stay_large)
{
    unsigned mib;
    if (under(64 * MIB, "0", &mib))
        ck_assert_uint_ge(mib, 64);
}
END_TEST

/* There the program's own threads are as small. */
START_TEST(without_room_a_thread_starts_all_the_same)
{
#ifdef SANITIZED
    fprintf(stderr, "skipped: the sanitizer's own address space\n");
#else
    unsigned mib;
    if (under(MIB, "4", &mib))
        ck_assert_uint_lt(mib, 8);
#endif
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(argv[1]);
    TCase *tcase = tcase_create("thread");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, unlimited_stacks_are_not_small);
    tcase_add_test(tcase, small_stacks_are_not_small);
    tcase_add_test(tcase, large_stacks_stay_large);
    tcase_add_test(tcase, without_room_a_thread_starts_all_the_same);
    tcase_add_test(tcase, a_thread_that_begins_elsewhere_may_go_anywhere);
    return yk_test_run("thread", tcase);
}
