#include "shim/queue/remember.h"
#include "shim/queue/decide.h"
#include "base/thread.h"
#include <string.h>

/* No driver call: yk_background_enter this early would come before what a driver's compiler registers for exit. */
static void *read_all(void *nothing)
{
    (void)nothing;
    yk_profile_load();
    return NULL;
}

static void *read_and_learn(void *nothing)
{
    (void)read_all(nothing);
    yk_profile_learn(yk_rt.primary);
    return NULL;
}

void yk_remember_start(void)
{
    static char begun;
    unsigned usable = 0;
    if (__atomic_test_and_set(&begun, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        usable += yk_rt.machine->device[i].usable;
    const struct yk_device *p = yk_rt.primary;
    bool several = usable > 1 && yk_rt.options.split,
         stages = yk_rt.options.piping == YK_PIPING_AUTO && p->type & CL_DEVICE_TYPE_GPU && !p->host_memory;
    if (several || stages) /* without a thread nothing is remembered */
        (void)yk_thread_start(several ? read_and_learn : read_all, NULL);
}

/* Numbers, sizes and the range: what the time may depend on besides the bytes in the buffers. */
static struct yk_hash problem_of(const struct yk_launch *l)
{
    struct yk_hash h = yk_hash_bytes((struct yk_hash){0, 0}, l->global, l->dims * sizeof *l->global);
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        if (v->kind == YK_VALUE_BYTES)
            h = yk_hash_bytes(h, yk_value_bytes(v), v->size);
        else if (v->kind == YK_VALUE_MEM)
            h = yk_hash_bytes(h, &v->u.mem->size, sizeof v->u.mem->size);
        else if (v->kind == YK_VALUE_LOCAL)
            h = yk_hash_bytes(h, &v->size, sizeof v->size);
    }
    return h;
}

struct yk_profile_key yk_remember_key(const struct yk_launch *l, unsigned dev, enum yk_sample_kind kind)
{
    struct yk_profile_key k = {.kernel = yk_hash_str(l->code->build->content, l->code->name),
                               .name = l->code->name,
                               .device = &yk_rt.machine->device[dev],
                               .problem = problem_of(l),
                               .kind = kind};
    for (unsigned i = 0; l->has_local && i < l->dims; i++)
        k.local[i] = l->local[i];
    return k;
}

double yk_remember_unit(const struct yk_launch *l)
{
    double items = 1;
    for (unsigned i = 0; l->has_local && i < l->dims; i++)
        items *= l->local[i] ? (double)l->local[i] : 1; /* 0: the driver's choice */
    return items;
}

/* Work-groups of L, as its samples count them. */
static double units_of(const struct yk_launch *l)
{
    double units = 1 / yk_remember_unit(l);
    for (unsigned i = 0; i < l->dims; i++)
        units *= (double)l->global[i];
    return units;
}

double yk_remember_measured(const struct yk_launch *l)
{
    struct yk_series s;
    struct yk_profile_key k = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_ALONE);
    double ms = yk_profile_get(&k, &s) ? yk_series_ms(&s, units_of(l)) : 0;
    return ms > 0 ? ms : 0;
}

double yk_remember_alone(const struct yk_launch *l)
{
    struct yk_series s;
    struct yk_profile_key k = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_FIRST);
    double units = units_of(l), ms = yk_remember_measured(l);
    if (ms > 0)
        return ms;
    /* A first launch contains what the driver does at it: an upper bound, which falls when it is seen again. */
    if (!yk_profile_get(&k, &s))
        return 0;
    for (unsigned i = 0; i < s.n; i++) /* of the whole, rather than what shares would make of it */
        if (s.at[i].groups > 0.95 * units && s.at[i].groups < 1.05 * units)
            return s.at[i].ms;
    return (ms = yk_series_ms(&s, units)) > 0 ? ms : 0;
}

double yk_remember_guess(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    const double sure = 3;
    double ms, factor;
    _Static_assert((unsigned)YK_MODEL_COUNTS == (unsigned)YK_COUNT_CLASS_COUNT, "the model's counts are the facts'");
    return f && yk_profile_guess(f->count, (double)yk_decide_items(l), yk_remember_unit(l), &ms, &factor)
               ? ms / (sure * factor)
               : 0;
}

unsigned yk_remember_tries(const struct yk_launch *l)
{
    struct yk_series s;
    struct yk_profile_key k = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_FIRST);
    double units = (double)yk_decide_items(l) / yk_remember_unit(l);
    if (!yk_profile_get(&k, &s))
        return 0;
    for (unsigned i = 0; i < s.n; i++)
        if (s.at[i].groups > 0.95 * units && s.at[i].groups < 1.05 * units)
            return s.at[i].count;
    return 0;
}

void yk_remember(const struct yk_launch *l, unsigned dev, enum yk_sample_kind kind, double items, double ms)
{
    struct yk_profile_key k = yk_remember_key(l, dev, kind);
    yk_profile_add(&k, items / yk_remember_unit(l), ms);
}

void yk_remember_try(const struct yk_launch *l, unsigned dev, bool first, double items, double ms)
{
    struct yk_profile_key k = yk_remember_key(l, dev, YK_SAMPLE_SHARED);
    yk_profile_lower(&k, items / yk_remember_unit(l), ms);
    yk_remember(l, dev, first ? YK_SAMPLE_FIRST : YK_SAMPLE_SHARED, items, ms);
}

/* The share of L on DEV that took the least time per work-group; count 0: there was none. */
static struct yk_sample least(const struct yk_launch *l, unsigned dev, struct yk_profile_key *k)
{
    struct yk_series s;
    *k = yk_remember_key(l, dev, YK_SAMPLE_LEAST);
    return yk_profile_get(k, &s) ? s.at[0] : (struct yk_sample){0};
}

void yk_remember_least(const struct yk_launch *l, unsigned dev, double items, double ms)
{
    struct yk_profile_key k = yk_remember_key(l, dev, YK_SAMPLE_SHARED),
                          first = yk_remember_key(l, dev, YK_SAMPLE_FIRST);
    struct yk_series of;
    if (!yk_profile_get(&k, &of) && !yk_profile_get(&first, &of))
        return; /* one problem of too many */
    struct yk_sample s = least(l, dev, &k);
    double groups = items / yk_remember_unit(l);
    if (!s.count || ms / groups < s.ms / s.groups)
        s = (struct yk_sample){groups, ms, s.count};
    s.count += s.count < UINT32_MAX;
    yk_profile_set(&k, s);
}

bool yk_remember_has_least(const struct yk_launch *l, unsigned dev)
{
    struct yk_profile_key k;
    return least(l, dev, &k).count > 0;
}

double yk_remember_slower(const struct yk_launch *l, unsigned dev)
{
    enum { ENOUGH = 6, FEW = 2 };
    const double slower = 1.4, far = 3, long_ms = 30;
    struct yk_profile_key k;
    struct yk_sample s = least(l, dev, &k), p = least(l, yk_rt.machine->primary, &k);
    uint32_t n = s.count < p.count ? s.count : p.count;
    if (!n)
        return 0;
    double ratio = s.ms / s.groups / (p.ms / p.groups);
    bool is = ratio > far ? n >= FEW || s.ms > long_ms : ratio > slower && n >= ENOUGH;
    return is ? s.groups / s.ms : 0;
}

/* The first of the samples of kind DECLINED; its count is one more than the launches, since none is not kept. */
static struct yk_sample declined(const struct yk_launch *l, struct yk_profile_key *k)
{
    struct yk_series s;
    *k = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_DECLINED);
    return yk_profile_get(k, &s) ? s.at[0] : (struct yk_sample){1, 0, 1};
}

bool yk_remember_again(const struct yk_launch *l, double alone_ms)
{
    const double another_time = 1.4;
    struct yk_profile_key k;
    struct yk_sample s = declined(l, &k);
    unsigned n = s.count - 1;
    return n && ((n >= 8 && (!(n & (n - 1)) || n % 64 == 0)) || another_time * alone_ms < s.ms);
}

/* The first measurements are what first copies cost; each later one counts as much as that part of all. */
enum { MOVES_FIRST = 4, MOVES_TOLD = 32 };
static const double newest = 0.125;

double yk_remember_moves(const struct yk_launch *l, double *fetched_ms)
{
    struct yk_series s;
    yk_lock_take(&l->code->lock);
    struct yk_code_moved m = l->code->moved;
    yk_lock_drop(&l->code->lock);
    *fetched_ms = m.fetched_ms;
    if (m.n > MOVES_FIRST)
        return m.fetched_ms + m.brought_ms;
    struct yk_profile_key k = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_MOVED);
    return yk_profile_get(&k, &s) ? s.at[0].ms : 0;
}

void yk_remember_move(const struct yk_launch *l, double brought_ms, double fetched_ms)
{
    struct yk_code *c = l->code;
    yk_lock_take(&c->lock);
    struct yk_code_moved *m = &c->moved;
    unsigned n = ++m->n;
    double part = n == MOVES_FIRST + 1 ? 1 : newest;
    if (n > MOVES_FIRST) {
        m->fetched_ms += part * (fetched_ms - m->fetched_ms);
        m->brought_ms += part * (brought_ms - m->brought_ms);
    }
    double ms = m->fetched_ms + m->brought_ms;
    yk_lock_drop(&c->lock);
    if (n % MOVES_TOLD)
        return;
    struct yk_profile_key k = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_MOVED);
    yk_profile_set(&k, (struct yk_sample){1, ms, 1});
}

void yk_remember_declined(const struct yk_launch *l, double alone_ms, bool tried)
{
    const uint32_t most = 1u << 30; /* a multiple of 64 */
    struct yk_profile_key k;
    struct yk_sample s = declined(l, &k);
    s.count = s.count < most ? s.count + 1 : 2;
    s.ms = tried || alone_ms > s.ms ? alone_ms : s.ms;
    yk_profile_set(&k, s);
}

void yk_remember_won(const struct yk_launch *l)
{
    struct yk_profile_key k;
    struct yk_sample s = declined(l, &k);
    if (s.count == 1)
        return;
    s.count = (s.count - 1) / 2 + 1;
    yk_profile_set(&k, s);
}
