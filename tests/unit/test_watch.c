/* Watched memory (device/link/watch.h): whatever takes it away is heard of before the call returns, and nothing else
 * is. A thread listens meanwhile, as users must. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device/link/watch.h"
#include "tests/unit/main.h"

enum { MB = 1 << 20, MOST = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct yk_watch_range gone[MOST];
static int ngone;
static bool stop;

static void hear(void)
{
    pthread_mutex_lock(&lock);
    while (ngone < MOST && yk_watch_next(&gone[ngone]))
        ngone++;
    pthread_mutex_unlock(&lock);
}

static void *listen(void *nothing)
{
    struct pollfd p = {.fd = yk_watch_fd(), .events = POLLIN};
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        poll(&p, 1, 10);
        hear();
    }
    return nothing;
}

/* Has [from, from+len) gone since it was last asked, at least in part? */
static bool has_gone(const void *from, size_t len)
{
    bool found = false;
    hear();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ngone; i++)
        found |= gone[i].from < (uintptr_t)from + len && (uintptr_t)from < gone[i].to;
    ngone = 0;
    pthread_mutex_unlock(&lock);
    return found;
}

static unsigned char *map(size_t len, int flags, int fd)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, fd, 0);
    ck_assert(p != MAP_FAILED);
    memset(p, 1, len);
    return p;
}

static struct yk_watch_range range(const void *p, size_t len)
{
    return (struct yk_watch_range){(uintptr_t)p, (uintptr_t)p + len};
}

/* Sandboxes may forbid it, and then yoke pins nothing; that the test has not run is said. */
static bool is_skipped(void)
{
    if (!yk_watch_able())
        puts("skipped: no userfaultfd here");
    return !yk_watch_able();
}

static const int own = MAP_PRIVATE | MAP_ANONYMOUS;

START_TEST(what_goes_is_heard_of)
{
    pthread_t t;
    if (is_skipped())
        return;
    ck_assert_int_eq(pthread_create(&t, NULL, listen, NULL), 0);
    for (int how = 0; how < 6; how++) {
        unsigned char *p = map(8 * MB, own, -1);
        ck_assert(yk_watch_add(range(p, 8 * MB)));
        memset(p, 2, 8 * MB);
        ck_assert_int_eq(mprotect(p, 8 * MB, PROT_READ), 0);
        ck_assert_int_eq(mprotect(p, 8 * MB, PROT_READ | PROT_WRITE), 0);
        ck_assert(!has_gone(p, 8 * MB));
        void *q = p;
        if (how == 0)
            ck_assert_int_eq(munmap(p, 8 * MB), 0);
        else if (how == 1) /* a page in the middle */
            ck_assert_int_eq(munmap(p + 3 * MB, 4096), 0);
        else if (how == 2)
            ck_assert_int_eq(madvise(p + MB, 4096, MADV_DONTNEED), 0);
        else if (how == 3)
            q = mremap(p, 8 * MB, 64 * MB, MREMAP_MAYMOVE);
        else if (how == 4)
            q = mmap(p + MB, MB, PROT_READ | PROT_WRITE, own | MAP_FIXED, -1, 0);
        else
            ck_assert_int_eq(madvise(p, 8 * MB, MADV_FREE), 0);
        ck_assert(q != MAP_FAILED);
        ck_assert_msg(has_gone(p, 8 * MB) || (how == 3 && q == p), "way %d is not heard of", how);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* whose allocators keep what is freed */
    char *m = malloc(64 * MB), *grown;
    uintptr_t at = (uintptr_t)m & ~(uintptr_t)4095;
    memset(m, 1, 64 * MB);
    ck_assert(yk_watch_add((struct yk_watch_range){at, at + 64 * MB}));
    free(m);
    ck_assert(has_gone((void *)at, 64 * MB));
    m = malloc(64 * MB);
    at = (uintptr_t)m & ~(uintptr_t)4095;
    memset(m, 1, 64 * MB);
    ck_assert(yk_watch_add((struct yk_watch_range){at, at + 64 * MB}));
    grown = realloc(m, 512 * (size_t)MB);
    ck_assert_ptr_nonnull(grown);
    bool moved = (uintptr_t)grown >> 12 != at >> 12;
    ck_assert(has_gone((void *)at, 64 * MB) == moved);
    free(grown);
#endif
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
}
END_TEST

/* A mapping of which a part is watched can still be moved as a whole. */
START_TEST(mappings_stay_whole)
{
    pthread_t t;
    if (is_skipped())
        return;
    ck_assert_int_eq(pthread_create(&t, NULL, listen, NULL), 0);
    unsigned char *p = map(8 * MB, own, -1), *to = map(16 * MB, own, -1);
    ck_assert(yk_watch_add(range(p + MB, MB)));
    ck_assert(mremap(p, 8 * MB, 16 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
    ck_assert(has_gone(p + MB, MB));
    ck_assert_uint_eq(to[5 * MB], 1);
    ck_assert_int_eq(munmap(to, 16 * MB), 0);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
}
END_TEST

/* Nobody listens: nothing of this may wait. */
START_TEST(only_private_memory_is_watched)
{
    if (is_skipped())
        return;
    unsigned char *shared = map(MB, MAP_SHARED | MAP_ANONYMOUS, -1);
    ck_assert(!yk_watch_add(range(shared, MB)));
    int fd = open("/proc/self/exe", O_RDONLY);
    void *file = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    ck_assert(file != MAP_FAILED);
    ck_assert(!yk_watch_add(range(file, 4096)));
    unsigned char *p = map(3 * MB, own, -1);
    ck_assert_int_eq(munmap(p + MB, MB), 0);
    ck_assert(!yk_watch_add(range(p, 3 * MB))); /* a hole */
    ck_assert_int_eq(munmap(shared, MB), 0);
    ck_assert_int_eq(munmap(file, 4096), 0);
    close(fd);
}
END_TEST

YK_TEST_MAIN("watch", what_goes_is_heard_of, mappings_stay_whole, only_private_memory_is_watched)
