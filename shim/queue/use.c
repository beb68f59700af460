#include "shim/queue/use.h"
#include "shim/queue/ahead.h"
#include "shim/queue/remember_program.h"

/* A program may be unlucky in one process or two: other devices are given up after so many, and tried again as often.
 */
enum { NONE_FROM = 4, NONE_LONG = 32 };

/* They are of use that win what having them costs, and so much of what the kernels take. One more H200 costs 40 to 50
 * ms at the process's end; three more H100 0.2 to 0.4 s. */
static const double least_s = 0.1, least_of_one_s = 0.05, least_part = 0.05;

/* What this process knows (yk_build.use_known) and has told later ones (use_told) of a program; atomic. */
enum { UNKNOWN, WANTED, NONE };
enum { NOTHING, USELESS, USEFUL };

static char process_known, process_told; /* the same of all programs */

/* Processes in a row in which they were of no use: the count of a sample of kind DECLINED, which is one more. */
static struct yk_sample recalled(const struct yk_profile_key *k)
{
    struct yk_series s;
    return yk_profile_get(k, &s) ? s.at[0] : (struct yk_sample){1, 1, 1};
}

static bool none(const struct yk_profile_key *k, char *known)
{
    char is = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (is != UNKNOWN || yk_rt.primary->host_memory || !yk_profile_loaded())
        return is == NONE;
    struct yk_sample s = recalled(k);
    unsigned n = s.count - 1;
    is = n < NONE_FROM || !(n % (n < NONE_LONG ? NONE_FROM : NONE_LONG)) ? WANTED : NONE;
    if (__atomic_exchange_n(known, is, __ATOMIC_RELAXED) == UNKNOWN && is == NONE) {
        s.count++;
        yk_profile_set(k, s);
    }
    return is == NONE;
}

static void tell(const struct yk_profile_key *k, char *known, char *told, char now)
{
    if (now == USELESS && __atomic_load_n(known, __ATOMIC_RELAXED) == NONE)
        return; /* it was to do without, is so long that it does not, and has been counted */
    char before = __atomic_load_n(told, __ATOMIC_RELAXED);
    if (before >= now || !__atomic_compare_exchange_n(told, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    struct yk_sample s = recalled(k);
    s.count = now == USEFUL ? 1 : s.count + 1;
    yk_profile_set(k, s);
}

/* Beside a GPU with memory of its own a CPU's context and its kept programs take 15 to 30 ms (PoCL on 16 cores), during
 * the launches and at the exit, which waits for what is under way. A hundredth of the work is what a CPU wins there. */
static const double kept_from_ms = 300, kept_proven_from_ms = 40;

static struct yk_profile_key program_key(const struct yk_build *b)
{
    return yk_remember_program_key(b, yk_rt.machine->primary, YK_SAMPLE_DECLINED);
}

bool yk_use_none(struct yk_build *b)
{
    struct yk_profile_key k = program_key(b);
    return none(&k, &b->use_known);
}

bool yk_use_none_to_process(void)
{
    struct yk_profile_key k = yk_remember_process_key(YK_SAMPLE_DECLINED);
    return none(&k, &process_known);
}

/* Told of as useful: the count of a sample that is there is none. */
static bool proven(const struct yk_profile_key *k)
{
    struct yk_series s;
    return yk_profile_loaded() && yk_profile_get(k, &s) && s.at[0].count == 1;
}

bool yk_use_proven(const struct yk_build *b)
{
    struct yk_profile_key k = program_key(b);
    return proven(&k);
}

bool yk_use_kept(const struct yk_build *b)
{
    const struct yk_device *p = yk_rt.primary;
    if (p->type & CL_DEVICE_TYPE_CPU || p->host_memory)
        return true;
    bool proven = yk_use_proven(b);
    double from = proven ? kept_proven_from_ms : kept_from_ms;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        if (i != p->index && d->usable && !(d->type & CL_DEVICE_TYPE_CPU))
            from = yk_ahead_from_ms(proven); /* it is prepared by the way */
    }
    return yk_remember_together(b) >= from;
}

bool yk_use_proven_to_process(void)
{
    struct yk_profile_key k = yk_remember_process_key(YK_SAMPLE_DECLINED);
    return proven(&k);
}

static void tell_both(struct yk_build *b, char now)
{
    struct yk_profile_key program = program_key(b), process = yk_remember_process_key(YK_SAMPLE_DECLINED);
    if (yk_rt.primary->host_memory || !yk_profile_loaded() || __atomic_load_n(&b->use_told, __ATOMIC_RELAXED) >= now)
        return;
    tell(&program, &b->use_known, &b->use_told, now);
    tell(&process, &process_known, &process_told, now);
}

void yk_use_begin(struct yk_build *b)
{
    if (__atomic_load_n(&b->use_told, __ATOMIC_RELAXED) == NOTHING && __atomic_load_n(&b->wanted, __ATOMIC_RELAXED))
        tell_both(b, USELESS);
}

static unsigned other_gpus(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        n += i != yk_rt.machine->primary && d->usable && d->type & CL_DEVICE_TYPE_GPU;
    }
    return n;
}

void yk_use_gained(struct yk_build *b, double seconds)
{
    double gained = yk_code_get(&b->gained) + seconds;
    yk_code_put(&b->gained, gained);
    if (gained > (other_gpus() == 1 ? least_of_one_s : least_s) && gained > least_part * yk_code_get(&b->spent))
        tell_both(b, USEFUL);
}
