/* What a program may rely on of its launches, whatever devices are behind: ids and sizes, local sizes left open, many
 * small ones, those of several threads. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "tests/shim/semantics.h"
#include "tests/unit/main.h"

START_TEST(ids_and_sizes_are_those_of_the_whole_range)
{
    struct cl c = open_cl(0);
    cl_uint out[N];
    cl_kernel k = kernel_of(&c, "whole_ids");
    cl_mem a = buffer_of(&c, sizeof out);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    for (size_t offset = 0; offset < 300; offset += 128 + LOCAL) {
        size_t global = N, local = LOCAL;
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, offset ? &offset : NULL, &global, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (cl_uint i = 0; i < N; i++)
            ck_assert_uint_eq(out[i], ((i / LOCAL) * 1000 + i % LOCAL) ^ (cl_uint)(N / LOCAL) << 20 ^ (cl_uint)N << 8 ^
                                          (cl_uint)offset);
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(local_size_left_open)
{
    struct cl c = open_cl(0);
    cl_int out[N];
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out);
    for (size_t n = 1; n <= N; n = n * 3 + 1) {
        set2(k, a, (cl_int)n);
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, n * sizeof *out, out, 0, NULL, NULL));
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(out[i], (cl_int)(n + i));
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

/* Launches without wait list and event may go a shorter way than others: same codes, same bytes. */
START_TEST(an_event_changes_nothing_of_a_launch)
{
    static const struct {
        cl_uint dims;
        bool unset, no_range;
        size_t offset, global, local;
    } given[] = {{.dims = 1, .global = N, .local = LOCAL},
                 {.dims = 1, .global = N},
                 {.dims = 1, .global = N / 2, .local = LOCAL, .offset = N / 2},
                 {.dims = 2, .global = N, .local = LOCAL},
                 {.dims = 3, .global = N, .local = LOCAL},
                 {.dims = 0, .global = N, .local = LOCAL},
                 {.dims = 4, .global = N, .local = LOCAL},
                 {.dims = 1, .global = N, .local = (size_t)1 << 40},
                 {.dims = 1, .global = N, .local = LOCAL, .unset = true},
                 {.dims = 1, .local = LOCAL, .no_range = true}};
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, sizeof(cl_int[N]));
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        cl_int out[2][N], code[2];
        const size_t offset[4] = {given[i].offset}, global[4] = {given[i].global, 1, 1, 1},
                     local[4] = {given[i].local, 1, 1, 1};
        for (int way = 0; way < 2; way++) {
            cl_kernel k = kernel_of(&c, "fill");
            cl_int nothing = -1, v = (cl_int)(i * 1000);
            cl_event event = NULL;
            OK(clEnqueueFillBuffer(c.queue, a, &nothing, sizeof nothing, 0, sizeof out[way], 0, NULL, NULL));
            OK(clSetKernelArg(k, 0, sizeof a, &a));
            if (!given[i].unset)
                OK(clSetKernelArg(k, 1, sizeof v, &v));
            code[way] = clEnqueueNDRangeKernel(c.queue, k, given[i].dims, given[i].offset ? offset : NULL,
                                               given[i].no_range ? NULL : global, given[i].local ? local : NULL, 0,
                                               NULL, way ? &event : NULL);
            ck_assert_int_eq(!event, !way || code[way] != CL_SUCCESS);
            OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof out[way], out[way], 0, NULL, NULL));
            if (event)
                OK(clReleaseEvent(event));
            OK(clReleaseKernel(k));
        }
        ck_assert_msg(code[0] == code[1], "%zu: %d without an event, %d with one", i, code[0], code[1]);
        ck_assert_msg(!memcmp(out[0], out[1], sizeof out[0]), "%zu: other bytes with an event", i);
        ck_assert_int_eq(out[0][N - 1] == -1, code[0] != CL_SUCCESS || given[i].no_range);
    }
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

static void *thread_main(void *arg)
{
    struct cl *c = arg;
    cl_int err, out[N];
    cl_command_queue q = clCreateCommandQueue(c->context, c->device, 0, &err);
    cl_kernel k = clCreateKernel(c->program, "fill", &err);
    cl_mem a = clCreateBuffer(c->context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    size_t global = N, local = LOCAL;
    intptr_t wrong = 0;
    for (cl_int n = 0; n < 40; n++) {
        err |= clSetKernelArg(k, 0, sizeof a, &a);
        err |= clSetKernelArg(k, 1, sizeof n, &n);
        err |= clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        for (int i = 0; i < N; i++)
            wrong += out[i] != n + i;
    }
    clReleaseMemObject(a);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    return (void *)(wrong + (err != CL_SUCCESS));
}

START_TEST(threads_with_queues_of_their_own)
{
    struct cl c = open_cl(0);
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        ck_assert(!pthread_create(&t[i], NULL, thread_main, &c));
    for (int i = 0; i < 8; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    close_cl(&c);
}
END_TEST

START_TEST(thousands_of_small_launches)
{
    struct cl c = open_cl(0);
    cl_int out[N], want = 0;
    cl_kernel fill = kernel_of(&c, "fill"), add = kernel_of(&c, "add");
    cl_mem a = buffer_of(&c, N * 4), b = buffer_of(&c, N * 4);
    set2(fill, a, 1);
    launch(&c, fill, 0, NULL, NULL);
    OK(clEnqueueFillBuffer(c.queue, b, &want, sizeof want, 0, N * 4, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    for (int n = 0; n < 3000; n++) {
        size_t global = 1024, local = LOCAL;
        OK(clEnqueueNDRangeKernel(c.queue, add, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], i < 1024 ? 3000 * (1 + i) : 0);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("semantics launch", ids_and_sizes_are_those_of_the_whole_range, local_size_left_open,
             an_event_changes_nothing_of_a_launch, threads_with_queues_of_their_own, thousands_of_small_launches)
