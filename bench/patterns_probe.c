#include "bench/patterns_probe.h"
#include <stdio.h>
#include "base/clock.h"
#include "bench/median.h"
#include "bench/patterns_program.h"

enum { MOST_ROUNDS = 4096 };

int patterns_probe(const struct patterns_pattern *p, unsigned number, int ms)
{
    static double took[MOST_ROUNDS];
    unsigned n = 0;
    patterns_set_up(number); /* takes longer than all rounds where a driver starts several devices */
    char name[64] = "";
    clGetDeviceInfo(w.device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    printf("on %s\n", name);
    uint64_t end = yk_now_ns() + (uint64_t)ms * 1000000;
    while (n < 2 || (n < MOST_ROUNDS && yk_now_ns() < end)) {
        uint64_t began = yk_now_ns();
        p->round(n);
        took[n++] = (double)(yk_now_ns() - began) * 1e-6;
    }
    printf("first %.6f\n", took[0]);
    printf("later %.6f\n", median(took + 1, n - 1));
    return 0;
}
