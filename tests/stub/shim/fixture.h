/* What tests of commands, events and objects start from and end with: a context, or two for handles from abroad; a
 * kernel and its buffer; a gate behind which commands wait. Included by them, each test being a process of its own. */
#ifndef YK_TESTS_STUB_SHIM_FIXTURE_H
#define YK_TESTS_STUB_SHIM_FIXTURE_H

#include "tests/stub/shim/shim.h"

enum { N = 1024 };

static struct shim s, other;

static inline void open_two(void)
{
    shim_open(&s, 0);
    shim_open(&other, 0);
}

static inline void close_two(void)
{
    OK(clReleaseProgram(other.program));
    OK(clReleaseCommandQueue(other.queue));
    OK(clReleaseContext(other.context));
    shim_close(&s);
}

/* RELEASE(clReleaseMemObject, a, b): each of them. */
#define RELEASE(with, ...)                                                                                             \
    do {                                                                                                               \
        void *const all_[] = {__VA_ARGS__};                                                                            \
        for (size_t i_ = 0; i_ < sizeof all_ / sizeof *all_; i_++)                                                     \
            OK(with(all_[i_]));                                                                                        \
    } while (0)

/* The kernel NAME, whose first argument is a new buffer *A of N numbers. */
static inline cl_kernel kernel_on(const char *name, cl_mem *a)
{
    cl_kernel k = shim_kernel(&s, name);
    *a = shim_buffer(&s, 4 * N);
    shim_set(k, 0, *a);
    return k;
}

/* Let pass what waits for GATE, and have it done. */
static inline void pass_gate(cl_event gate)
{
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(s.queue));
    OK(clReleaseEvent(gate));
}

/* A thread's life: launches and reads with objects of its own in the context of ARG, a struct shim. How much was wrong.
 */
static inline void *launch_and_read(void *arg)
{
    struct shim *c = arg;
    cl_int err, out[N];
    cl_command_queue q = clCreateCommandQueue(c->context, c->device, 0, &err);
    cl_kernel k = clCreateKernel(c->program, "fill", &err);
    cl_mem a = clCreateBuffer(c->context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    size_t global = N, local = 64;
    long wrong = 0;
    for (cl_int n = 0; n < 12; n++) {
        cl_event e;
        err |= clSetKernelArg(k, 0, sizeof a, &a) | clSetKernelArg(k, 1, sizeof n, &n);
        err |= clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e);
        err |= clWaitForEvents(1, &e) | clReleaseEvent(e);
        err |= clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        for (int i = 0; i < N; i++)
            wrong += out[i] != n + i;
    }
    err |= clReleaseMemObject(a) | clReleaseKernel(k) | clReleaseCommandQueue(q);
    return (void *)(wrong + (err != CL_SUCCESS));
}

#endif
