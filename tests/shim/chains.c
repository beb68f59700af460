/* Small launches of which some depend on one another and some do not, with arguments set anew at random, buffers that
 * give way to others, and events: chains SEED [SECONDS]. What each buffer holds is followed on the host. */
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include "tests/shim/plain.h"

enum { BUFFERS = 4, CELLS = 64, MOST_LAUNCHES = 600, ONE_IN = 300 };

static const char source[] = "kernel void change(global uint *a, global const uint *b, uint v)\n"
                             "{ uint i = get_global_id(0); a[i] = a[i] * 3 + b[i] + v; }\n";

static struct plain p;
static cl_kernel kernel;
static cl_mem buffer[BUFFERS];
static cl_uint held[BUFFERS][CELLS];
static cl_uint value;
static int to, from = 1; /* never the same */

static void set_buffer(cl_uint i, int which)
{
    check(clSetKernelArg(kernel, i, sizeof buffer[which], &buffer[which]), "clSetKernelArg");
}

static void make(int i)
{
    cl_int err;
    buffer[i] = clCreateBuffer(p.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof held[i], held[i], &err);
    check(err, "clCreateBuffer");
}

static void look_at(int i)
{
    cl_uint got[CELLS];
    check(clEnqueueReadBuffer(p.queue, buffer[i], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "clEnqueueReadBuffer");
    if (!memcmp(got, held[i], sizeof got))
        return;
    fprintf(stderr, "chains: buffer %d holds something else\n", i);
    exit(1);
}

/* Another buffer with the same content in its place. */
static void replace(int i)
{
    look_at(i);
    check(clReleaseMemObject(buffer[i]), "clReleaseMemObject");
    make(i);
    if (i == to)
        set_buffer(0, to);
    if (i == from)
        set_buffer(1, from);
}

static void launch(bool waits)
{
    const size_t size = CELLS;
    cl_event e;
    check(clEnqueueNDRangeKernel(p.queue, kernel, 1, NULL, &size, &size, 0, NULL, waits ? &e : NULL),
          "clEnqueueNDRangeKernel");
    for (int c = 0; c < CELLS; c++)
        held[to][c] = held[to][c] * 3 + held[from][c] + value;
    if (!waits)
        return;
    if (rand() % 2)
        check(clWaitForEvents(1, &e), "clWaitForEvents");
    check(clReleaseEvent(e), "clReleaseEvent");
}

static void step(void)
{
    if (rand() % 2) {
        value = (cl_uint)rand();
        check(clSetKernelArg(kernel, 2, sizeof value, &value), "clSetKernelArg");
    }
    if (rand() % 4 == 0)
        set_buffer(0, to = (from + 1 + rand() % (BUFFERS - 1)) % BUFFERS);
    if (rand() % 4 == 0)
        set_buffer(1, from = (to + 1 + rand() % (BUFFERS - 1)) % BUFFERS);
    launch(rand() % 16 == 0);
    if (rand() % ONE_IN == 0)
        replace(rand() % BUFFERS);
}

int main(int argc, char **argv)
{
    srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
    time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 1);
    p = plain_open(0, source);
    kernel = plain_kernel(&p, "change");
    for (int i = 0; i < BUFFERS; i++) {
        for (int c = 0; c < CELLS; c++)
            held[i][c] = (cl_uint)rand();
        make(i);
    }
    set_buffer(0, to);
    set_buffer(1, from);
    check(clSetKernelArg(kernel, 2, sizeof value, &value), "clSetKernelArg");
    do {
        for (int n = rand() % MOST_LAUNCHES; n > 0; n--)
            step();
        for (int i = 0; i < BUFFERS; i++)
            look_at(i);
    } while (time(NULL) < end);
    return 0;
}
