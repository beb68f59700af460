/* A machine written down by hand, devices of one kind, and a launch of which a test says what was measured. Who uses
 * it: test_predict.c, test_predict_first.c, test_short.c. No call reaches a driver. */
#ifndef YK_TESTS_STUB_SHIM_PREDICT_H
#define YK_TESTS_STUB_SHIM_PREDICT_H

#include <stdio.h>
#include <string.h>
#include "partitioner/cost.h"
#include "shim/core/runtime.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "tests/unit/main.h"

enum { GROUPS = 4096, LOCAL = 64, ALONE_MS = 20 };

static struct yk_machine machine = {.n = 2};
static double bytes[YK_MAX_DEVICES]; /* that each lacks */
static struct yk_build build;
static struct yk_code code;
static struct yk_launch launch;
static struct yk_decision decision;
static struct yk_prediction p;

/* A launch of a kernel that nothing is known of. WARM: it has run on both devices in this process. */
static inline void begin(bool warm)
{
    static char name[] = "kernel";
    static uint64_t number;
    for (unsigned i = 0; i < machine.n; i++)
        machine.device[i] = (struct yk_device){
            .index = i, .twin = i, .name = "device", .driver = "1", .type = CL_DEVICE_TYPE_GPU, .usable = true};
    yk_rt.machine = &machine;
    yk_rt.primary = &machine.device[0];
    build = (struct yk_build){.content = {.lo = ++number}};
    code = (struct yk_code){.build = &build, .name = name};
    launch = (struct yk_launch){
        .code = &code, .dims = 1, .has_local = true, .local = {LOCAL}, .global = {(size_t)GROUPS * LOCAL}};
    decision = (struct yk_decision){.total = GROUPS, .local = {LOCAL, 1, 1}, .takes = {true, true, true}};
    for (unsigned i = 0; i < machine.n; i++) {
        code.warm[i] = warm;
        struct yk_code_local *of = yk_code_local(&code, decision.local);
        of->done[i][0] = of->done[i][1] = true; /* what its driver compiles is compiled */
        of->ran[0] |= (uint64_t)warm << i;
        of->ran[1] |= (uint64_t)warm << i;
    }
}

static inline void measured(unsigned dev, enum yk_sample_kind kind, double groups, double ms)
{
    yk_remember(&launch, dev, kind, groups * LOCAL, ms);
}

/* How long DEV is predicted to take for all of it. */
static inline double whole_ms(unsigned dev)
{
    double ms = 0;
    yk_predict(&launch, &decision, bytes, &p);
    ck_assert(yk_split_time(&p.device[dev], GROUPS, &ms));
    return ms;
}

static inline uint64_t share_of(unsigned dev)
{
    struct yk_strategy strategy;
    struct yk_split split = {.n = machine.n, .device = p.device, .total = GROUPS};
    uint64_t groups[YK_SPLIT_MAX] = {0};
    ck_assert_int_eq(yk_strategy_parse("waterfill", &strategy, NULL, 0), YK_OK);
    yk_strategy_divide(&strategy, &split, groups);
    return groups[dev];
}

#endif
