#include "shim/queue/quiet.h"

enum { QUEUES = 1024 };
static const uint64_t nothing = UINT64_MAX;

struct yk_quiet *yk_quiet_of(uint32_t number)
{
    static struct yk_quiet all[QUEUES];
    return &all[number % QUEUES];
}

uint64_t yk_quiet_wait(const struct yk_queue *q, uint32_t own)
{
    uint64_t begun = __atomic_load_n(&q->quiet->begun, __ATOMIC_SEQ_CST);
    return (uint32_t)begun == own ? begun >> 32 : nothing; /* a command may be counted that is not enqueued yet */
}

void yk_quiet_over(struct yk_queue *q, uint64_t wait)
{
    uint32_t over = __atomic_load_n(&q->quiet->over, __ATOMIC_RELAXED), to = (uint32_t)wait;
    while (wait != nothing && (int32_t)(to - over) > 0 &&
           !__atomic_compare_exchange_n(&q->quiet->over, &over, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
}

bool yk_quiet_is(uint32_t number)
{
    const struct yk_quiet *q = yk_quiet_of(number);
    uint32_t over =
        __atomic_load_n(&q->over, __ATOMIC_SEQ_CST); /* first: then nothing was under way at the load below */
    return over == (uint32_t)(__atomic_load_n(&q->begun, __ATOMIC_SEQ_CST) >> 32) &&
           __atomic_load_n(&q->number, __ATOMIC_SEQ_CST) == number;
}
