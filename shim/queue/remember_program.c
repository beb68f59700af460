#include "shim/queue/remember_program.h"
#include <limits.h>
#include <pthread.h>
#include <unistd.h>
#include "base/lock.h"

/* A program whose launches together last no longer than this is not what a second device is prepared for before
 * anything else is known. */
static const double worth_ms = 5;

struct yk_profile_key yk_remember_program_key(const struct yk_build *b, unsigned dev, enum yk_sample_kind kind)
{
    return (struct yk_profile_key){
        .kernel = b->content, .name = "(program)", .device = &yk_rt.machine->device[dev], .kind = kind};
}

double yk_remember_build(const struct yk_build *b, unsigned dev)
{
    struct yk_series s;
    struct yk_profile_key k = yk_remember_program_key(b, dev, YK_SAMPLE_BUILD);
    return yk_profile_get(&k, &s) ? s.at[0].ms : b->seconds * 1e3;
}

void yk_remember_built(const struct yk_build *b, unsigned dev, double ms)
{
    const double none_ms = 0.01; /* a sample is more than nothing (series.h) */
    struct yk_profile_key k = yk_remember_program_key(b, dev, YK_SAMPLE_BUILD);
    yk_profile_add(&k, 1, ms > none_ms ? ms : none_ms);
}

bool yk_remember_was_built(const struct yk_build *b)
{
    struct yk_series s;
    bool all = true;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        struct yk_profile_key k = yk_remember_program_key(b, i, YK_SAMPLE_BUILD);
        all &= !d->usable || d->type & CL_DEVICE_TYPE_CPU || yk_profile_get(&k, &s);
    }
    return all;
}

static struct yk_hash executable;

static void find_executable(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n > 0)
        executable = yk_hash_bytes((struct yk_hash){0, 0}, path, (size_t)n);
}

struct yk_profile_key yk_remember_process_key(enum yk_sample_kind kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_executable);
    return (struct yk_profile_key){.kernel = executable, .name = "(process)", .device = yk_rt.primary, .kind = kind};
}

static double recalled(const struct yk_profile_key *k)
{
    struct yk_series s;
    return yk_profile_get(k, &s) ? s.at[0].ms : 0;
}

double yk_remember_process(void)
{
    struct yk_profile_key k = yk_remember_process_key(YK_SAMPLE_ALONE);
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
    struct yk_profile_key k = yk_remember_program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE),
                          all = yk_remember_process_key(YK_SAMPLE_ALONE);
    yk_lock_take(&process.lock);
    double before = b->told_ms > 0 ? b->before_ms : recalled(&k);
    if (ms < worth_ms && !(before > 0)) { /* of short ones only that they were longer before */
        yk_lock_drop(&process.lock);
        return;
    }
    if (!process.begun)
        process.before = recalled(&all);
    process.begun = true;
    b->before_ms = before;
    if (ms > b->told_ms) {
        process.ms += ms - b->told_ms;
        b->told_ms = ms;
        tell(&k, b->before_ms, ms);
        tell(&all, process.before, process.ms);
    }
    yk_lock_drop(&process.lock);
}

double yk_remember_before(const struct yk_build *b)
{
    struct yk_profile_key k = yk_remember_program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE);
    yk_lock_take(&process.lock);
    double ms = b->told_ms > 0 ? b->before_ms : recalled(&k);
    yk_lock_drop(&process.lock);
    return ms;
}

double yk_remember_together(const struct yk_build *b)
{
    double here = yk_code_get(&b->spent) * 1e3, before = yk_remember_before(b);
    return here > before ? here : before;
}

bool yk_remember_worth(const struct yk_build *b)
{
    struct yk_profile_key k = yk_remember_program_key(b, yk_rt.machine->primary, YK_SAMPLE_ALONE);
    return recalled(&k) >= worth_ms;
}
