/* Two queues work in one buffer, each in bytes of its own: one transposes into the upper part, the other looks up in
 * the lower and writes its last numbers. halves MODE: `at once`, no queue being waited for before the other is used; in
 * `turns`; by `events`, the second's first launch behind the first's; `apart`, in a buffer each, with one that both
 * read. Knows nothing of yoke. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { ROWS = 256, COLUMNS = 32, N = ROWS * COLUMNS, LOW = 2048, USED = 1000, ROUNDS = 40, GROUP = 64 };

static const char source[] =
    "kernel void turn(global const uint *a, global uint *b, uint o, uint rows)\n"
    "{ uint x = get_global_id(0), y = get_global_id(1); b[o + x * rows + y] = a[y * 32u + x] + 1u; }\n"
    "kernel void look(global const uint *a, global const uint *b, global uint *c)\n"
    "{ uint i = get_global_id(0); c[i] = b[a[i + 8192u]] + 2u; }\n"
    "kernel void last(global uint *b, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) b[n - 1 - i] = i; }\n";

static cl_uint a[2 * N], b[LOW + N], c[LOW];

static void argument(cl_kernel k, cl_uint i, size_t size, const void *value)
{
    check(clSetKernelArg(k, i, size, value), "argument");
}

static int round_of(const struct plain *p, cl_command_queue second, cl_mem in, const char *mode)
{
    static const cl_uint low = LOW, rows = ROWS, used = USED;
    const size_t plane[] = {COLUMNS, ROWS}, tile[] = {16, 4}, line = LOW, group = GROUP;
    const bool turns = !strcmp(mode, "turns"), apart = !strcmp(mode, "apart"), events = !strcmp(mode, "events");
    cl_event e;
    memset(b, 0, sizeof b);
    cl_mem out = plain_filled(p, sizeof b, b), other = apart ? plain_filled(p, sizeof b, b) : out,
           found = plain_filled(p, sizeof c, c);
    cl_kernel turn = plain_kernel(p, "turn"), look = plain_kernel(p, "look"), last = plain_kernel(p, "last");
    argument(turn, 0, sizeof in, &in), argument(turn, 1, sizeof out, &out);
    argument(turn, 2, sizeof low, &low), argument(turn, 3, sizeof rows, &rows);
    argument(look, 0, sizeof in, &in), argument(look, 1, sizeof other, &other), argument(look, 2, sizeof found, &found);
    argument(last, 0, sizeof other, &other), argument(last, 1, sizeof used, &used);
    check(clEnqueueNDRangeKernel(p->queue, turn, 2, NULL, plane, tile, 0, NULL, &e), "launch");
    check(turns ? clFinish(p->queue) : clFlush(p->queue), "flush");
    check(clEnqueueNDRangeKernel(second, look, 1, NULL, &line, &group, events, events ? &e : NULL, NULL), "launch");
    check(clReleaseEvent(e), "release");
    check(clEnqueueNDRangeKernel(second, last, 1, NULL, &line, &group, 0, NULL, NULL), "launch");
    check(clFinish(second), "finish");
    check(clFinish(p->queue), "finish");
    check(clEnqueueReadBuffer(p->queue, out, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL), "read");
    if (apart)
        check(clEnqueueReadBuffer(second, other, CL_TRUE, 0, LOW * sizeof *b, b, 0, NULL, NULL), "read");
    check(clEnqueueReadBuffer(second, found, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL), "read");
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += b[LOW + i % COLUMNS * ROWS + i / COLUMNS] != a[i] + 1;
    for (int i = 0; i < LOW; i++)
        wrong += (b[i] != (i < USED ? (cl_uint)(USED - 1 - i) : 0)) + (c[i] != 2);
    cl_kernel kernels[] = {turn, look, last};
    for (int i = 0; i < 3; i++)
        check(clReleaseKernel(kernels[i]), "release");
    check(clReleaseMemObject(out), "release");
    if (apart)
        check(clReleaseMemObject(other), "release");
    check(clReleaseMemObject(found), "release");
    return wrong;
}

int main(int argc, char **argv)
{
    struct plain p = plain_open(0, source);
    cl_int err;
    cl_command_queue second = clCreateCommandQueue(p.context, p.device, 0, &err);
    check(err, "queue");
    for (cl_uint i = 0; i < N; i++) {
        a[i] = i * 2654435761u;
        a[N + i] = (i * 17 + 5) % LOW;
    }
    cl_mem in = plain_filled(&p, sizeof a, a);
    for (int i = 0; i < ROUNDS; i++) {
        int wrong = round_of(&p, second, in, argc > 1 ? argv[1] : "once");
        if (wrong) {
            fprintf(stderr, "halves: round %d: %d numbers are wrong\n", i, wrong);
            return 1;
        }
    }
    check(clReleaseMemObject(in), "release");
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(second), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    return 0;
}
