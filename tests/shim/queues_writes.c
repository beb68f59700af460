/* Two queues in one buffer, each in words of its own: a launch of the first, of which nobody knows where it writes, and
 * meanwhile a command of the second that writes: neither may lose what the other has written. Knows nothing of yoke. */
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include "tests/shim/plain.h"

enum { N = 1 << 18, FEW = 4096, AT = N - FEW, GROUP = 64, PAUSES = 6, MARK = 0xabc };

static const char source[] =
    "kernel void spread(global const uint *a, global uint *b) { uint i = get_global_id(0); b[i] = a[i] + 1; }\n"
    "kernel void used(global uint *b, uint k)\n"
    "{ uint i = get_global_id(0), o = atomic_add(&b[i & 7], k); if (o == 77777777u) b[9] = o; }\n"
    "kernel void mark(global uint *b, uint at) { b[at + get_global_id(0)] = 0xabc; }\n";

static const char *const ways[] = {"write",       "write later", "fill",      "copy",  "rows",
                                   "copied rows", "unmap",       "unmap all", "launch"};
enum { WRITE, WRITE_LATER, FILL, COPY, ROWS, COPY_ROWS, UNMAP, UNMAP_ALL, LAUNCH, WAYS };

struct rig {
    struct plain p;
    cl_command_queue second;
    cl_mem from, marks, b;
    cl_kernel spread, used, mark;
    cl_uint *mapped, words[FEW], *memory; /* the program's own, for a buffer over it */
};

static void begin(struct rig *r, int way)
{
    const cl_map_flags flags = way == UNMAP ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ | CL_MAP_WRITE;
    cl_int err;
    if (way != UNMAP && way != UNMAP_ALL)
        return;
    r->mapped = clEnqueueMapBuffer(r->second, r->b, CL_TRUE, flags, 4 * AT, sizeof r->words, 0, NULL, NULL, &err);
    check(err, "clEnqueueMapBuffer");
}

static void write(struct rig *r, int way)
{
    static const cl_uint mark = MARK, at = AT;
    const size_t row = 64 * sizeof(cl_uint), to[3] = {0, AT / 64, 0}, zero[3] = {0}, rows[3] = {row, FEW / 64, 1},
                 n = FEW, group = GROUP;
    cl_command_queue q = r->second;
    switch (way) {
    case WRITE:
    case WRITE_LATER:
        check(clEnqueueWriteBuffer(q, r->b, way == WRITE, 4 * AT, sizeof r->words, r->words, 0, NULL, NULL), "write");
        break;
    case FILL:
        check(clEnqueueFillBuffer(q, r->b, &mark, sizeof mark, 4 * AT, sizeof r->words, 0, NULL, NULL), "fill");
        break;
    case COPY:
        check(clEnqueueCopyBuffer(q, r->marks, r->b, 0, 4 * AT, sizeof r->words, 0, NULL, NULL), "copy");
        break;
    case ROWS:
        check(clEnqueueWriteBufferRect(q, r->b, CL_TRUE, to, zero, rows, row, 0, row, 0, r->words, 0, NULL, NULL),
              "rows");
        break;
    case COPY_ROWS:
        check(clEnqueueCopyBufferRect(q, r->marks, r->b, zero, to, rows, row, 0, row, 0, 0, NULL, NULL), "copied rows");
        break;
    case UNMAP:
    case UNMAP_ALL:
        memcpy(r->mapped, r->words, sizeof r->words);
        check(clEnqueueUnmapMemObject(q, r->b, r->mapped, 0, NULL, NULL), "unmap");
        break;
    default:
        check(clSetKernelArg(r->mark, 0, sizeof r->b, &r->b), "b");
        check(clSetKernelArg(r->mark, 1, sizeof at, &at), "at");
        check(clEnqueueNDRangeKernel(q, r->mark, 1, NULL, &n, &group, 0, NULL, NULL), "mark");
    }
}

/* GIVEN: the buffer is over the program's memory. */
static void round_of(struct rig *r, int way, long pause, bool given)
{
    static const cl_uint k = 3;
    const size_t n = N, few = 512, group = GROUP;
    cl_uint got[FEW], first[8];
    cl_int err;
    r->b = clCreateBuffer(r->p.context, given ? CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE, sizeof(cl_uint) * N,
                          given ? r->memory : NULL, &err);
    check(err, "clCreateBuffer");
    check(clSetKernelArg(r->spread, 0, sizeof r->from, &r->from), "a");
    check(clSetKernelArg(r->spread, 1, sizeof r->b, &r->b), "b");
    check(clEnqueueNDRangeKernel(r->p.queue, r->spread, 1, NULL, &n, &group, 0, NULL, NULL), "spread");
    check(clFinish(r->p.queue), "clFinish");
    begin(r, way);
    check(clSetKernelArg(r->used, 0, sizeof r->b, &r->b), "b");
    check(clSetKernelArg(r->used, 1, sizeof k, &k), "k");
    check(clEnqueueNDRangeKernel(r->p.queue, r->used, 1, NULL, &few, &group, 0, NULL, NULL), "used");
    check(clFlush(r->p.queue), "clFlush");
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    write(r, way);
    check(clFinish(r->second), "clFinish");
    check(clFinish(r->p.queue), "clFinish");
    check(clEnqueueReadBuffer(r->p.queue, r->b, CL_TRUE, 4 * AT, sizeof got, got, 0, NULL, NULL), "read");
    check(clEnqueueReadBuffer(r->p.queue, r->b, CL_TRUE, 0, sizeof first, first, 0, NULL, NULL), "read");
    for (unsigned i = 0; i < FEW; i++)
        if (got[i] != MARK) {
            fprintf(stderr, "queues_writes: %s, pause of %ld ns, given %d: word %u is %u\n", ways[way], pause, given, i,
                    got[i]);
            exit(1);
        }
    for (unsigned i = 0; i < 8; i++)
        if (first[i] != i + 1 + 512 / 8 * k) {
            fprintf(stderr, "queues_writes: %s, pause of %ld ns, given %d: the launch's word %u is %u\n", ways[way],
                    pause, given, i, first[i]);
            exit(1);
        }
    check(clReleaseMemObject(r->b), "release");
}

int main(void)
{
    static const long pauses[PAUSES] = {0, 200000, 1000000, 3000000, 8000000, 15000000};
    struct rig r = {.p = plain_open(0, source)};
    cl_uint *from = malloc(sizeof *from * N);
    cl_int err;
    for (cl_uint i = 0; from && i < N; i++)
        from[i] = i;
    for (unsigned i = 0; i < FEW; i++)
        r.words[i] = MARK;
    r.memory = malloc(sizeof *from * N);
    if (!from || !r.memory)
        return 2;
    r.from = plain_filled(&r.p, sizeof *from * N, from);
    r.marks = plain_filled(&r.p, sizeof r.words, r.words);
    r.second = clCreateCommandQueue(r.p.context, r.p.device, 0, &err);
    check(err, "clCreateCommandQueue");
    r.spread = plain_kernel(&r.p, "spread"), r.used = plain_kernel(&r.p, "used"), r.mark = plain_kernel(&r.p, "mark");
    for (int way = 0; way < WAYS; way++)
        for (unsigned i = 0; i < PAUSES; i++)
            round_of(&r, way, pauses[i], false), round_of(&r, way, pauses[i], true);
    free(from);
    free(r.memory);
    check(clReleaseKernel(r.spread), "release"), check(clReleaseKernel(r.used), "release");
    check(clReleaseKernel(r.mark), "release");
    check(clReleaseMemObject(r.from), "release"), check(clReleaseMemObject(r.marks), "release");
    check(clReleaseProgram(r.p.program), "release");
    check(clReleaseCommandQueue(r.second), "release"), check(clReleaseCommandQueue(r.p.queue), "release");
    check(clReleaseContext(r.p.context), "release");
    printf("as it should be\n");
    return 0;
}
