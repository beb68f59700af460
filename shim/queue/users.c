#include "shim/queue/users.h"
#include <time.h>

/* Whoever notes a use says so first and then looks for a division, whoever divides says so first and then looks for
 * other users: both in one order for all threads, so that one of the two sees the other. */
static void note(struct yk_store *s, uint32_t number)
{
    uint32_t none = 0;
    if (yk_users_known(s, number) ||
        __atomic_compare_exchange_n(&s->user, &none, number, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    __atomic_store_n(&s->shared, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&s->dividing, __ATOMIC_SEQ_CST))
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

void yk_users_note(const struct yk_launch *l)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && l->value[i].u.mem->store)
            note(l->value[i].u.mem->store, l->c.queue->number);
}

/* What L changes by atomics with argument I; NULL: nothing. */
static struct yk_store *changed(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned i)
{
    return f->arg[i].atomic && l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem->store : NULL;
}

static unsigned count(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    return !f ? 0 : f->nargs < l->nvalues ? f->nargs : l->nvalues;
}

bool yk_users_several(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < count(l, f); i++) {
        const struct yk_store *s = changed(l, f, i);
        if (s && __atomic_load_n(&s->shared, __ATOMIC_SEQ_CST))
            return true;
    }
    return false;
}

static void add(const struct yk_launch *l, const struct yk_facts_kernel *f, int n)
{
    for (unsigned i = 0; i < count(l, f); i++) {
        struct yk_store *s = changed(l, f, i);
        if (s)
            __atomic_add_fetch(&s->dividing, n, __ATOMIC_SEQ_CST);
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
