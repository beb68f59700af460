#include "partitioner/evict.h"
#include <stdlib.h>

void yk_evict_use(struct yk_evict_uses *u, uint64_t now)
{
    if (u->last && now > u->last)
        u->gap = now - u->last;
    u->last = now;
}

uint64_t yk_evict_next(const struct yk_evict_uses *u, uint64_t now)
{
    uint64_t since = now > u->last ? now - u->last : 0;
    return u->gap > since ? u->gap - since : since ? since : 1;
}

/* The last first; of those used at the same time the larger, so that few leave. */
static int by_use(const void *a, const void *b)
{
    const struct yk_evict_memory *p = a, *q = b;
    int use = (p->next < q->next) - (p->next > q->next);
    return use ? use : (p->bytes < q->bytes) - (p->bytes > q->bytes);
}

bool yk_evict_choose(struct yk_evict_memory *m, unsigned n, uint64_t needed, uint64_t next)
{
    uint64_t least = next > UINT64_MAX / YK_EVICT_MARGIN ? UINT64_MAX : YK_EVICT_MARGIN * next, have = 0;
    unsigned end = 0;
    qsort(m, n, sizeof *m, by_use);
    for (unsigned i = 0; i < n; i++)
        m[i].leaves = false;
    for (; end < n && have < needed && m[end].next >= least; end++)
        have += m[end].bytes;
    if (have < needed)
        return false;
    /* The one that made it enough may have made others needless: the soonest used of these stay. */
    for (unsigned i = end; i-- > 0;) {
        m[i].leaves = have - m[i].bytes < needed;
        have -= m[i].leaves ? 0 : m[i].bytes;
    }
    return true;
}
