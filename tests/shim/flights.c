/* Launches that follow one another without a wait between them, and everything else that a program may do with a queue
 * in between: random programs, whose numbers are computed on the host beside them. flights SEED ROUNDS [fails]: with
 * the last, errors are expected, and then nothing is compared. Knows nothing of yoke. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { N = 4096, GROUP = 64, BUFFERS = 4, STEPS = 120, EVENTS = 512 };

static const char source[] =
    "kernel void map(global const uint *a, global uint *b, uint k)\n"
    "{ uint i = get_global_id(0); b[i] = a[i] * 3u + (i ^ k); }\n"
    "kernel void change(global uint *a, uint k) { uint i = get_global_id(0); a[i] = a[i] * 5u + k; }\n"
    "kernel void add(global const uint *a, global const uint *b, global uint *c)\n"
    "{ uint i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
    "kernel void beside(global const uint *a, global uint *b, uint n)\n"
    "{ uint i = get_global_id(0); b[i] = a[i ? i - 1 : 0] + 7u * a[i + 1 < n ? i + 1 : i]; }\n";

static struct plain p;
static cl_command_queue second;
static cl_kernel map, change, add, beside;
static cl_mem buffer[BUFFERS];
static cl_uint model[BUFFERS][N], seen[N];
static cl_event events[EVENTS];
static unsigned nevents, called;
static unsigned long long state;
static bool fails, failed;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % n;
}

/* In programs whose devices fail, a call may fail. */
static void call(cl_int err, const char *what)
{
    if (!fails)
        check(err, what);
    failed |= err != CL_SUCCESS;
}

static void CL_CALLBACK count(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    __atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
}

static void argument(cl_kernel k, cl_uint i, size_t size, const void *value)
{
    check(clSetKernelArg(k, i, size, value), "argument");
}

/* ON: in which queue. WAIT: behind which event, or none. */
static void launch(cl_command_queue on, cl_kernel k, const cl_event *wait)
{
    const size_t global = N, local = GROUP;
    bool wants = below(4) == 0 && nevents < EVENTS;
    call(clEnqueueNDRangeKernel(on, k, 1, NULL, &global, &local, wait != NULL, wait, wants ? &events[nevents] : NULL),
         "launch");
    if (!wants || failed)
        return;
    if (below(3) == 0)
        check(clSetEventCallback(events[nevents], CL_COMPLETE, count, NULL), "callback");
    nevents++;
}

static void some_launch(cl_command_queue on, const cl_event *wait)
{
    unsigned a = below(BUFFERS), b = (a + 1 + below(BUFFERS - 1)) % BUFFERS, c = below(BUFFERS), which = below(9);
    cl_uint k = below(1000), n = N;
    if (which < 4) {
        argument(map, 0, sizeof *buffer, &buffer[a]), argument(map, 1, sizeof *buffer, &buffer[b]);
        argument(map, 2, sizeof k, &k);
        launch(on, map, wait);
        for (cl_uint i = 0; i < N; i++)
            model[b][i] = model[a][i] * 3 + (i ^ k);
    } else if (which < 6) {
        argument(change, 0, sizeof *buffer, &buffer[a]), argument(change, 1, sizeof k, &k);
        launch(on, change, wait);
        for (cl_uint i = 0; i < N; i++)
            model[a][i] = model[a][i] * 5 + k;
    } else if (which < 8) {
        while (c == a || c == b)
            c = (c + 1) % BUFFERS;
        argument(add, 0, sizeof *buffer, &buffer[a]), argument(add, 1, sizeof *buffer, &buffer[b]);
        argument(add, 2, sizeof *buffer, &buffer[c]);
        launch(on, add, wait);
        for (cl_uint i = 0; i < N; i++)
            model[c][i] = model[a][i] + model[b][i];
    } else {
        argument(beside, 0, sizeof *buffer, &buffer[a]), argument(beside, 1, sizeof *buffer, &buffer[b]);
        argument(beside, 2, sizeof n, &n);
        launch(on, beside, wait);
        for (cl_uint i = 0; i < N; i++)
            model[b][i] = model[a][i ? i - 1 : 0] + 7 * model[a][i + 1 < N ? i + 1 : i];
    }
}

static void compare(unsigned b, unsigned from, unsigned n)
{
    call(clEnqueueReadBuffer(p.queue, buffer[b], CL_TRUE, from * sizeof *seen, n * sizeof *seen, seen, 0, NULL, NULL),
         "read");
    if (failed || !memcmp(seen, model[b] + from, n * sizeof *seen))
        return;
    fprintf(stderr, "flights: other numbers in buffer %u\n", b);
    exit(1);
}

static void drop_events(void)
{
    cl_ulong before = 0;
    for (unsigned i = 0; i < nevents; i++) {
        cl_ulong start, end;
        cl_int status = CL_QUEUED;
        check(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "status");
        if (!fails && status != CL_COMPLETE) {
            fprintf(stderr, "flights: an event is not complete after clFinish\n");
            exit(1);
        }
        if (!failed &&
            clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == 0 &&
            clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == 0) {
            if (start < before || end < start) {
                fprintf(stderr, "flights: a launch began before the one before it was over\n");
                exit(1);
            }
            before = end;
        }
        check(clReleaseEvent(events[i]), "release");
    }
    nevents = 0;
}

/* A launch in the other queue, between two events. */
static void elsewhere(void)
{
    cl_event before, after;
    call(clEnqueueMarkerWithWaitList(p.queue, 0, NULL, &before), "marker");
    call(failed ? CL_SUCCESS : clFlush(p.queue), "flush");
    if (failed)
        return;
    unsigned kept = nevents;
    nevents = EVENTS; /* those of this queue come in their own order */
    some_launch(second, &before);
    nevents = kept;
    call(failed ? CL_SUCCESS : clEnqueueMarkerWithWaitList(second, 0, NULL, &after), "marker");
    call(clFlush(second), "flush");
    check(clReleaseEvent(before), "release");
    if (!failed && fails) /* what waits for what has failed does not happen, and only this says why */
        call(clFinish(second), "finish");
    if (failed)
        return;
    some_launch(p.queue, &after);
    check(clReleaseEvent(after), "release");
}

static void step(void)
{
    unsigned b = below(BUFFERS), from = below(N), n = 1 + below(N - from), what = below(40);
    cl_uint value = below(100);
    cl_int err;
    if (what < 28) {
        some_launch(p.queue, NULL);
    } else if (what < 30) {
        compare(b, from, n);
    } else if (what < 31) {
        call(clEnqueueFillBuffer(p.queue, buffer[b], &value, sizeof value, from * sizeof value, n * sizeof value, 0,
                                 NULL, NULL),
             "fill");
        for (unsigned i = from; i < from + n; i++)
            model[b][i] = value;
    } else if (what < 32) {
        for (unsigned i = from; i < from + n; i++)
            model[b][i] = value + i;
        call(clEnqueueWriteBuffer(p.queue, buffer[b], CL_TRUE, from * sizeof value, n * sizeof value, model[b] + from,
                                  0, NULL, NULL),
             "write");
    } else if (what < 33) {
        unsigned c = (b + 1) % BUFFERS;
        call(clEnqueueCopyBuffer(p.queue, buffer[b], buffer[c], from * sizeof value, from * sizeof value,
                                 n * sizeof value, 0, NULL, NULL),
             "copy");
        memcpy(model[c] + from, model[b] + from, n * sizeof value);
    } else if (what < 34) {
        cl_uint *at = clEnqueueMapBuffer(p.queue, buffer[b], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, from * sizeof value,
                                         n * sizeof value, 0, NULL, NULL, &err);
        call(err, "map");
        if (failed)
            return;
        if (memcmp(at, model[b] + from, n * sizeof value)) {
            fprintf(stderr, "flights: other numbers in a map\n");
            exit(1);
        }
        at[0] = model[b][from] = value;
        call(clEnqueueUnmapMemObject(p.queue, buffer[b], at, 0, NULL, NULL), "unmap");
    } else if (what < 36 && nevents) {
        call(clWaitForEvents(1, &events[below(nevents)]), "wait");
    } else if (what < 37 && nevents) {
        some_launch(p.queue, &events[below(nevents)]);
    } else if (what < 38) {
        call(clFinish(p.queue), "finish");
    } else if (what < 39) {
        call(clFlush(p.queue), "flush");
    } else {
        elsewhere();
    }
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1,
             rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
    cl_int err;
    fails = argc > 3;
    state = seed * 77777ull + 5;
    p = plain_open(seed % 2 ? CL_QUEUE_PROFILING_ENABLE : 0, source);
    second = clCreateCommandQueue(p.context, p.device, 0, &err);
    check(err, "queue");
    map = plain_kernel(&p, "map"), change = plain_kernel(&p, "change");
    add = plain_kernel(&p, "add"), beside = plain_kernel(&p, "beside");
    for (unsigned round = 0; round < rounds && !failed; round++) {
        for (unsigned b = 0; b < BUFFERS; b++) {
            for (unsigned i = 0; i < N; i++)
                model[b][i] = below(1u << 30);
            buffer[b] = plain_filled(&p, sizeof model[b], model[b]);
        }
        for (unsigned i = 0; i < STEPS && !failed; i++)
            step();
        call(clFinish(p.queue), "finish");
        call(clFinish(second), "finish");
        for (unsigned b = 0; b < BUFFERS && !failed; b++)
            compare(b, 0, N);
        drop_events();
        for (unsigned b = 0; b < BUFFERS; b++)
            check(clReleaseMemObject(buffer[b]), "release");
    }
    printf("%s, %u calls back\n", failed ? "failed" : "right", __atomic_load_n(&called, __ATOMIC_RELAXED));
    return 0;
}
