#include "shim/queue/code.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"

struct yk_code *yk_code_create(struct yk_build *build, const char *name)
{
    struct yk_code *c = calloc(1, sizeof *c);
    if (!c || !(c->name = strdup(name))) {
        free(c);
        return NULL;
    }
    c->holds = 1;
    c->build = build;
    yk_build_hold(build);
    yk_lock_init(&c->lock, YK_RANK_KERNEL);
    return c;
}

/* Half of a launch as long is worth more than handing it over costs. */
static const double long_ms = 0.6;

void yk_code_lasts(struct yk_code *c, double items, double ms)
{
    double fewest = yk_code_get(&c->long_items);
    if (ms > long_ms && (fewest <= 0 || items < fewest))
        yk_code_put(&c->long_items, items);
}

void yk_code_is_small(struct yk_code *c, double items)
{
    double fewest = yk_code_get(&c->long_items);
    if (items > yk_code_get(&c->small) && (fewest <= 0 || items < fewest))
        yk_code_put(&c->small, items);
}

void yk_code_hold(struct yk_code *c)
{
    __atomic_fetch_add(&c->holds, 1, __ATOMIC_RELAXED);
}

static void free_pool(struct yk_code_kernel *k, const struct yk_cl *cl)
{
    while (k) {
        struct yk_code_kernel *next = k->next;
        cl->ReleaseKernel(k->real);
        free(k);
        k = next;
    }
}

void yk_code_drop(struct yk_code *c)
{
    if (__atomic_sub_fetch(&c->holds, 1, __ATOMIC_ACQ_REL))
        return;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        free_pool(c->pool[i], yk_rt.machine->device[i].cl);
    free_pool(c->whole, yk_rt.primary->cl);
    free_pool(c->merger, yk_rt.machine->device[c->build->merge_device].cl);
    yk_recall_finish(&c->recall);
    yk_lock_finish(&c->lock);
    yk_build_drop(c->build);
    free(c->name);
    free(c);
}

const struct yk_facts_kernel *yk_code_facts(struct yk_code *c)
{
    const struct yk_facts_kernel *f = __atomic_load_n(&c->facts, __ATOMIC_ACQUIRE);
    if (f)
        return f;
    enum yk_build_state s = yk_build_now(c->build);
    if (s != YK_BUILD_ANALYSED && s != YK_BUILD_READY)
        return NULL;
    f = yk_facts_find(&c->build->facts, c->name);
    __atomic_store_n(&c->facts, f, __ATOMIC_RELEASE);
    return f;
}

static struct yk_code_kernel *create(cl_program p, const char *name, unsigned dev)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_int err;
    cl_kernel real = d->cl->CreateKernel(p, name, &err);
    if (!real) {
        yk_warn("device %u (%s) gives no kernel %s: %s", dev, d->name, name, yk_cl_error_name(err));
        return NULL;
    }
    struct yk_code_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        d->cl->ReleaseKernel(real);
        return NULL;
    }
    k->real = real;
    return k;
}

/* The first of them: have those before it taken long? */
static bool lone_are_slow(struct yk_code *c)
{
    const uint64_t slow_ns = 300000;
    unsigned n = __atomic_add_fetch(&c->lone_seen, 1, __ATOMIC_RELAXED);
    if (n < 2 || n & (n - 1)) /* the first may have been compiled */
        return false;
    uint64_t now = yk_now_ns(), since = __atomic_load_n(&c->lone_since, __ATOMIC_RELAXED);
    if (n == 2)
        __atomic_store_n(&c->lone_since, now, __ATOMIC_RELAXED);
    return n > 2 && now - since >= slow_ns * (n - 2);
}

bool yk_code_lone_passes(struct yk_code *c)
{
    unsigned n = __atomic_load_n(&c->lone_pass, __ATOMIC_RELAXED);
    if (n)
        __atomic_compare_exchange_n(&c->lone_pass, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    bool passes = n || (!__atomic_load_n(&c->lone_looked, __ATOMIC_RELAXED) && !lone_are_slow(c));
    if (passes)
        __atomic_add_fetch(&c->lone_gone, 1, __ATOMIC_RELAXED);
    return passes;
}

struct yk_code_kernel *yk_code_take(struct yk_code *c, unsigned dev, bool split)
{
    yk_lock_take(&c->lock);
    struct yk_code_kernel **pool = split ? &c->pool[dev] : &c->whole, *k = *pool;
    if (k)
        *pool = k->next;
    yk_lock_drop(&c->lock);
    if (k)
        return k;
    const struct yk_facts_kernel *f = split ? yk_code_facts(c) : NULL;
    yk_lock_take(&c->build->lock);
    cl_program p = f && f->needs_variant ? c->build->variant[dev] : c->build->original[dev];
    yk_lock_drop(&c->build->lock);
    if (!p)
        return NULL;
    return create(p, c->name, dev);
}

void yk_code_give(struct yk_code *c, unsigned dev, bool split, struct yk_code_kernel *k)
{
    yk_lock_take(&c->lock);
    struct yk_code_kernel **pool = split ? &c->pool[dev] : &c->whole;
    k->next = *pool;
    *pool = k;
    yk_lock_drop(&c->lock);
}

struct yk_code_kernel *yk_code_take_merger(struct yk_code *c, unsigned dev)
{
    yk_lock_take(&c->lock);
    struct yk_code_kernel *k = c->merger;
    if (k)
        c->merger = k->next;
    yk_lock_drop(&c->lock);
    cl_program p = k ? NULL : yk_build_merging(c->build, dev, false);
    char name[4200];
    if (!p || snprintf(name, sizeof name, YK_MERGE_PREFIX "%s", c->name) >= (int)sizeof name)
        return k;
    return create(p, name, dev);
}

void yk_code_give_merger(struct yk_code *c, struct yk_code_kernel *k)
{
    yk_lock_take(&c->lock);
    k->next = c->merger;
    c->merger = k;
    yk_lock_drop(&c->lock);
}
