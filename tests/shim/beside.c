/* Whole launches of an in-order queue that yoke may run side by side, of which beside.py checks how many it did:
 * beside HOW
 *   each    launches of one work-group that need nothing of one another, an event each: whoever is complete, all before
 *           it are
 *   free    the same in a queue out of order, where no such thing is promised
 *   chain   each needs the last one's result
 *   graph   each needs those of some before it, at random, and may overwrite what these read
 *   rounds  `each` again and again, for two seconds, milliseconds per launch
 *   links   `chain` in the same way
 *   own     `rounds`, each launch in a buffer of its own
 * Every result is checked here. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tests/shim/plain.h"

enum { LOCAL = 16, PLACES = 24, LAUNCHES = 40, ROUNDS = 12, CELLS = PLACES * LOCAL };

/* Its work-item mixes two numbers, N times over. */
static const char source[] = "kernel void stir(global uint *m, uint to, uint a, uint b, uint n)\n"
                             "{ uint i = get_local_id(0), x = m[a + i], y = m[b + i];\n"
                             "  for (uint r = 0; r < n; r++) x = x * 1664525u + (y ^ r);\n"
                             "  m[to + i] = x; }\n";

static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem memory, own[PLACES];
static unsigned model[CELLS], host[CELLS];

static unsigned below(unsigned n)
{
    return (unsigned)rand() % n;
}

/* Place TO from places A and B: there, */
static void enqueue(unsigned to, unsigned a, unsigned b, unsigned n, cl_event *event)
{
    const size_t size = LOCAL;
    const unsigned arg[] = {to * LOCAL, a * LOCAL, b * LOCAL, n};
    for (cl_uint i = 0; i < 4; i++)
        check(clSetKernelArg(kernel, i + 1, sizeof arg[i], &arg[i]), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, event), "clEnqueueNDRangeKernel");
}

/* and here. */
static void compute(unsigned to, unsigned a, unsigned b, unsigned n)
{
    for (unsigned i = 0; i < LOCAL; i++) {
        unsigned x = model[a * LOCAL + i], y = model[b * LOCAL + i];
        for (unsigned r = 0; r < n; r++)
            x = x * 1664525u + (y ^ r);
        model[to * LOCAL + i] = x;
    }
}

static void launch(unsigned to, unsigned a, unsigned b, unsigned n, cl_event *event)
{
    enqueue(to, a, b, n, event);
    compute(to, a, b, n);
}

static void fill(void)
{
    for (unsigned i = 0; i < CELLS; i++)
        model[i] = (unsigned)rand();
    check(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof model, model, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

static void expect(void)
{
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (unsigned i = 0; i < CELLS; i++)
        if (host[i] != model[i]) {
            fprintf(stderr, "beside: item %u of place %u is %u, not %u\n", i % LOCAL, i / LOCAL, host[i], model[i]);
            exit(1);
        }
}

static void each(int in_order)
{
    cl_event event[PLACES];
    for (unsigned i = 0; i < PLACES; i++)
        launch(i, i, i, 1000 * below(20), &event[i]);
    unsigned seen = below(PLACES);
    check(clWaitForEvents(1, &event[seen]), "clWaitForEvents");
    for (unsigned i = 0; i < PLACES; i++) {
        cl_int status;
        check(clGetEventInfo(event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
              "clGetEventInfo");
        if (in_order && i <= seen && status != CL_COMPLETE) {
            fprintf(stderr, "beside: launch %u is complete, but not %u: status %d\n", seen, i, status);
            exit(1);
        }
        clReleaseEvent(event[i]);
    }
}

static void chain(unsigned n)
{
    for (unsigned i = 1; i <= LAUNCHES; i++)
        launch(i % PLACES, (i - 1) % PLACES, i % PLACES, n, NULL);
}

static void graph(void)
{
    for (unsigned i = 0; i < LAUNCHES; i++)
        launch(below(PLACES), below(PLACES), below(PLACES), 1000 * below(20), NULL);
}

static void into_own(unsigned i)
{
    check(clSetKernelArg(kernel, 0, sizeof own[i], &own[i]), "clSetKernelArg");
}

/* What the own buffers hold, each its place, into the one. */
static void collect(void)
{
    const size_t bytes = LOCAL * sizeof(cl_uint);
    for (unsigned i = 1; i <= 8; i++)
        check(clEnqueueCopyBuffer(queue, own[i], memory, i * bytes, i * bytes, bytes, 0, NULL, NULL),
              "clEnqueueCopyBuffer");
}

/* For two seconds, launches of some milliseconds. */
static void long_ones(int depend, int apart)
{
    enum { N = 100000 };
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (unsigned i = 1; i <= 8 && apart; i++)
        check(clEnqueueWriteBuffer(queue, own[i], CL_TRUE, 0, sizeof model, model, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    do {
        for (unsigned i = 1; i <= 8; i++) {
            if (apart)
                into_own(i);
            enqueue(i, depend ? i - 1 : i, i, N, NULL);
        }
        check(clFinish(queue), "clFinish"); /* before this program computes, too */
        if (apart)
            collect();
        for (unsigned i = 1; i <= 8; i++)
            compute(i, depend ? i - 1 : i, i, N);
        expect();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < 2);
}

int main(int argc, char **argv)
{
    char how = argc == 2 ? argv[1][0] : 0;
    struct plain p = plain_open(how == 'f' ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, source);
    queue = p.queue;
    kernel = plain_kernel(&p, "stir");
    memory = plain_buffer(&p, sizeof model);
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    fill();
    for (unsigned i = 0; i < PLACES && how == 'o'; i++)
        own[i] = plain_buffer(&p, sizeof model);
    if (how == 'r' || how == 'l' || how == 'o') {
        long_ones(how == 'l', how == 'o');
    } else {
        for (unsigned round = 0; round < ROUNDS; round++) {
            how == 'e' || how == 'f' ? each(how == 'e') : how == 'c' ? chain(2000) : graph();
            check(clFinish(queue), "clFinish");
            expect();
        }
    }
    for (unsigned i = 0; i < PLACES && how == 'o'; i++)
        clReleaseMemObject(own[i]);
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    clReleaseProgram(p.program);
    clReleaseCommandQueue(queue);
    clReleaseContext(p.context);
    return 0;
}
