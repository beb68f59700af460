/* What drivers cannot bear from several threads at once: two of them in one device, or a buffer's sub-buffers made and
 * released beside commands on it. */
#include "device/opencl/serial.h"
#include "device/opencl/parents.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "tests/unit/main.h"

enum { THREADS = 4, CALLS = 2000 };

/* A driver that notices who else is in it. */
static atomic_int commands, changes, together, mixed;

static void within(atomic_int *mine, atomic_int *others)
{
    if (atomic_fetch_add(mine, 1))
        together++;
    for (int i = 0; i < 3; i++) {
        if (others && atomic_load(others))
            mixed++;
        sched_yield();
    }
    atomic_fetch_sub(mine, 1);
}

static cl_int launch(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                     const size_t *local, cl_uint n, const cl_event *wait, cl_event *event)
{
    (void)q, (void)k, (void)dims, (void)offset, (void)global, (void)local, (void)n, (void)wait, (void)event;
    within(&commands, &changes);
    return CL_SUCCESS;
}

static cl_mem part(cl_mem m, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *err)
{
    (void)flags, (void)type, (void)info;
    within(&changes, &commands);
    *err = CL_SUCCESS;
    return m;
}

static cl_int release(cl_mem m)
{
    (void)m;
    within(&changes, &commands);
    return CL_SUCCESS;
}

/* A blocking write that waits for an event, and, meanwhile, a sub-buffer that is to be made before that is complete. */
static atomic_bool writing, made;

static cl_int write_when_made(cl_command_queue q, cl_mem m, cl_bool blocking, size_t at, size_t size, const void *from,
                              cl_uint n, const cl_event *wait, cl_event *event)
{
    (void)q, (void)m, (void)blocking, (void)at, (void)size, (void)from, (void)n, (void)wait, (void)event;
    writing = true;
    while (!made)
        sched_yield();
    return CL_SUCCESS;
}

static const struct yk_cl below = {.EnqueueNDRangeKernel = launch,
                                   .CreateSubBuffer = part,
                                   .ReleaseMemObject = release,
                                   .EnqueueWriteBuffer = write_when_made};

static void *call(void *arg)
{
    const struct yk_cl *cl = arg;
    cl_int err;
    for (int i = 0; i < CALLS; i++) {
        if (i % 3)
            cl->EnqueueNDRangeKernel(NULL, NULL, 1, NULL, NULL, NULL, 0, NULL, NULL);
        else if (i % 2)
            cl->CreateSubBuffer(NULL, 0, 0, NULL, &err);
        else
            cl->ReleaseMemObject(NULL);
    }
    return NULL;
}

static void call_from_threads(const struct yk_cl *cl)
{
    pthread_t thread[THREADS];
    together = mixed = 0;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call, (void *)(uintptr_t)cl), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

START_TEST(sub_buffers_change_while_no_command_is_enqueued)
{
    call_from_threads(yk_cl_parents(&below));
    ck_assert_int_eq(mixed, 0);
}
END_TEST

START_TEST(commands_come_one_at_a_time)
{
    call_from_threads(yk_cl_serial(0, YK_SERIAL_ALL, &below));
    ck_assert_int_eq(mixed, 0);
    ck_assert_int_eq(together, 0);
}
END_TEST

static void *write_all(void *arg)
{
    const struct yk_cl *cl = arg;
    cl_event wait = NULL;
    cl->EnqueueWriteBuffer(NULL, NULL, CL_TRUE, 0, 1, "", 1, &wait, NULL);
    return NULL;
}

START_TEST(what_may_last_keeps_nobody_waiting)
{
    const struct yk_cl *cl = yk_cl_parents(&below);
    pthread_t thread;
    cl_int err;
    ck_assert_int_eq(pthread_create(&thread, NULL, write_all, (void *)(uintptr_t)cl), 0);
    while (!writing)
        sched_yield();
    cl->CreateSubBuffer(NULL, 0, 0, NULL, &err);
    made = true;
    pthread_join(thread, NULL);
    ck_assert_int_eq(err, CL_SUCCESS);
}
END_TEST

START_TEST(drivers_are_known_by_name)
{
    ck_assert_int_eq(yk_cl_serial_wanted("NVIDIA CUDA", "NVIDIA H100 80GB HBM3"), YK_SERIAL_PARENTS);
    ck_assert_int_eq(yk_cl_serial_wanted("Oclgrind", "Oclgrind Simulator"), YK_SERIAL_ALL);
    ck_assert_int_eq(yk_cl_serial_wanted("Portable Computing Language", "basic-x"), YK_SERIAL_COMMANDS);
    ck_assert_int_eq(yk_cl_serial_wanted("Portable Computing Language", "pthread-x"), YK_SERIAL_NONE);
}
END_TEST

YK_TEST_MAIN("serial", sub_buffers_change_while_no_command_is_enqueued, commands_come_one_at_a_time,
             what_may_last_keeps_nobody_waiting, drivers_are_known_by_name)
