#include "shim/memory/svm_range.h"
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/lock.h"

struct range {
    uintptr_t from, to;
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static void *ranges;  /* by tsearch */
static unsigned many; /* atomic */

/* Ranges that meet are equal: allocations do not meet one another. */
static int compare(const void *x, const void *y)
{
    const struct range *a = x, *b = y;
    return a->to <= b->from ? -1 : a->from >= b->to ? 1 : 0;
}

bool yk_svm_range_add(const void *p, size_t size)
{
    struct range *r = malloc(sizeof *r);
    if (!r)
        return false;
    *r = (struct range){(uintptr_t)p, (uintptr_t)p + (size ? size : 1)};
    yk_lock_take(&lock);
    struct range **in = tsearch(r, &ranges, compare);
    bool added = in && *in == r;
    if (added)
        __atomic_add_fetch(&many, 1, __ATOMIC_RELEASE);
    yk_lock_drop(&lock);
    if (!added)
        free(r);
    return in != NULL;
}

/* With the lock held. */
static struct range *at(const void *p)
{
    const struct range key = {(uintptr_t)p, (uintptr_t)p + 1};
    struct range **in = tfind(&key, &ranges, compare);
    return in ? *in : NULL;
}

void yk_svm_range_remove(const void *p)
{
    if (!__atomic_load_n(&many, __ATOMIC_ACQUIRE))
        return;
    yk_lock_take(&lock);
    struct range *r = at(p);
    if (r && r->from == (uintptr_t)p) {
        tdelete(r, &ranges, compare);
        __atomic_sub_fetch(&many, 1, __ATOMIC_RELEASE);
    } else {
        r = NULL;
    }
    yk_lock_drop(&lock);
    free(r);
}

bool yk_svm_range_has(const void *p)
{
    if (!__atomic_load_n(&many, __ATOMIC_ACQUIRE))
        return false;
    yk_lock_take(&lock);
    bool has = at(p);
    yk_lock_drop(&lock);
    return has;
}
