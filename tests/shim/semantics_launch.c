/* What a program may rely on of its launches, whatever devices are behind: ids and sizes, local sizes left open, many
 * small ones, those of several threads. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
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

enum { THREADS = 8, FIELD = N };

struct field {
    struct cl *c;
    cl_mem whole; /* a half of which is the thread's; NULL: it makes one for itself */
    cl_uint number;
};

static cl_uint random_below(uint64_t *seed, cl_uint n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (cl_uint)(*seed >> 33) % n;
}

/* IN to [from, from+n) of M, in one of several ways; some are still under way then. */
static cl_int put_part(cl_command_queue q, cl_mem m, cl_mem other, uint64_t *seed, size_t from, size_t n,
                       const cl_int *in)
{
    const size_t at[3] = {4 * from, 0, 0}, zero[3] = {0, 0, 0}, size[3] = {4 * n, 1, 1};
    cl_int err, wait;
    switch (random_below(seed, 4)) {
    case 0:
        return clEnqueueWriteBuffer(q, m, random_below(seed, 2), 4 * from, 4 * n, in, 0, NULL, NULL);
    case 1:
        return clEnqueueWriteBufferRect(q, m, random_below(seed, 2), at, zero, size, 0, 0, 0, 0, in, 0, NULL, NULL);
    case 2:
        err = clEnqueueWriteBuffer(q, other, CL_FALSE, 0, 4 * n, in, 0, NULL, NULL);
        return err | clEnqueueCopyBuffer(q, other, m, 0, 4 * from, 4 * n, 0, NULL, NULL);
    default: {
        cl_map_flags how = random_below(seed, 2) ? CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
        cl_int *p = clEnqueueMapBuffer(q, m, CL_TRUE, how, 4 * from, 4 * n, 0, NULL, NULL, &err);
        for (size_t i = 0; p && i < n; i++)
            p[i] = in[i];
        wait = p ? clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL) : CL_MAP_FAILURE;
        return err | wait;
    }
    }
}

/* A kernel writes all of a field, the host a part of it, and both must be seen, whatever others' launches do meanwhile.
 */
static void *thread_main(void *arg)
{
    struct field *f = arg;
    cl_int err, e2, *in = calloc(FIELD, sizeof *in), *out = calloc(FIELD, sizeof *out);
    cl_command_queue q = clCreateCommandQueue(f->c->context, f->c->device, 0, &err);
    cl_kernel k = clCreateKernel(f->c->program, "fill", &err);
    cl_buffer_region half = {f->number % 2 * FIELD * sizeof *in, FIELD * sizeof *in};
    cl_mem a = f->whole ? clCreateSubBuffer(f->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &err)
                        : clCreateBuffer(f->c->context, CL_MEM_READ_WRITE, half.size, NULL, &err);
    cl_mem other = clCreateBuffer(f->c->context, CL_MEM_READ_WRITE, half.size, NULL, &e2);
    uint64_t seed = 77 + f->number;
    intptr_t wrong = 0;
    err |= e2;
    for (cl_int round = 0; in && out && round < 24 && !wrong; round++) {
        cl_int v = round * 100000 + (cl_int)f->number;
        size_t global = FIELD, local = LOCAL, from = random_below(&seed, FIELD / 2),
               n = 1 + random_below(&seed, FIELD / 2);
        for (size_t i = 0; i < n; i++)
            in[i] = -v - (cl_int)i;
        err |= clSetKernelArg(k, 0, sizeof a, &a);
        err |= clSetKernelArg(k, 1, sizeof v, &v);
        err |= clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL);
        if (random_below(&seed, 2))
            err |= clFinish(q);
        err |= put_part(q, a, other, &seed, from, n, in);
        if (random_below(&seed, 2))
            err |= clEnqueueFillBuffer(q, a, &in[0], 4, 4 * from, 4, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(q, a, CL_TRUE, 0, FIELD * sizeof *out, out, 0, NULL, NULL);
        for (size_t i = 0; i < FIELD; i++)
            wrong += out[i] != (i < from || i >= from + n ? v + (cl_int)i : in[i - from]);
    }
    clReleaseMemObject(a);
    clReleaseMemObject(other);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    free(in);
    free(out);
    return (void *)(wrong + (err != CL_SUCCESS));
}

START_TEST(threads_with_queues_of_their_own)
{
    struct cl c = open_cl(0);
    struct field f[THREADS];
    cl_mem whole[THREADS / 4];
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS / 4; i++)
        whole[i] = buffer_of(&c, 2 * FIELD * sizeof(cl_int));
    for (cl_uint i = 0; i < THREADS; i++) {
        f[i] = (struct field){&c, i < THREADS / 2 ? whole[i / 2] : NULL, i};
        ck_assert(!pthread_create(&t[i], NULL, thread_main, &f[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_msg(!wrong, "thread %d", i);
    }
    for (int i = 0; i < THREADS / 4; i++)
        OK(clReleaseMemObject(whole[i]));
    close_cl(&c);
}
END_TEST

struct maker {
    struct cl *c;
    bool launches;
    bool *stop; /* atomic */
};

static void *make_buffers(void *arg)
{
    const struct maker *m = arg;
    cl_int err, v = 1;
    cl_command_queue q = clCreateCommandQueue(m->c->context, m->c->device, 0, &err);
    cl_kernel k = clCreateKernel(m->c->program, "fill", &err);
    intptr_t wrong = clSetKernelArg(k, 1, sizeof v, &v);
    while (!__atomic_load_n(m->stop, __ATOMIC_RELAXED)) {
        size_t global = FIELD, local = LOCAL;
        cl_mem b = clCreateBuffer(m->c->context, CL_MEM_READ_WRITE, FIELD * sizeof(cl_int), NULL, &err);
        wrong += err != CL_SUCCESS;
        wrong += m->launches && clSetKernelArg(k, 0, sizeof b, &b);
        for (int i = 0; i < 3 && m->launches; i++)
            wrong += clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL) != CL_SUCCESS;
        wrong += m->launches && clFinish(q);
        wrong += clReleaseMemObject(b) != CL_SUCCESS;
    }
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    return (void *)wrong;
}

/* A launch finds the room that it needs whatever others create, use and release meanwhile. */
START_TEST(buffers_of_others_beside_launches)
{
    struct cl c = open_cl(0);
    cl_kernel fill = kernel_of(&c, "fill");
    cl_mem whole[4];
    cl_int out[FIELD];
    bool stop = false;
    struct maker m[2] = {{&c, true, &stop}, {&c, false, &stop}};
    pthread_t t[THREADS];
    /* Under valgrind threads take turns. */
    int launches = getenv("YOKE_TEST_FEW") ? 20 : getenv("YOKE_NIGHTLY") ? 400 : 30;
    for (int i = 0; i < 4; i++)
        whole[i] = buffer_of(&c, (1 + i % 2) * FIELD * sizeof(cl_int));
    for (int i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&t[i], NULL, make_buffers, &m[i % 2]));
    for (int n = 0; n < launches; n++) {
        set2(fill, whole[n % 4], n);
        launch(&c, fill, 0, NULL, NULL);
        OK(clEnqueueReadBuffer(c.queue, whole[n % 4], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        ck_assert_int_eq(out[FIELD - 1], n + FIELD - 1);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert(!wrong);
    }
    for (int i = 0; i < 4; i++)
        OK(clReleaseMemObject(whole[i]));
    OK(clReleaseKernel(fill));
    close_cl(&c);
}
END_TEST

START_TEST(thousands_of_small_launches)
{
    enum { LAUNCHES = 2000 };
    struct cl c = open_cl(0);
    cl_int out[N], want = 0;
    cl_kernel fill = kernel_of(&c, "fill"), add = kernel_of(&c, "add");
    cl_mem a = buffer_of(&c, N * 4), b = buffer_of(&c, N * 4);
    set2(fill, a, 1);
    launch(&c, fill, 0, NULL, NULL);
    OK(clEnqueueFillBuffer(c.queue, b, &want, sizeof want, 0, N * 4, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    for (int n = 0; n < LAUNCHES; n++) {
        size_t global = 1024, local = LOCAL;
        OK(clEnqueueNDRangeKernel(c.queue, add, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], i < 1024 ? LAUNCHES * (1 + i) : 0);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("semantics launch", ids_and_sizes_are_those_of_the_whole_range, local_size_left_open,
             an_event_changes_nothing_of_a_launch, threads_with_queues_of_their_own, buffers_of_others_beside_launches,
             thousands_of_small_launches)
