#include "shim/memory/room.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/env.h"
#include "base/lock.h"
#include "base/log.h"
#include "shim/core/runtime.h"

/* Of the primary's memory all buffers that stay there take no more than half, and one of them no more than a quarter:
 * nobody knows what the program will create, and what needs windows must find room for them. */
enum { ALL_STAY = 2, ONE_STAYS = 4 };
enum { LEAST = 1 << 20 }; /* of what a program can be told */

static uint64_t told;
/* Decided together: a buffer that is counted for a moment, and then refused, would take the room from a launch. */
static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static uint64_t taken, let, lent; /* under LOCK */

static uint64_t sum(void)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        all += yk_rt.machine->device[i].usable ? yk_rt.machine->device[i].global_mem : 0;
    return all;
}

/* Three quarters of it: the program and the driver need some too. */
static uint64_t host(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void start(void)
{
    const char *text = yk_env_str("YOKE_MEMORY", yk_env_str("YOKE_MEMORY_LIMIT", NULL) ? "sum" : "device");
    uint64_t bytes = 0;
    if (!strcmp(text, "sum")) {
        bytes = sum();
    } else if (!strcmp(text, "host")) {
        bytes = host();
    } else if (strcmp(text, "device") && (yk_parse_bytes(text, &bytes) != YK_OK || bytes < LEAST)) {
        yk_warn("YOKE_MEMORY=%s is neither device, sum, host nor a number of bytes from 1M on; device is used", text);
        bytes = 0;
    }
    told = bytes;
}

uint64_t yk_room_told(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return told;
}

/* Bytes in nobody's hands. With the lock held. */
static uint64_t left(void)
{
    uint64_t have = taken + let + lent;
    return have < yk_rt.primary->global_mem ? yk_rt.primary->global_mem - have : 0;
}

bool yk_room_take(size_t size)
{
    if (!yk_room_told())
        return true;
    const struct yk_device *d = yk_rt.primary;
    if (size > d->max_alloc || size > d->global_mem / ONE_STAYS)
        return false;
    yk_lock_take(&lock);
    bool room =
        taken + size <= d->global_mem / ALL_STAY && taken + let + size <= d->global_mem / 4 * 3 && size <= left();
    taken += room ? size : 0;
    yk_lock_drop(&lock);
    return room;
}

void yk_room_give(size_t size)
{
    if (!told)
        return;
    yk_lock_take(&lock);
    taken -= size;
    yk_lock_drop(&lock);
}

/* With the lock held. */
static uint64_t let_left(void)
{
    uint64_t all = yk_rt.primary->global_mem, may = taken < all ? (all - taken) / 2 : 0,
             more = let < may ? may - let : 0;
    return more < left() ? more : left();
}

uint64_t yk_room_let_left(void)
{
    yk_lock_take(&lock);
    uint64_t more = let_left();
    yk_lock_drop(&lock);
    return more;
}

bool yk_room_let(size_t size)
{
    yk_lock_take(&lock);
    bool room = size <= yk_rt.primary->max_alloc && size <= let_left();
    let += room ? size : 0;
    yk_lock_drop(&lock);
    return room;
}

void yk_room_end_let(size_t size)
{
    yk_lock_take(&lock);
    let -= size;
    yk_lock_drop(&lock);
}

uint64_t yk_room_let_now(void)
{
    yk_lock_take(&lock);
    uint64_t now = let;
    yk_lock_drop(&lock);
    return now;
}

uint64_t yk_room_borrow(void)
{
    yk_lock_take(&lock);
    uint64_t all = left();
    lent += all;
    yk_lock_drop(&lock);
    return all;
}

void yk_room_return(uint64_t bytes)
{
    yk_lock_take(&lock);
    lent -= bytes;
    yk_lock_drop(&lock);
}

uint64_t yk_room_left(void)
{
    yk_lock_take(&lock);
    uint64_t all = left();
    yk_lock_drop(&lock);
    return all;
}
