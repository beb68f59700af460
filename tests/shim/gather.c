/* Many small launches, of which gather.py checks how many yoke ran as one: gather HOW
 *   alone   a launch whose event is waited for by itself, with others behind it
 *   mixed   launches of four kernels by turns
 *   many    more different launches than yoke remembers, each with a value of its own
 *   long    launches that take long enough to be divided, and leave most of a device idle
 *   windows more launches than a window has, of which few depend on others
 *   behind  launches right behind blocking writes, which yoke carries out itself
 *   piled   launches enqueued behind one that waits for the program itself; every third time somebody waits for the
 * last late    launches that are held, and between them ones that go straight to the driver with some arguments of
 * theirs Every result is checked here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { LOCAL = 16, LAUNCHES = 32, ROUNDS = 20, MANY = 60000, CELLS = MANY * LOCAL };

static const char source[] =
    "#define K(n) __kernel void put##n(__global int *out, int base, int value)                       \\\n"
    "    { out[base + (int)get_global_id(0)] = value * (n + 2) + (int)get_local_id(0); }\n"
    "K(0) K(1) K(2) K(3)\n"
    "__kernel void add(__global int *out, int base, int from)\n"
    "{ out[base + (int)get_global_id(0)] = out[from + (int)get_global_id(0)] + 1; }\n"
    "__kernel void slow(__global int *out, int base, int value, int turns)\n"
    "{\n"
    "    int x = value;\n"
    "    for (int i = 0; i < turns; i++)\n"
    "        x = x * 5 + 1;\n"
    "    out[base + (int)get_global_id(0)] = x;\n"
    "}\n";

static cl_command_queue queue;
static cl_kernel kernel[4];
static cl_mem out;
static int host[CELLS];

static void launch(int which, int place, int value, cl_event *event)
{
    size_t size = LOCAL;
    int base = place * LOCAL;
    check(clSetKernelArg(kernel[which], 0, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel[which], 1, sizeof base, &base), "clSetKernelArg");
    check(clSetKernelArg(kernel[which], 2, sizeof value, &value), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel[which], 1, NULL, &size, &size, 0, NULL, event),
          "clEnqueueNDRangeKernel");
}

/* The first N places hold what launches of kernel I % KERNELS with value FIRST + I have left. */
static void expect(int n, int kernels, int first)
{
    size_t bytes = (size_t)n * LOCAL * sizeof *host;
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (int i = 0; i < n * LOCAL; i++)
        if (host[i] != (first + i / LOCAL) * (i / LOCAL % kernels + 2) + i % LOCAL) {
            fprintf(stderr, "gather: cell %d holds %d\n", i, host[i]);
            exit(1);
        }
}

/* A launch of K, as its arguments are, that is not held back: it waits for something. */
static void launch_now(cl_kernel k)
{
    size_t size = LOCAL;
    cl_event before;
    check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before), "clEnqueueMarkerWithWaitList");
    check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &size, &size, 1, &before, NULL), "clEnqueueNDRangeKernel");
    check(clReleaseEvent(before), "clReleaseEvent");
}

static void expect_at(cl_mem from, int place, int value)
{
    int cell[LOCAL];
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, (size_t)place * sizeof cell, sizeof cell, cell, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < LOCAL; i++)
        if (cell[i] != value * 2 + i) {
            fprintf(stderr, "gather: cell %d of place %d holds %d, not %d\n", i, place, cell[i], value * 2 + i);
            exit(1);
        }
}

/* Each way changes one argument after launches that were held, so that the others are those of the last of them. */
static void late(int round, cl_mem other)
{
    cl_int err = CL_SUCCESS;
    int value = 1000 + round, base = (LAUNCHES + 1) * LOCAL;
    for (int i = 0; i < LAUNCHES; i++)
        launch(0, i, round + i, NULL);
    if (round % 4 == 1)
        check(clSetKernelArg(kernel[0], 0, sizeof other, &other), "clSetKernelArg");
    else if (round % 4 == 2)
        check(clSetKernelArg(kernel[0], 1, sizeof base, &base), "clSetKernelArg");
    else if (round % 4 == 3)
        check(clSetKernelArg(kernel[0], 2, sizeof value, &value), "clSetKernelArg");
    cl_kernel copy = round % 8 < 4 ? clCloneKernel(kernel[0], &err) : kernel[0];
    check(err, "clCloneKernel");
    launch_now(copy);
    expect_at(round % 4 == 1 ? other : out, round % 4 == 2 ? LAUNCHES + 1 : LAUNCHES - 1,
              round % 4 == 3 ? value : round + LAUNCHES - 1);
    for (int i = 0; i < LAUNCHES - 1; i++)
        expect_at(out, i, round + i);
    if (copy != kernel[0])
        check(clReleaseKernel(copy), "clReleaseKernel");
}

/* Each of four work-groups; the last of every second round depends on all others. */
static void slow(int round, cl_kernel k)
{
    enum { GROUPS = 4, TURNS = 100000, SLOW = 8 };
    size_t global = GROUPS * LOCAL, local = LOCAL;
    int turns = TURNS;
    for (int i = 0; i <= SLOW; i++) {
        int base = (i < SLOW || round % 2 ? i : 0) * GROUPS * LOCAL, value = round + i;
        check(clSetKernelArg(k, 0, sizeof out, &out), "clSetKernelArg");
        check(clSetKernelArg(k, 1, sizeof base, &base), "clSetKernelArg");
        check(clSetKernelArg(k, 2, sizeof value, &value), "clSetKernelArg");
        check(clSetKernelArg(k, 3, sizeof turns, &turns), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    }
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, (SLOW + 1) * GROUPS * LOCAL * sizeof *host, host, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < SLOW + round % 2; i++) {
        unsigned x = (unsigned)(round + (i || round % 2 ? i : SLOW));
        for (int t = 0; t < TURNS; t++)
            x = x * 5 + 1;
        for (int j = 0; j < GROUPS * LOCAL; j++)
            if ((unsigned)host[i * GROUPS * LOCAL + j] != x) {
                fprintf(stderr, "gather: cell %d of launch %d holds %d\n", j, i, host[i * GROUPS * LOCAL + j]);
                exit(1);
            }
    }
}

/* Each launch changes a place by what another holds, mostly by one that none changes. SPARSE: one in so many by any. */
static void windows(int round, cl_kernel k, unsigned sparse)
{
    enum { PLACES = 4000, FIXED = 64, STEPS = 6000 };
    static int expected[PLACES];
    size_t size = LOCAL, bytes = (size_t)PLACES * LOCAL * sizeof *host;
    unsigned seed = 1000u * (unsigned)round + sparse;
    for (int i = 0; i < PLACES; i++)
        expected[i] = 7 * i + round;
    for (int i = 0; i < PLACES * LOCAL; i++)
        host[i] = expected[i / LOCAL];
    check(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "clEnqueueWriteBuffer");
    for (int i = 0; i < STEPS; i++) {
        seed = seed * 1664525 + 1013904223;
        int to = FIXED + i % (PLACES - FIXED);
        int of = seed >> 8 & 0xffff, at = (seed >> 24) % sparse ? of % FIXED : of % PLACES;
        int base = to * LOCAL, from = at * LOCAL;
        check(clSetKernelArg(k, 0, sizeof out, &out), "clSetKernelArg");
        check(clSetKernelArg(k, 1, sizeof base, &base), "clSetKernelArg");
        check(clSetKernelArg(k, 2, sizeof from, &from), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &size, &size, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        expected[to] = expected[at] + 1;
    }
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (int i = 0; i < PLACES * LOCAL; i++)
        if (host[i] != expected[i / LOCAL]) {
            fprintf(stderr, "gather: cell %d holds %d, not %d\n", i, host[i], expected[i / LOCAL]);
            exit(1);
        }
}

static void behind(int round)
{
    enum { WRITTEN = 1 << 18 };
    static int from[WRITTEN];
    check(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof from, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
    for (int i = 0; i < LAUNCHES; i++)
        launch(0, i, round + i, NULL);
    expect(LAUNCHES, 1, round);
}

static void piled(int round, cl_context context)
{
    cl_int err;
    size_t size = LOCAL;
    cl_event begin = clCreateUserEvent(context, &err), last = NULL;
    check(err, "clCreateUserEvent");
    check(clEnqueueNDRangeKernel(queue, kernel[1], 1, NULL, &size, &size, 1, &begin, NULL), "clEnqueueNDRangeKernel");
    for (int i = 0; i < LAUNCHES; i++)
        launch(0, i, round + i, i + 1 == LAUNCHES && round % 3 == 0 ? &last : NULL);
    check(clSetUserEventStatus(begin, CL_COMPLETE), "clSetUserEventStatus");
    if (last) {
        cl_int status = CL_QUEUED;
        check(clWaitForEvents(1, &last), "clWaitForEvents");
        check(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "clGetEventInfo");
        check(status, "the last launch");
        check(clReleaseEvent(last), "clReleaseEvent");
    }
    expect(LAUNCHES, 1, round);
    check(clReleaseEvent(begin), "clReleaseEvent");
}

int main(int argc, char **argv)
{
    const char *how = argc == 2 ? argv[1] : "";
    struct plain p = plain_open(0, source);
    queue = p.queue;
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "put%d", i);
        kernel[i] = plain_kernel(&p, name);
    }
    out = plain_buffer(&p, sizeof host);
    for (int round = 0; round < ROUNDS && !strcmp(how, "alone"); round++) {
        cl_event e;
        launch(0, 0, round, &e);
        for (int i = 1; i < LAUNCHES; i++)
            launch(0, i, round + i, NULL);
        check(clWaitForEvents(1, &e), "clWaitForEvents");
        check(clReleaseEvent(e), "clReleaseEvent");
        expect(LAUNCHES, 1, round);
    }
    for (int round = 0; round < ROUNDS && !strcmp(how, "mixed"); round++) {
        for (int i = 0; i < LAUNCHES; i++)
            launch(i % 4, i, round + i, NULL);
        expect(LAUNCHES, 4, round);
    }
    for (int round = 0; round < 3 && !strcmp(how, "many"); round++) {
        for (int i = 0; i < MANY; i++)
            launch(0, i, round % 2 + i, NULL);
        expect(MANY, 1, round % 2);
    }
    for (int round = 0; round < ROUNDS && !strcmp(how, "piled"); round++) {
        launch(1, 0, round, NULL); /* so that the kernel of the one that waits has its arguments */
        piled(round, p.context);
    }
    cl_kernel add = plain_kernel(&p, "add"), k = plain_kernel(&p, "slow");
    for (int round = 0; round < ROUNDS && !strcmp(how, "windows"); round++)
        windows(round, add, round % 4 ? 200 : 1 << 20);
    for (int round = 0; round < ROUNDS && !strcmp(how, "long"); round++)
        slow(round, k);
    for (int round = 0; round < 10 * ROUNDS && !strcmp(how, "behind"); round++)
        behind(round);
    cl_mem other = plain_buffer(&p, 2 * LAUNCHES * LOCAL * sizeof *host);
    for (int round = 0; round < ROUNDS && !strcmp(how, "late"); round++)
        late(round, other);
    return 0;
}
