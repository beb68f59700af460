#include "device/link/host_copy.h"
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include "base/env.h"
#include "base/log.h"
#include "device/link/copiers.h"
#include "device/link/pagemap.h"

/* A thread's waking takes up to 0.1 ms, in which another copies one megabyte. Beyond 8 threads the host's memory is
 * the limit. Units as large as a large page, so that two threads do not meet in the first touch of one. */
enum { LEAST = 2 << 20, THREADS = 8, UNIT_LEAST = 256 << 10, UNIT_MOST = 2 << 20, UNITS = 4 };

/* Tests: several units in small copies. */
enum { FORCE_LEAST = 64, FORCE_THREADS = 3, FORCE_UNIT = 1500 };

struct copy {
    struct yk_copy_job job; /* first */
    unsigned char *to;
    const unsigned char *from;
    size_t len, unit;
    size_t next; /* atomic */
};

static unsigned threads;
static bool forced;
static size_t least, unit_least = UNIT_LEAST, unit_most = UNIT_MOST;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
    const char *mode = yk_env_str("YOKE_COPIERS", "auto");
    bool off = !strcmp(mode, "off");
    forced = !strcmp(mode, "force");
    if (!off && !forced && strcmp(mode, "auto"))
        yk_warn("YOKE_COPIERS=%s is not off, auto or force; auto is used", mode);
    cpu_set_t set;
    unsigned n = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    threads = forced ? FORCE_THREADS : n < THREADS ? n : THREADS;
    least = off || threads < 2 ? SIZE_MAX : forced ? FORCE_LEAST : LEAST;
    if (forced)
        unit_least = unit_most = FORCE_UNIT;
}

static void run(struct yk_copy_job *job)
{
    struct copy *c = (struct copy *)job;
    for (;;) {
        size_t at = __atomic_fetch_add(&c->next, c->unit, __ATOMIC_RELAXED);
        if (at >= c->len)
            return;
        memcpy(c->to + at, c->from + at, c->len - at < c->unit ? c->len - at : c->unit);
    }
}

bool yk_host_copy_shared(size_t len)
{
    if (len < FORCE_LEAST)
        return false;
    pthread_once(&once, start);
    return len >= least;
}

unsigned yk_host_copy_threads(void)
{
    pthread_once(&once, start);
    return threads ? threads : 1;
}

void yk_host_copy_ready(void)
{
    if (yk_host_copy_shared(SIZE_MAX - 1))
        yk_copiers_ready(threads - 1);
}

void yk_host_copy(void *to, const void *from, size_t len)
{
    /* Programs may read a buffer into the memory that it lies in, elsewhere: undefined, but theirs. */
    bool overlap = (const unsigned char *)to < (const unsigned char *)from + len &&
                   (const unsigned char *)from < (const unsigned char *)to + len;
    if (overlap || !yk_host_copy_shared(len) || (!forced && yk_pages_copied_on_write(to, len))) {
        memmove(to, from, len);
        return;
    }
    struct copy c = {.job = {.run = run}, .to = to, .from = from, .len = len};
    c.unit = len / (UNITS * threads);
    c.unit = c.unit < unit_least ? unit_least : c.unit > unit_most ? unit_most : c.unit;
    yk_copiers_join(&c.job, threads - 1);
    run(&c.job);
    yk_copiers_leave(&c.job);
}
