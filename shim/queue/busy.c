#include "shim/queue/busy.h"
#include "base/clock.h"

static struct {
    uint64_t until; /* ns; atomic, as is the next */
    const struct yk_queue *by;
} busy[YK_MAX_DEVICES];
static unsigned begins; /* atomic */

void yk_busy_begin(const struct yk_queue *q, unsigned dev, double ms)
{
    uint64_t until = yk_now_ns() + (uint64_t)(ms > 0 ? ms * 1e6 : 0);
    __atomic_add_fetch(&begins, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&busy[dev].by, __ATOMIC_RELAXED) != q &&
        __atomic_load_n(&busy[dev].until, __ATOMIC_RELAXED) > until)
        return; /* another queue's lasts longer */
    __atomic_store_n(&busy[dev].by, q, __ATOMIC_RELAXED);
    __atomic_store_n(&busy[dev].until, until, __ATOMIC_RELAXED);
}

void yk_busy_end(const struct yk_queue *q)
{
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        if (__atomic_load_n(&busy[dev].by, __ATOMIC_RELAXED) == q)
            __atomic_store_n(&busy[dev].until, 0, __ATOMIC_RELAXED);
}

double yk_busy_ms(const struct yk_queue *q, unsigned dev)
{
    uint64_t until = __atomic_load_n(&busy[dev].until, __ATOMIC_RELAXED), now;
    if (!until || __atomic_load_n(&busy[dev].by, __ATOMIC_RELAXED) == q)
        return 0;
    now = yk_now_ns();
    return until > now ? (double)(until - now) * 1e-6 : 0;
}

unsigned yk_busy_begins(void)
{
    return __atomic_load_n(&begins, __ATOMIC_RELAXED);
}
