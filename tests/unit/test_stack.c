/* How much stack a thread has left. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include "base/thread.h"
#include "tests/unit/main.h"

enum { MIB = 1 << 20 };

struct answers {
    bool little, much;
};

static void *ask(void *arg)
{
    *(struct answers *)arg = (struct answers){yk_thread_has_stack(MIB / 4), yk_thread_has_stack(2 * MIB)};
    return NULL;
}

/* The answers of a thread with so many bytes of stack. */
static struct answers in_thread(size_t bytes)
{
    struct answers a = {0};
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, bytes), 0);
    ck_assert_int_eq(pthread_create(&t, &attr, ask, &a), 0);
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
    return a;
}

START_TEST(a_thread_knows_its_stack)
{
    struct answers tiny = in_thread(MIB / 8), small = in_thread(MIB), large = in_thread(8 * MIB), own;
    ask(&own);
    ck_assert(!tiny.little && !tiny.much);
    ck_assert(small.little && !small.much);
    ck_assert(large.little && large.much);
    ck_assert(own.little && own.much);
}
END_TEST

static ucontext_t outside, inside;
static struct answers there;

static void coroutine(void)
{
    ask(&there);
}

START_TEST(a_stack_of_the_programs_own_is_not_known)
{
    char *stack = malloc(4 * MIB);
    there = (struct answers){true, true};
    ck_assert_int_eq(getcontext(&inside), 0);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = 4 * MIB;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    ck_assert_int_eq(swapcontext(&outside, &inside), 0);
    ck_assert(!there.little && !there.much);
    free(stack);
}
END_TEST

YK_TEST_MAIN("stack", a_thread_knows_its_stack, a_stack_of_the_programs_own_is_not_known)
