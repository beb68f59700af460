#include "shim/memory/room.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/env.h"
#include "base/log.h"
#include "shim/core/runtime.h"

/* Of the primary's memory all buffers that stay there take no more than half, and one of them no more than a quarter:
 * nobody knows what the program will create, and what needs windows must find room for them. */
enum { ALL_STAY = 2, ONE_STAYS = 4 };
enum { LEAST = 1 << 20 }; /* of what a program can be told */

static uint64_t told, taken, let; /* atomic */

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

bool yk_room_take(size_t size)
{
    if (!yk_room_told())
        return true;
    const struct yk_device *d = yk_rt.primary;
    if (size > d->max_alloc || size > d->global_mem / ONE_STAYS)
        return false;
    uint64_t have = __atomic_add_fetch(&taken, size, __ATOMIC_RELAXED);
    uint64_t tenants = __atomic_load_n(&let, __ATOMIC_RELAXED);
    if (have <= d->global_mem / ALL_STAY && have >= size && have + tenants <= d->global_mem / 4 * 3)
        return true;
    yk_room_give(size);
    return false;
}

void yk_room_give(size_t size)
{
    if (told)
        __atomic_sub_fetch(&taken, size, __ATOMIC_RELAXED);
}

uint64_t yk_room_let_left(void)
{
    uint64_t have = __atomic_load_n(&taken, __ATOMIC_RELAXED), all = yk_rt.primary->global_mem;
    uint64_t may = have < all ? (all - have) / 2 : 0, tenants = __atomic_load_n(&let, __ATOMIC_RELAXED);
    return tenants < may ? may - tenants : 0;
}

bool yk_room_let(size_t size)
{
    if (size > yk_rt.primary->max_alloc || size > yk_room_let_left())
        return false;
    __atomic_add_fetch(&let, size, __ATOMIC_RELAXED);
    return true;
}

void yk_room_end_let(size_t size)
{
    __atomic_sub_fetch(&let, size, __ATOMIC_RELAXED);
}

uint64_t yk_room_left(void)
{
    uint64_t have = __atomic_load_n(&taken, __ATOMIC_RELAXED) + __atomic_load_n(&let, __ATOMIC_RELAXED);
    uint64_t all = yk_rt.primary->global_mem;
    return have < all ? all - have : 0;
}
