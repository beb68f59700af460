/* What is remembered of whole programs: how long they take, and whether other devices were of use. No call reaches a
 * driver: the machine is written down by hand, a GPU. A process is a new build of the same content. */
#include <stdlib.h>
#include "shim/core/runtime.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/use.h"
#include "tests/unit/main.h"

static struct yk_machine machine = {.n = 1};

/* Of a program that nothing is known of. */
static struct yk_hash begin(void)
{
    static uint64_t number;
    machine.device[0] = (struct yk_device){.name = "device", .driver = "1", .type = CL_DEVICE_TYPE_GPU, .usable = true};
    yk_rt.machine = &machine;
    yk_rt.primary = &machine.device[0];
    setenv("YOKE_PROFILE", "0", 1); /* what earlier runs of this test have left is not to count */
    yk_profile_load();
    return (struct yk_hash){.hi = 8, .lo = ++number};
}

/* What a process that begins now would be told. */
static double told(struct yk_hash content)
{
    struct yk_build next = {.content = content};
    return yk_remember_together(&next);
}

/* Else a program of a second would count as one of half, as soon as its first launches have been told of: for later
 * processes, or for the rest of this one. */
START_TEST(what_a_program_takes_is_what_it_came_to)
{
    struct yk_hash content = begin();
    struct yk_build build = {.content = content, .spent = 0.01}, again = {.content = content};
    ck_assert_double_eq(yk_remember_before(&build), 0);
    ck_assert_double_eq_tol(yk_remember_together(&build), 10, 1e-9);
    yk_remember_program(&build, 100);
    yk_remember_program(&build, 1000);
    ck_assert_double_eq_tol(told(content), 1000, 1e-9);
    ck_assert_double_eq(yk_remember_before(&build), 0);
    yk_remember_program(&again, 100); /* it may be shorter this time */
    ck_assert_double_eq_tol(told(content), 550, 1e-9);
    ck_assert_double_eq_tol(yk_remember_together(&again), 1000, 1e-9);
    yk_remember_program(&again, 800);
    ck_assert_double_eq_tol(told(content), 900, 1e-9);
    yk_remember_program(&again, 1200);
    ck_assert_double_eq_tol(told(content), 1200, 1e-9);
    ck_assert_double_eq_tol(yk_remember_before(&again), 1000, 1e-9);
}
END_TEST

/* One launch that took long by chance, a millisecond of it, is no reason to prepare others for ever. */
START_TEST(a_short_program_is_not_taken_for_a_long_one_for_good)
{
    struct yk_hash content = begin();
    struct yk_build first = {.content = content}, second = {.content = content}, third = {.content = content};
    yk_remember_program(&first, 4);
    ck_assert_double_eq(told(content), 0);
    yk_remember_program(&second, 5.5);
    ck_assert(yk_remember_worth(&third));
    yk_remember_program(&third, 4);
    ck_assert(!yk_remember_worth(&third));
    ck_assert_double_eq_tol(told(content), 4.75, 1e-9);
    yk_remember_program(&third, 6);
    ck_assert(yk_remember_worth(&third));
}
END_TEST

/* An own build of 4 ms, kept by the driver, says nothing of what is built for the first time. */
START_TEST(who_has_been_built_for_is_remembered)
{
    struct yk_hash content = begin();
    struct yk_build build = {.content = content, .seconds = 0.004}, next = {.content = content};
    machine.n = 3;
    machine.device[1] = machine.device[2] = machine.device[0];
    machine.device[1].twin = machine.device[1].index = 1;
    machine.device[2].type = CL_DEVICE_TYPE_CPU;
    machine.device[2].index = 2;
    ck_assert(!yk_remember_was_built(&next));
    yk_remember_built(&build, 0, 300);
    ck_assert(!yk_remember_was_built(&next)); /* not for the second GPU */
    yk_remember_built(&build, 1, 0);
    ck_assert(yk_remember_was_built(&next)); /* CPUs' programs are yoke-warm's */
    machine.device[1].usable = false;
    ck_assert(yk_remember_was_built(&next));
    ck_assert_double_eq_tol(yk_remember_build(&next, 0), 300, 1e-9);
    machine.n = 1;
}
END_TEST

/* Does the next process do without other devices, which win GAINED seconds of the second that its kernels take? */
static bool does_without(struct yk_hash content, double gained)
{
    struct yk_build next = {.content = content, .spent = 1};
    bool without = yk_use_none(&next);
    next.wanted = !without;
    for (int i = 0; i < 3; i++)
        yk_use_begin(&next);
    for (int i = 0; i < 2; i++)
        yk_use_gained(&next, gained / 2);
    return without;
}

START_TEST(others_that_are_of_no_use_are_left_alone_but_now_and_then)
{
    struct yk_hash content = begin();
    unsigned without = 0;
    for (int i = 0; i < 5; i++)
        ck_assert(!does_without(content, 0.05)); /* less than they cost */
    for (int i = 5; i < 36; i++)
        without += does_without(content, 0);
    ck_assert_uint_eq(without, 7 * 3 + 3); /* three of four, and after the 32nd all */
    for (int i = 36; i < 64; i++)
        ck_assert(does_without(content, 0));
    ck_assert(!does_without(content, 0.2));
    for (int i = 0; i < 5; i++)
        ck_assert(!does_without(content, 0));
    ck_assert(does_without(content, 0));
    machine.device[0].host_memory = true; /* what they cost has been paid by yoke-warm */
    ck_assert(!does_without(content, 0));
}
END_TEST

/* A second GPU costs less than three more: what wins 70 ms by it, since it was ready late, has it ready at once next
 * time.
 */
START_TEST(one_gpu_more_is_of_use_sooner)
{
    const double won[] = {0.04, 0.07, 0.2};
    for (unsigned gpus = 2; gpus <= 3; gpus++)
        for (unsigned i = 0; i < 3; i++) {
            struct yk_hash content = begin();
            struct yk_build build = {.content = content, .spent = 0.4, .wanted = true};
            machine.n = gpus;
            for (unsigned k = 1; k < gpus; k++)
                machine.device[k] = (struct yk_device){.type = CL_DEVICE_TYPE_GPU, .usable = true, .index = k};
            yk_use_begin(&build);
            ck_assert(!yk_use_proven(&build));
            yk_use_gained(&build, won[i]);
            ck_assert_int_eq(yk_use_proven(&build), i == 2 || (i == 1 && gpus == 2));
            machine.n = 1;
        }
}
END_TEST

/* Else a program of some milliseconds on a GPU has the contexts of a CPU and of a second GPU made beside its launches.
 */
START_TEST(what_is_kept_for_cpus_is_for_long_programs_beside_a_gpu)
{
    struct yk_hash content = begin();
    struct yk_build build = {.content = content, .spent = 0.2}, proven = {.content = content, .wanted = true};
    struct yk_device *gpu = &machine.device[0], *other = &machine.device[1];
    *other = (struct yk_device){.name = "processor", .type = CL_DEVICE_TYPE_CPU, .usable = true, .index = 1};
    machine.n = 2;
    ck_assert(!yk_use_kept(&build));
    build.spent = 0.4;
    ck_assert(yk_use_kept(&build));
    other->type = CL_DEVICE_TYPE_GPU; /* and a CPU after it: the second GPU's context is not made by the way */
    ck_assert(!yk_use_kept(&build));
    build.spent = 0.8;
    ck_assert(yk_use_kept(&build));
    other->type = CL_DEVICE_TYPE_CPU;
    build.spent = 0.1;
    proven.spent = 1;
    yk_use_begin(&proven);
    ck_assert(!yk_use_kept(&build));
    yk_use_gained(&proven, 0.2);
    ck_assert(yk_use_kept(&build));
    build.spent = 0.01;
    ck_assert(!yk_use_kept(&build));
    gpu->host_memory = true;
    ck_assert(yk_use_kept(&build));
    machine.n = 1;
}
END_TEST

YK_TEST_MAIN("remember_program", what_a_program_takes_is_what_it_came_to, who_has_been_built_for_is_remembered,
             a_short_program_is_not_taken_for_a_long_one_for_good,
             others_that_are_of_no_use_are_left_alone_but_now_and_then, one_gpu_more_is_of_use_sooner,
             what_is_kept_for_cpus_is_for_long_programs_beside_a_gpu)
