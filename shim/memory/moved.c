#include "shim/memory/moved.h"
#include <stddef.h>

enum { RANGES = 64 };

static struct moved {
    const void *owner;
    struct yk_watch_range at;
    unsigned times;
    uint64_t last;
} moved[RANGES];
static uint64_t now;

static unsigned count(const void *owner, struct yk_watch_range r)
{
    struct moved *oldest = moved;
    now++;
    for (int i = 0; i < RANGES; i++) {
        struct moved *m = &moved[i];
        if (m->owner == owner && m->at.from == r.from && m->at.to == r.to) {
            m->last = now;
            return ++m->times;
        }
        oldest = m->last < oldest->last ? m : oldest;
    }
    *oldest = (struct moved){owner, r, 1, now};
    return 1;
}

bool yk_moved_is_due(const void *owner, struct yk_watch_range r, unsigned least)
{
    unsigned times = count(owner, r);
    return times >= least && !(times & (times - 1));
}

void yk_moved_forget(const void *owner)
{
    for (int i = 0; i < RANGES; i++)
        if (moved[i].owner == owner)
            moved[i] = (struct moved){.owner = NULL};
}
