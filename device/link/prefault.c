#include "device/link/prefault.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device/link/copiers.h"
#include "device/link/host_copy.h"

/* PIECE: so small that a stop is soon obeyed. MOST: of larger mappings a program may well write only a little, and
 * memory that is touched for nothing is missing elsewhere. Where all of it is going to be written, there is no limit.
 */
enum { PIECE = 256 << 10, MOST = 256 << 20 };

struct yk_prefault {
    struct yk_copy_job job; /* first */
    unsigned char *from;
    size_t page;
    size_t left; /* bytes before what somebody has begun; atomic */
    bool stop;   /* atomic */
};

/* Not by madvise(MADV_POPULATE_WRITE), which holds the lock of the process's address space that mmap needs, one thread
 * after the other: for 256 MiB a driver's build and the making of a ring beside it took 40 ms more on a machine with an
 * H200, and the touching itself 42 instead of 16. The program's own writes of the same byte come before or after: an
 * atomic operation loses none. */
__attribute__((no_sanitize("thread"))) static void touch(const struct yk_prefault *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i += p->page)
        (void)__atomic_fetch_or(&p->from[i], 0, __ATOMIC_RELAXED);
}

static void run(struct yk_copy_job *job)
{
    struct yk_prefault *p = (struct yk_prefault *)job;
    size_t end = __atomic_load_n(&p->left, __ATOMIC_RELAXED);
    while (end && !__atomic_load_n(&p->stop, __ATOMIC_RELAXED)) {
        size_t at = (end - 1) / PIECE * PIECE;
        if (!__atomic_compare_exchange_n(&p->left, &end, at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        touch(p, at, end);
        end = at;
    }
}

/* Is the page at AT there already? */
static bool is_there(void *at, size_t page)
{
    unsigned char there = 0;
    return mincore(at, page, &there) || there & 1;
}

struct yk_prefault *yk_prefault_begin(void *at, size_t len, bool all)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)at + page - 1) / page * page, to = ((uintptr_t)at + len) / page * page;
    if ((len > MOST && !all) || !yk_host_copy_shared(len) || from >= to)
        return NULL;
    unsigned char *first = (unsigned char *)at + (from - (uintptr_t)at);
    size_t n = to - from;
    if (is_there(first + n - page, page) || is_there(first + n / 2 / page * page, page))
        return NULL;
    struct yk_prefault *p = malloc(sizeof *p);
    if (!p)
        return NULL;
    *p = (struct yk_prefault){.job = {.run = run}, .from = first, .page = page, .left = n};
    yk_copiers_join(&p->job, yk_host_copy_threads() - 1);
    return p;
}

void yk_prefault_end(struct yk_prefault *p)
{
    if (!p)
        return;
    __atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
    yk_copiers_leave(&p->job);
    free(p);
}
