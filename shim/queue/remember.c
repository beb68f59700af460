#include "shim/queue/remember.h"
#include "shim/queue/decide.h"
#include "base/thread.h"
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* A program whose launches together last no longer than this is not what a second device is prepared for before
 * anything else is known. */
static const double worth_ms = 5;

static void *read_in_background(void *arg)
{
    (void)arg;
    yk_profile_load(); /* no driver call: yk_background_enter this early would come before what a driver's compiler
                          registers for exit */
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
    if (usable < 2 || !yk_rt.options.split)
        return;
    (void)yk_thread_start(read_in_background, NULL); /* without it nothing is remembered */
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

static struct yk_profile_key program_key(const struct yk_build *b, unsigned dev, enum yk_sample_kind kind)
{
    return (struct yk_profile_key){
        .kernel = b->content, .name = "(program)", .device = &yk_rt.machine->device[dev], .kind = kind};
}

double yk_remember_build(const struct yk_build *b, unsigned dev)
{
    struct yk_series s;
    struct yk_profile_key k = program_key(b, dev, YK_SAMPLE_BUILD);
    return yk_profile_get(&k, &s) ? s.at[0].ms : b->seconds * 1e3;
}

void yk_remember_built(const struct yk_build *b, unsigned dev, double ms)
{
    struct yk_profile_key k = program_key(b, dev, YK_SAMPLE_BUILD);
    yk_profile_add(&k, 1, ms);
}

static struct yk_hash executable;

static void find_executable(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n > 0)
        executable = yk_hash_bytes((struct yk_hash){0, 0}, path, (size_t)n);
}

static struct yk_profile_key process_key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_executable);
    return (struct yk_profile_key){
        .kernel = executable, .name = "(process)", .device = yk_rt.primary, .kind = YK_SAMPLE_ALONE};
}

static double recalled(const struct yk_profile_key *k)
{
    struct yk_series s;
    return yk_profile_get(k, &s) ? s.at[0].ms : 0;
}

double yk_remember_process(void)
{
    struct yk_profile_key k = process_key();
    return recalled(&k);
}

/* This process, and how long earlier ones of the executable were. */
static struct {
    struct yk_lock lock;
    bool begun;
    double before, ms;
} process = {.lock = YK_LOCK_INIT(YK_RANK_MEM)};

/* NOW is what this process has come to so far: one that is shorter than earlier ones says so by and by. */
static void tell(const struct yk_profile_key *k, double before, double now)
{
    yk_profile_set(k, (struct yk_sample){1, now >= before ? now : (before + now) / 2, 1});
}

void yk_remember_program(struct yk_build *b, double ms)
{
    struct yk_profile_key k = program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE), all = process_key();
    if (ms < worth_ms)
        return;
    yk_lock_take(&process.lock);
    if (!process.begun)
        process.before = recalled(&all);
    process.begun = true;
    if (!(b->told_ms > 0))
        b->before_ms = recalled(&k);
    if (ms > b->told_ms) {
        process.ms += ms - b->told_ms;
        b->told_ms = ms;
        tell(&k, b->before_ms, ms);
        tell(&all, process.before, process.ms);
    }
    yk_lock_drop(&process.lock);
}

double yk_remember_together(const struct yk_build *b)
{
    struct yk_series s;
    struct yk_profile_key k = program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE);
    double here = yk_code_get(&b->spent) * 1e3, before = yk_profile_get(&k, &s) ? s.at[0].ms : 0;
    return here > before ? here : before;
}

double yk_remember_before(const struct yk_build *b)
{
    struct yk_profile_key k = program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE);
    yk_lock_take(&process.lock);
    double ms = b->told_ms > 0 ? b->before_ms : recalled(&k);
    yk_lock_drop(&process.lock);
    return ms;
}

bool yk_remember_worth(const struct yk_build *b)
{
    struct yk_series s;
    struct yk_profile_key k = program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE);
    return yk_profile_get(&k, &s) && s.at[0].ms >= worth_ms;
}

/* A program may be unlucky in one process or two: other devices are given up after so many, and tried again as often.
 */
enum { USELESS_FROM = 4, USELESS_LONG = 32 };

/* Processes in a row in which other devices were of no use, as samples of kind DECLINED of no time; see declined(). */
static struct yk_sample uses(const struct yk_profile_key *k)
{
    struct yk_series s;
    return yk_profile_get(k, &s) ? s.at[0] : (struct yk_sample){1, 1, 1};
}

/* KNOWN is 0 until the database has been read, then 1, or 2 where they are of no use: another process that does
 * without.
 */
static bool useless(const struct yk_profile_key *k, char *known)
{
    char is = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (is || yk_rt.primary->host_memory || !yk_profile_loaded())
        return is == 2;
    struct yk_sample s = uses(k);
    unsigned n = s.count - 1;
    is = n < USELESS_FROM || !(n % (n < USELESS_LONG ? USELESS_FROM : USELESS_LONG)) ? 1 : 2;
    if (!__atomic_exchange_n(known, is, __ATOMIC_RELAXED) && is == 2) {
        s.count++;
        yk_profile_set(k, s);
    }
    return is == 2;
}

/* TOLD: what this process has said before: 0 nothing, 1 useless, 2 useful. */
static void say(const struct yk_profile_key *k, bool useful, char *told)
{
    char now = useful ? 2 : 1, before = __atomic_exchange_n(told, now, __ATOMIC_RELAXED);
    if (now == before)
        return;
    struct yk_sample s = uses(k);
    s.count = useful ? 1 : s.count + 1;
    yk_profile_set(k, s);
}

static struct yk_profile_key process_use(void)
{
    struct yk_profile_key k = process_key();
    k.kind = YK_SAMPLE_DECLINED;
    return k;
}

bool yk_remember_useless(struct yk_build *b)
{
    struct yk_profile_key k = program_key(b, yk_rt.machine->primary, YK_SAMPLE_DECLINED);
    return useless(&k, &b->useless);
}

static char process_useless; /* as a build's; atomic */

bool yk_remember_process_useless(void)
{
    struct yk_profile_key k = process_use();
    return useless(&k, &process_useless);
}

void yk_remember_use(struct yk_build *b, bool useful, bool any)
{
    static char told;
    struct yk_profile_key program = program_key(b, yk_rt.machine->primary, YK_SAMPLE_DECLINED), all = process_use();
    if (yk_rt.primary->host_memory || !yk_profile_loaded())
        return;
    /* One that was to do without, and is so long that it does not, has been counted. */
    if (useful || __atomic_load_n(&b->useless, __ATOMIC_RELAXED) != 2)
        say(&program, useful, &b->told);
    if (any || __atomic_load_n(&process_useless, __ATOMIC_RELAXED) != 2)
        say(&all, any, &told);
}
