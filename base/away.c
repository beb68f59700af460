#include "base/away.h"
#include <unistd.h>

bool yk_away_few(void)
{
    enum { FEW = 8 };
    return sysconf(_SC_NPROCESSORS_CONF) <= FEW;
}

void yk_away_begin(struct yk_away *a)
{
    *a = (struct yk_away){.tid = yk_away_few() ? gettid() : 0};
}

void yk_away_send(struct yk_away *a)
{
    int here = sched_getcpu();
    if (a->set || !a->tid || here < 0 || sched_getaffinity(a->tid, sizeof a->before, &a->before) ||
        !CPU_ISSET(here, &a->before) || CPU_COUNT(&a->before) < 2)
        return;
    a->now = a->before;
    CPU_CLR(here, &a->now);
    a->set = sched_setaffinity(a->tid, sizeof a->now, &a->now) == 0;
}

void yk_away_end(struct yk_away *a)
{
    cpu_set_t set;
    if (!a->set)
        return;
    a->set = false;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_EQUAL(&set, &a->now))
        (void)sched_setaffinity(0, sizeof a->before, &a->before);
}
