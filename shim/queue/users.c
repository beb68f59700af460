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

/* A command that is noted: of which queue, its number, and what it waits for. */
struct use {
    struct yk_queue *q;
    uint32_t number, now;
    cl_uint n;
    const cl_event *wait;
};

static struct use use_of(struct yk_queue *q, cl_uint n, const cl_event *wait)
{
    return (struct use){.q = q, .number = q->number, .now = yk_quiet_now(q), .n = n, .wait = wait};
}

/* Does C's queue own it, alone so far or after the last command of its owner before? */
static bool owns(struct yk_used *u, const struct use *c)
{
    uint32_t owner = 0, last;
    uint64_t begun;
    if (__atomic_compare_exchange_n(&u->owner, &owner, c->number, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
        owner == c->number)
        return true;
    (void)yk_quiet_settles(owner); /* what is being enqueued has been noted by then */
    last = __atomic_load_n(&u->last, __ATOMIC_SEQ_CST);
    if (!yk_quiet_after(owner, last, c->q, c->n, c->wait, &begun) ||
        !__atomic_compare_exchange_n(&u->owner, &owner, c->number, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    /* The owner before may be using it anew, without having seen that it is not its own any more. */
    if (!yk_quiet_still(owner, begun) &&
        (!yk_quiet_settles(owner) || __atomic_load_n(&u->last, __ATOMIC_SEQ_CST) != last))
        mix(u);
    __atomic_store_n(&u->wrote, false, __ATOMIC_SEQ_CST);
    return true;
}

static void note(struct yk_used *u, const struct use *c, bool writes)
{
    if (yk_users_known(u, c->number, writes, c->now))
        return;
    if (!__atomic_load_n(&u->several, __ATOMIC_SEQ_CST) && owns(u, c)) {
        __atomic_store_n(&u->last, c->now, __ATOMIC_SEQ_CST);
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

void yk_users_note(const struct yk_launch *l, cl_uint n, const cl_event *wait)
{
    const struct use c = use_of(l->c.queue, n, wait);
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        if (m && used_of(m))
            note(used_of(m), &c, yk_users_writes(m, f, i));
    }
}

void yk_users_note_command(struct yk_queue *q, const struct yk_mem *m, bool writes, cl_uint n, const cl_event *wait)
{
    const struct use c = use_of(q, n, wait);
    if (used_of(m) && (m->image || m->store->copied))
        note(used_of(m), &c, writes || m->image);
}

/* What L must be alone with of argument I. NULL: nothing. */
static struct yk_used *alone_with(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned i)
{
    const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
    return m && (m->image || f->arg[i].atomic || (m->store && m->store->copied)) ? used_of(m) : NULL;
}

static unsigned count(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    return !f ? 0 : f->nargs < l->nvalues ? f->nargs : l->nvalues;
}

/* May the program be writing to it through a map? Elsewhere than the launch, which brings and puts together more. */
static bool is_written_by_host(const struct yk_mem *m)
{
    return m->store && m->store->copied && __atomic_load_n(&m->store->write_maps, __ATOMIC_SEQ_CST);
}

const char *yk_users_forbid(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < count(l, f); i++) {
        const struct yk_used *u = alone_with(l, f, i);
        if (u && is_written_by_host(l->value[i].u.mem))
            return "the program has a part of a buffer of it mapped for writing";
        /* Of texels in one place nothing is copied. */
        const struct yk_image *image = u ? l->value[i].u.mem->image : NULL;
        if (u && __atomic_load_n(&u->mixed, __ATOMIC_SEQ_CST) && !(image && yk_image_is_one(image)))
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
    if (!yk_users_forbid(l, f))
        return true;
    add(l, f, -1);
    return false;
}

void yk_users_end(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    add(l, f, -1);
}
