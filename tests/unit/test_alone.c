#include "base/alone.h"
#include <pthread.h>
#include "tests/unit/main.h"

enum { THREADS = 4, TIMES = 100000 };

static unsigned fast, slow;
static uint64_t fast64;

static void *count(void *up)
{
    for (int i = 0; i < TIMES; i++) {
        yk_alone_add(&fast, up ? 1 : -1u);
        __atomic_add_fetch(&slow, up ? 1 : -1u, __ATOMIC_SEQ_CST);
        yk_alone_add64(&fast64, 3);
    }
    return NULL;
}

/* Alone, among others, and what the others have left: as with atomics throughout. */
START_TEST(counts_as_atomics_do)
{
    pthread_t thread[THREADS];
    ck_assert(__libc_single_threaded || getenv("TSAN_OPTIONS")); /* which has a thread of its own */
    count(&fast);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, count, i ? &fast : NULL), 0);
        ck_assert(!__libc_single_threaded);
        yk_alone_add(&fast, 7);
        __atomic_add_fetch(&slow, 7, __ATOMIC_SEQ_CST);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    count(&fast);
    ck_assert_uint_eq(__atomic_load_n(&fast, __ATOMIC_SEQ_CST), slow);
    ck_assert_uint_eq(slow, TIMES * (2 + THREADS - 2) + 7 * THREADS);
    ck_assert_uint_eq(fast64, 3ull * TIMES * (2 + THREADS));
}
END_TEST

YK_TEST_MAIN("alone", counts_as_atomics_do)
