/* Launches beside their own transfers on several devices (shim/queue/stages_apart.h): what is read is right, whichever
 * parts of which buffers lie where from the chains before, from two threads at once. With the real transformer, whose
 * regions are exact. */
#include <pthread.h>
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

enum { ITEMS = 4096, CHAINS = 60, LOCAL_SIZE = 64 };

static const char text[] =
    "kernel void copy(global const uint *in, global uint *out) { size_t i = get_global_id(0); out[i] = in[i]; }\n"
    "kernel void vadd(global const float *a, global const float *b, global float *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
    "kernel void fill(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n";

struct side {
    cl_program program;
    unsigned seed;
    long wrong;
};

static unsigned below(struct side *t, unsigned n)
{
    t->seed = t->seed * 1103515245u + 12345;
    return (t->seed >> 8) % n;
}

static void write_to(cl_command_queue q, cl_mem m, const cl_uint *from)
{
    OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, ITEMS * 4, from, 0, NULL, NULL));
}

/* in -> copy -> out, then some of it changed, a launch over a part of it, and once more from a half that was written
 * anew: the other half is read where the chain before has left it. */
static void *chains(void *arg)
{
    struct side *t = arg;
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(s.context, s.device, 0, &err);
    OK(err);
    cl_kernel copy = clCreateKernel(t->program, "copy", &err), fill = clCreateKernel(t->program, "fill", &err);
    OK(err);
    cl_mem a = shim_buffer(&s, ITEMS * 4), b = shim_buffer(&s, ITEMS * 4);
    static const size_t local = LOCAL_SIZE;
    const size_t all = ITEMS;
    cl_uint *in = malloc(ITEMS * 4), *out = malloc(ITEMS * 4), *want = malloc(ITEMS * 4);
    for (unsigned n = 0; n < CHAINS; n++) {
        size_t from = 0, count = ITEMS;
        for (unsigned i = 0; i < ITEMS; i++)
            in[i] = below(t, 1 << 20);
        switch (below(t, 4)) {
        case 0: /* fill, read */
            shim_set(fill, 0, b);
            OK(clSetKernelArg(fill, 1, sizeof n, &n));
            OK(clEnqueueNDRangeKernel(q, fill, 1, NULL, &all, &local, 0, NULL, NULL));
            for (cl_uint i = 0; i < ITEMS; i++)
                want[i] = n + i;
            break;
        case 1: /* a half of the input stays as it is */
            if (n) {
                OK(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, ITEMS * 2, in, 0, NULL, NULL));
                OK(clFinish(q));
                OK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, ITEMS * 4, want, 0, NULL, NULL));
                t->wrong += memcmp(in, want, ITEMS * 2) != 0;
                memcpy(in, want, ITEMS * 4);
                OK(clEnqueueWriteBuffer(q, a, CL_FALSE, ITEMS, ITEMS * 2, in + ITEMS / 4, 0, NULL, NULL));
            } else {
                write_to(q, a, in);
            }
            goto copied;
        case 2: /* a part is read */
            from = below(t, ITEMS / 2);
            count = 1 + below(t, ITEMS / 2);
            /* fall through */
        default:
            write_to(q, a, in);
        copied:
            memcpy(want, in, ITEMS * 4);
            shim_set(copy, 0, a);
            shim_set(copy, 1, b);
            OK(clEnqueueNDRangeKernel(q, copy, 1, NULL, &all, &local, 0, NULL, NULL));
        }
        OK(clEnqueueReadBuffer(q, b, CL_FALSE, from * 4, count * 4, out, 0, NULL, NULL));
        OK(clFinish(q));
        t->wrong += memcmp(out, want + from, count * 4) != 0;
    }
    OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, ITEMS * 4, out, 0, NULL, NULL));
    t->wrong += memcmp(out, want, ITEMS * 4) != 0;
    free(in), free(out), free(want);
    RELEASE(clReleaseMemObject, a, b);
    RELEASE(clReleaseKernel, copy, fill);
    OK(clReleaseCommandQueue(q));
    return NULL;
}

START_TEST(every_byte_is_where_it_was_left)
{
    pthread_t thread;
    shim_open(&s, 0);
    cl_program p = shim_program(&s, text);
    struct side one = {p, 1, 0}, two = {p, 2, 0};
    ck_assert_int_eq(pthread_create(&thread, NULL, chains, &two), 0);
    chains(&one);
    pthread_join(thread, NULL);
    ck_assert_int_eq(one.wrong + two.wrong, 0);
    OK(clReleaseProgram(p));
    shim_close(&s);
}
END_TEST

YK_TEST_MAIN("apart", every_byte_is_where_it_was_left)
