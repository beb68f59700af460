#include "shim/queue/users.h"
#include <time.h>

/* Whoever notes a use says so first and then looks for a division, whoever divides says so first and then looks for
 * other users: both in one order for all threads, so that one of the two sees the other. */
static void note(struct yk_used *u, uint32_t number)
{
    uint32_t none = 0;
    if (yk_users_known(u, number) ||
        __atomic_compare_exchange_n(&u->first, &none, number, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    __atomic_store_n(&u->several, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&u->dividing, __ATOMIC_SEQ_CST))
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static struct yk_used *used_of(const struct yk_mem *m)
{
    return m->image ? &m->image->used : m->store ? &m->store->used : NULL;
}

void yk_users_note(const struct yk_launch *l)
{
    for (unsigned i = 0; i < l->nvalues; i++) {
        struct yk_used *u = l->value[i].kind == YK_VALUE_MEM ? used_of(l->value[i].u.mem) : NULL;
        if (u)
            note(u, l->c.queue->number);
    }
}

void yk_users_note_image(const struct yk_mem *m, uint32_t number)
{
    if (m->image)
        note(&m->image->used, number);
}

/* What L must be alone with of argument I: what it changes by atomics, and images. NULL: nothing. */
static struct yk_used *alone_with(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned i)
{
    const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
    return m && (m->image || f->arg[i].atomic) ? used_of(m) : NULL;
}

static unsigned count(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    return !f ? 0 : f->nargs < l->nvalues ? f->nargs : l->nvalues;
}

const char *yk_users_several(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < count(l, f); i++) {
        const struct yk_used *u = alone_with(l, f, i);
        if (u && __atomic_load_n(&u->several, __ATOMIC_SEQ_CST))
            return f->arg[i].atomic ? "its atomics change a buffer that launches of several queues use"
                                    : "commands of several queues use an image";
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
