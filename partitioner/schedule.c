#include "partitioner/schedule.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 4 };

/* When what task I waits for is done. */
static double ready(const struct yk_schedule_task *t, unsigned i, const double *end)
{
    double at = 0;
    for (uint64_t after = t[i].after; after; after &= after - 1) {
        double e = end[__builtin_ctzll(after)];
        at = e > at ? e : at;
    }
    return at;
}

double yk_schedule_ms(const struct yk_schedule_task *t, unsigned n, unsigned devices, const unsigned *place)
{
    double end[YK_SCHEDULE_TASKS], idle[YK_SCHEDULE_DEVICES] = {0}, all = 0;
    for (unsigned i = 0; i < n; i++) {
        if (place[i] >= devices || !(t[i].ms[place[i]] < INFINITY))
            return INFINITY;
        double at = ready(t, i, end), *from = &idle[place[i]];
        *from = end[i] = (at > *from ? at : *from) + t[i].ms[place[i]];
        all = end[i] > all ? end[i] : all;
    }
    return all;
}

/* Each task to the device where it is done first; of equals to HOME. */
static void list(const struct yk_schedule_task *t, unsigned n, unsigned devices, unsigned home, unsigned *place)
{
    double end[YK_SCHEDULE_TASKS], idle[YK_SCHEDULE_DEVICES] = {0};
    for (unsigned i = 0; i < n; i++) {
        double at = ready(t, i, end), best = INFINITY;
        place[i] = home;
        for (unsigned k = 0; k < devices; k++) {
            unsigned d = (home + k) % devices;
            double e = (at > idle[d] ? at : idle[d]) + t[i].ms[d];
            if (e < best) {
                best = e;
                place[i] = d;
            }
        }
        end[i] = idle[place[i]] = best;
    }
}

double yk_schedule(const struct yk_schedule_task *t, unsigned n, unsigned devices, unsigned home, unsigned *place)
{
    unsigned alone[YK_SCHEDULE_TASKS] = {0};
    for (unsigned i = 0; i < n; i++)
        alone[i] = home;
    double home_ms = yk_schedule_ms(t, n, devices, alone);
    list(t, n, devices, home, place);
    double best = yk_schedule_ms(t, n, devices, place);
    bool better = true;
    for (unsigned round = 0; round < ROUNDS && better; round++) {
        better = false;
        for (unsigned i = 0; i < n; i++)
            for (unsigned d = 0; d < devices; d++) {
                unsigned was = place[i];
                place[i] = d;
                double ms = d == was ? best : yk_schedule_ms(t, n, devices, place);
                if (ms < best * (1 - 1e-9)) {
                    best = ms;
                    better = true;
                } else {
                    place[i] = was;
                }
            }
    }
    if (best < home_ms)
        return best;
    memcpy(place, alone, n * sizeof *place);
    return home_ms;
}
