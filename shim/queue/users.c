#include "shim/queue/users.h"
#include <time.h>

/* Whoever notes a use says so first and then looks for a division, whoever divides says so first and then looks for
 * other users: both in one order for all threads, so that one of the two sees the other. */
static void mix(struct yk_used *u)
{
    __atomic_store_n(&u->several, true, __ATOMIC_SEQ_CST);
    __atomic_store_n(&u->mixed, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&u->dividing, __ATOMIC_SEQ_CST))
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* Does queue NUMBER own it, alone so far or after all of its owner before has been waited for? */
static bool owns(struct yk_used *u, uint32_t number)
{
    uint32_t owner = 0;
    if (__atomic_compare_exchange_n(&u->owner, &owner, number, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
        owner == number)
        return true;
    if (!yk_quiet_is(owner) ||
        !__atomic_compare_exchange_n(&u->owner, &owner, number, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    __atomic_store_n(&u->wrote, false, __ATOMIC_SEQ_CST);
    if (!yk_quiet_is(owner)) /* it has begun to use it again, and may not have seen that it is not its own any more */
        mix(u);
    return true;
}

static void note(struct yk_used *u, uint32_t number, bool writes)
{
    if (yk_users_known(u, number, writes))
        return;
    if (!__atomic_load_n(&u->several, __ATOMIC_SEQ_CST) && owns(u, number)) {
        if (writes)
            __atomic_store_n(&u->wrote, true, __ATOMIC_SEQ_CST);
        if (!__atomic_load_n(&u->several, __ATOMIC_SEQ_CST))
            return;
    }
    __atomic_store_n(&u->several, true, __ATOMIC_SEQ_CST);
    if (writes || __atomic_load_n(&u->wrote, __ATOMIC_SEQ_CST))
        mix(u);
}

static struct yk_used *used_of(const struct yk_mem *m)
{
    return m->image ? &m->image->used : m->store ? &m->store->used : NULL;
}

void yk_users_note(const struct yk_launch *l)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        if (m && used_of(m))
            note(used_of(m), l->c.queue->number, yk_users_writes(m, f, i));
    }
}

/* Does some device of this machine have memory of its own? */
static bool copies(void)
{
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (!yk_rt.machine->device[i].host_memory)
            return true;
    return false;
}

void yk_users_note_command(const struct yk_queue *q, const struct yk_mem *m, bool writes)
{
    if (used_of(m) && (m->image || copies()))
        note(used_of(m), q->number, writes || m->image);
}

/* What L must be alone with of argument I. NULL: nothing. */
static struct yk_used *alone_with(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned i)
{
    const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
    return m && (m->image || f->arg[i].atomic || copies()) ? used_of(m) : NULL;
}

static unsigned count(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    return !f ? 0 : f->nargs < l->nvalues ? f->nargs : l->nvalues;
}

const char *yk_users_several(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < count(l, f); i++) {
        const struct yk_used *u = alone_with(l, f, i);
        if (u && __atomic_load_n(&u->mixed, __ATOMIC_SEQ_CST))
            return "several queues use a buffer or image of it at once, and some write it";
    }
    return NULL;
}

static void add(const struct yk_launch *l, const struct yk_facts_kernel *f, int n)
{
    for (unsigned i = 0; i < count(l, f); i++) {
        struct yk_used *u = alone_with(l, f, i);
        if (u)
            __atomic_add_fetch(&u->dividing, n, __ATOMIC_SEQ_CST);
    }
}

bool yk_users_begin(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    add(l, f, 1);
    if (!yk_users_several(l, f))
        return true;
    add(l, f, -1);
    return false;
}

void yk_users_end(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    add(l, f, -1);
}
