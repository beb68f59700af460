#include "shim/memory/link_rate.h"
#include "profiler/profile.h"

enum { LEAST = 64 << 10, FIRST = 8, EACH = 16 };

static unsigned seen[YK_WAYS][2][YK_MAX_DEVICES]; /* atomic */

void yk_link_remember(unsigned dev, enum yk_direction way, bool pinned, size_t len, uint64_t ns)
{
    static const enum yk_sample_kind kind[YK_WAYS][2] = {
        [YK_IN] = {YK_SAMPLE_IN, YK_SAMPLE_PINNED_IN}, [YK_OUT] = {YK_SAMPLE_OUT, YK_SAMPLE_PINNED_OUT}};
    if (len < LEAST || !ns)
        return;
    unsigned n = __atomic_fetch_add(&seen[way][pinned][dev], 1, __ATOMIC_RELAXED);
    if (n >= FIRST && n % EACH)
        return;
    struct yk_profile_key k = yk_profile_link_key(&yk_rt.machine->device[dev], kind[way][pinned]);
    yk_profile_add(&k, (double)len, (double)ns * 1e-6);
}

double yk_link_remembered(unsigned dev, double len)
{
    struct yk_series s;
    struct yk_profile_key k = yk_profile_link_key(&yk_rt.machine->device[dev], YK_SAMPLE_IN);
    double ms = yk_profile_get(&k, &s) ? yk_series_ms(&s, len) : 0;
    return ms > 0 ? len / ms : 0;
}
