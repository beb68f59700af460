/* Short launches (shim/queue/short.h): what dividing them wins against what it costs those that go whole behind them.
 * No call reaches a driver: the machine is written down by hand, a CPU. A process is a new build of the same content.
 */
#include <stdlib.h>
#include "shim/core/runtime.h"
#include "shim/queue/code.h"
#include "shim/queue/short.h"
#include "profiler/profile.h"
#include "tests/unit/main.h"

static struct yk_machine machine = {.n = 1};
static struct yk_build build;
static struct yk_code code;
static struct yk_launch launch;

static void process(uint64_t content)
{
    build = (struct yk_build){.content = {1, content}};
    code = (struct yk_code){.build = &build, .name = (char *)(uintptr_t) "kernel"};
    launch = (struct yk_launch){.code = &code, .dims = 1, .global = {512}};
}

/* A program that nobody has run. */
static void begin(void)
{
    static uint64_t number;
    machine.device[0] = (struct yk_device){
        .name = "device", .driver = "1", .type = CL_DEVICE_TYPE_CPU, .host_memory = true, .usable = true};
    yk_rt.machine = &machine;
    yk_rt.primary = &machine.device[0];
    setenv("YOKE_PROFILE", "0", 1); /* what earlier runs of this test have left is not to count */
    yk_profile_load();
    process(++number);
}

static void run(unsigned divided, double seconds, double wall, unsigned passed)
{
    for (unsigned i = 0; i < divided; i++)
        yk_short_divided(&launch, seconds, wall);
    for (unsigned i = 0; i < passed; i++)
        yk_short_passed(&launch);
}

START_TEST(little_won_closes)
{
    begin();
    run(8, 0.4e-3, 0.3e-3, 63);
    ck_assert(!yk_short_closed(&launch));
    yk_short_passed(&launch); /* 0.8 ms won, 64 others: 0.96 */
    ck_assert(yk_short_closed(&launch));
    launch.global[0] = 1024; /* nobody knows that this one is short */
    ck_assert(!yk_short_closed(&launch));
    launch.global[0] = 64;
    ck_assert(yk_short_closed(&launch));
    code.long_items = 64; /* but this one is not */
    ck_assert(!yk_short_closed(&launch));
}
END_TEST

START_TEST(much_won_does_not)
{
    begin();
    run(8, 0.4e-3, 0.2e-3, 64); /* 1.6 ms */
    ck_assert(!yk_short_closed(&launch));
    run(0, 0, 0, 64); /* 1.92 */
    ck_assert(yk_short_closed(&launch));
}
END_TEST

START_TEST(long_or_few_ones_do_not)
{
    begin();
    run(64, 3e-3, 4e-3, 640);
    ck_assert(!yk_short_closed(&launch));
    run(7, 0.4e-3, 0.5e-3, 640);
    ck_assert(!yk_short_closed(&launch));
    run(1, 0.4e-3, 0.5e-3, 64);
    ck_assert(yk_short_closed(&launch));
}
END_TEST

/* What later processes do: whole, but in each eighth. */
START_TEST(later_ones_know)
{
    begin();
    ck_assert(!yk_short_only(&build));
    run(8, 0.4e-3, 0.5e-3, 64);
    ck_assert(yk_short_closed(&launch));
    const uint64_t content = build.content.hi;
    for (unsigned i = 1; i <= 16; i++) {
        process(content);
        code.short_items = 512;
        bool tried = i % 8 == 0;
        ck_assert_msg(yk_short_only(&build) == !tried, "in process %u", i);
        ck_assert(yk_short_closed(&launch) == !tried);
    }
    begin(); /* some of whose launches are long */
    yk_short_measured(&launch, 5e-3);
    run(8, 0.4e-3, 0.5e-3, 64);
    process(build.content.hi);
    code.short_items = 512;
    ck_assert(!yk_short_only(&build));
    ck_assert(yk_short_closed(&launch));
}
END_TEST

YK_TEST_MAIN("short_cost", little_won_closes, much_won_does_not, long_or_few_ones_do_not, later_ones_know)
