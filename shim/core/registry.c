#include "shim/core/registry.h"
#include <stdlib.h>
#include <stdint.h>
#include "base/lock.h"
#define uthash_fatal(msg) abort()
#define HASH_NONFATAL_OOM 1
static __thread bool failed;
#define uthash_nonfatal_oom(elt) (failed = true)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#include <uthash.h>

struct entry {
    uintptr_t key;
    UT_hash_handle hh;
};

const void *yk_registry_slot[YK_REGISTRY_SLOTS];
uintptr_t yk_registry_low = UINTPTR_MAX, yk_registry_high;
static struct entry *table;
static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);

bool yk_registry_add(const void *handle)
{
    struct entry *e = calloc(1, sizeof *e);
    if (!e)
        return false;
    e->key = (uintptr_t)handle;
    yk_lock_take(&lock);
    failed = false;
    HASH_ADD(hh, table, key, sizeof e->key, e);
    bool ok = !failed;
    if (ok) {
        if (e->key < yk_registry_low)
            __atomic_store_n(&yk_registry_low, e->key, __ATOMIC_RELAXED);
        if (e->key > yk_registry_high)
            __atomic_store_n(&yk_registry_high, e->key, __ATOMIC_RELAXED);
        __atomic_store_n(&yk_registry_slot[yk_registry_hash(handle)], handle, __ATOMIC_RELEASE);
    }
    yk_lock_drop(&lock);
    if (!ok)
        free(e);
    return ok;
}

void yk_registry_remove(const void *handle)
{
    uintptr_t key = (uintptr_t)handle;
    struct entry *e;
    yk_lock_take(&lock);
    HASH_FIND(hh, table, &key, sizeof key, e);
    const void **slot = &yk_registry_slot[yk_registry_hash(handle)];
    if (*slot == handle)
        __atomic_store_n(slot, NULL, __ATOMIC_RELEASE);
    if (e)
        HASH_DEL(table, e);
    yk_lock_drop(&lock);
    free(e);
}

bool yk_registry_has(const void *handle)
{
    uintptr_t key = (uintptr_t)handle;
    struct entry *e;
    yk_lock_take(&lock);
    HASH_FIND(hh, table, &key, sizeof key, e);
    yk_lock_drop(&lock);
    return e;
}
#pragma GCC diagnostic pop
