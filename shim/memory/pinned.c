#include "shim/memory/pinned.h"
#include <stdint.h>
#include "base/array.h"
#include "base/lock.h"

struct range {
    const unsigned char *from;
    size_t len;
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static YK_ARRAY(struct range) ranges;

bool yk_pinned(const void *ptr)
{
    bool found = false;
    yk_lock_take(&lock);
    for (size_t i = 0; i < ranges.n && !found; i++)
        found = (uintptr_t)ptr - (uintptr_t)ranges.v[i].from < ranges.v[i].len;
    yk_lock_drop(&lock);
    return found;
}

void yk_pinned_add(const void *ptr, size_t len)
{
    struct range r = {ptr, len};
    yk_lock_take(&lock);
    (void)yk_array_push(&ranges, r);
    yk_lock_drop(&lock);
}

void yk_pinned_remove(const void *ptr)
{
    yk_lock_take(&lock);
    for (size_t i = 0; i < ranges.n; i++)
        if (ranges.v[i].from == ptr) {
            ranges.v[i] = ranges.v[--ranges.n];
            break;
        }
    yk_lock_drop(&lock);
}
