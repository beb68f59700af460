#include "device/link/prefault.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device/link/copiers.h"
#include "device/link/host_copy.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; others say that they do not know it */
#endif

/* PIECE: so small that a stop is soon obeyed. MOST: of larger mappings a program may well write only a little, and
 * memory that is touched for nothing is missing elsewhere. Where all of it is going to be written, there is no limit.
 */
enum { PIECE = 256 << 10, MOST = 256 << 20 };

struct yk_prefault {
    struct yk_copy_job job; /* first */
    unsigned char *from;
    size_t left; /* bytes before what somebody has begun; atomic */
    bool stop;   /* atomic */
};

static void run(struct yk_copy_job *job)
{
    struct yk_prefault *p = (struct yk_prefault *)job;
    size_t end = __atomic_load_n(&p->left, __ATOMIC_RELAXED);
    while (end && !__atomic_load_n(&p->stop, __ATOMIC_RELAXED)) {
        size_t at = (end - 1) / PIECE * PIECE;
        if (!__atomic_compare_exchange_n(&p->left, &end, at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        if (madvise(p->from + at, end - at, MADV_POPULATE_WRITE))
            __atomic_store_n(&p->stop, true, __ATOMIC_RELAXED); /* a hint: the program touches them itself */
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
    *p = (struct yk_prefault){.job = {.run = run}, .from = first, .left = n};
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
