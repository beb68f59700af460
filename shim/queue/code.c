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

bool yk_code_is_cold(const struct yk_code *c, double ms, double alone_ms)
{
    const double most_ms = 5;
    enum { FIRST = 4 };
    return c->moved.n < FIRST && ms - alone_ms < most_ms && !yk_rt.primary->host_memory;
}

void yk_code_divided(struct yk_code *c, double ms, double alone_ms, double items)
{
    const double hopeless_ms = 0.3, small_ms = 1, first_ms = 100, forgets = 0.9;
    bool hopeless = alone_ms < hopeless_ms, lost = hopeless || ms > alone_ms;
    if (lost && !hopeless && yk_code_is_cold(c, ms, alone_ms))
        return;
    unsigned losses = lost ? c->losses + 1 : 0;
    __atomic_store_n(&c->losses, losses, __ATOMIC_RELAXED);
    if (!lost)
        c->closed_ms *= forgets;
    if (losses < YK_LOSSES)
        return;
    if (hopeless)
        __atomic_store_n(&c->closed_until, 0, __ATOMIC_RELAXED);
    else if (!yk_rt.primary->host_memory) {
        c->closed_ms = c->closed_ms > first_ms / 2 ? 2 * c->closed_ms : first_ms;
        __atomic_store_n(&c->closed_until, yk_now_ns() + (uint64_t)(c->closed_ms * 1e6), __ATOMIC_RELAXED);
        __atomic_store_n(&c->pass, (unsigned)(c->closed_ms / alone_ms) + 1, __ATOMIC_RELAXED);
    }
    if (alone_ms < small_ms)
        yk_code_is_small(c, items);
}

struct yk_code_local *yk_code_local(struct yk_code *c, const size_t *local)
{
    const unsigned bits = 21;
    uint64_t key = (uint64_t)local[0] | (uint64_t)local[1] << bits | (uint64_t)local[2] << 2 * bits | 1ull << 63;
    for (unsigned i = 0; i < YK_CODE_LOCALS; i++) {
        struct yk_code_local *l = &c->by_local[i];
        uint64_t is = __atomic_load_n(&l->key, __ATOMIC_RELAXED);
        if (is == key ||
            (!is &&
             (__atomic_compare_exchange_n(&l->key, &is, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || is == key)))
            return l;
    }
    return NULL;
}

void yk_code_brought(struct yk_code *c, double brought_ms, double ms, double alone_ms)
{
    const double newest = 0.25;
    double part = (brought_ms + ms - alone_ms) / brought_ms;
    part = part < 0 ? 0 : part < 1 ? part : 1;
    yk_lock_take(&c->lock);
    c->after_bring += c->after_bring_known ? newest * (part - c->after_bring) : part;
    c->after_bring_known = true;
    yk_lock_drop(&c->lock);
}

double yk_code_brought_part(struct yk_code *c)
{
    yk_lock_take(&c->lock);
    double part = c->after_bring_known ? c->after_bring : 1;
    yk_lock_drop(&c->lock);
    return part;
}

void yk_code_close(struct yk_code *c)
{
    __atomic_store_n(&c->losses, YK_LOSSES, __ATOMIC_RELAXED);
    __atomic_store_n(&c->closed_until, 0, __ATOMIC_RELAXED);
}

double yk_code_reopens(const struct yk_code *c, double alone_ms)
{
    uint64_t until = __atomic_load_n(&c->closed_until, __ATOMIC_RELAXED), now = yk_now_ns();
    double left = until > now ? (double)(until - now) * 1e-6 : 0;
    return until && alone_ms > 0 ? 1 + left / alone_ms : 0;
}

bool yk_code_closed(struct yk_code *c)
{
    if (__atomic_load_n(&c->losses, __ATOMIC_RELAXED) < YK_LOSSES)
        return false;
    uint64_t until = __atomic_load_n(&c->closed_until, __ATOMIC_RELAXED);
    if (!until || yk_now_ns() < until)
        return true;
    __atomic_store_n(&c->losses, YK_LOSSES - 1, __ATOMIC_RELAXED);
    return false;
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
