#include "shim/queue/quiet.h"
#include <sched.h>
#include "shim/queue/event.h"

enum { QUEUES = 1024 };

struct yk_quiet *yk_quiet_of(uint32_t number)
{
    static struct yk_quiet all[QUEUES];
    return &all[number % QUEUES];
}

uint64_t yk_quiet_wait(const struct yk_queue *q, uint32_t own)
{
    uint64_t begun = __atomic_load_n(&q->quiet->begun, __ATOMIC_SEQ_CST);
    return (uint32_t)begun == own ? begun >> 32 : YK_EVENT_ALONE; /* else one may be counted that is not enqueued yet */
}

static bool later(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

void yk_quiet_over(const struct yk_queue *q, uint64_t wait)
{
    uint32_t over = __atomic_load_n(&q->quiet->over, __ATOMIC_RELAXED), to = (uint32_t)wait;
    if (wait == YK_EVENT_ALONE || __atomic_load_n(&q->quiet->number, __ATOMIC_RELAXED) != q->number)
        return;
    while (later(to, over) &&
           !__atomic_compare_exchange_n(&q->quiet->over, &over, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
}

bool yk_quiet_settles(uint32_t number)
{
    enum { TRIES = 200 };
    struct yk_quiet *q = yk_quiet_of(number);
    for (unsigned i = 0; (uint32_t)__atomic_load_n(&q->begun, __ATOMIC_SEQ_CST); i++) {
        if (i == TRIES)
            return false;
        sched_yield();
    }
    return __atomic_load_n(&q->number, __ATOMIC_SEQ_CST) == number;
}

/* What is over with E. False: nothing but its own command. */
static bool event_of(cl_event e, struct yk_behind *b)
{
    const struct yk_event *ev = yk_event_from(e);
    if (!ev || !ev->queue || ev->upto == YK_EVENT_ALONE)
        return false;
    *b = (struct yk_behind){ev->queue->number, (uint32_t)ev->upto};
    return true;
}

void yk_quiet_behind(struct yk_queue *q, cl_uint n, const cl_event *wait)
{
    struct yk_behind b;
    if (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return;
    for (cl_uint i = 0; i < n && wait; i++) {
        if (!event_of(wait[i], &b) || b.number == q->number)
            continue;
        yk_lock_take(&q->lock);
        unsigned at = 0;
        while (at < YK_BEHIND && q->behind[at].number != b.number)
            at++;
        if (at == YK_BEHIND)
            q->behind[at = q->next_behind++ % YK_BEHIND] = b;
        else if (later(b.upto, q->behind[at].upto))
            q->behind[at].upto = b.upto;
        yk_lock_drop(&q->lock);
    }
}

bool yk_quiet_after(uint32_t number, uint32_t last, struct yk_queue *q, cl_uint n, const cl_event *wait,
                    uint64_t *begun)
{
    const struct yk_quiet *of = yk_quiet_of(number);
    struct yk_behind b;
    *begun = __atomic_load_n(&of->begun, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&of->number, __ATOMIC_SEQ_CST) != number)
        return false;
    bool after = !later(last, __atomic_load_n(&of->over, __ATOMIC_SEQ_CST));
    for (cl_uint i = 0; i < n && wait && !after; i++)
        after = event_of(wait[i], &b) && b.number == number && !later(last, b.upto);
    yk_lock_take(&q->lock);
    for (unsigned i = 0; i < YK_BEHIND && !after; i++)
        after = q->behind[i].number == number && !later(last, q->behind[i].upto);
    yk_lock_drop(&q->lock);
    return after;
}

bool yk_quiet_still(uint32_t number, uint64_t begun)
{
    return __atomic_load_n(&yk_quiet_of(number)->begun, __ATOMIC_SEQ_CST) == begun;
}
