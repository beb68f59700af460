#include "tests/fuzz/entries/objects.h"
#include <stddef.h>

const char *const source = "kernel void vadd(global const float *a, global const float *b, global float *c) {}\n"
                           "kernel void iota(global uint *out) {}\n"
                           "kernel void scale_inplace(global float *a, float f) {}\n"
                           "kernel void copy(global const uint *in, global uint *out) {}\n"
                           "kernel void fill(global int *a, int v) {}\n"
                           "kernel void add(global const int *a, global int *b) {}\n"
                           "kernel void whole_ids(global uint *a) {}\n"
                           "kernel void set_flag(global const uint *in, global uint *flag) {}\n"
                           "kernel void count_up(global uint *n) {}\n"
                           "kernel void nothing(void) {}\n";

const char *const names[] = {"vadd",      "iota",     "scale_inplace", "copy",    "fill", "add",
                             "whole_ids", "set_flag", "count_up",      "nothing", "none", ""};
static uint64_t state;
cl_device_id device;
void *object[KINDS][EACH];
static cl_event gate[EACH]; /* user events whose status is not set: also among the events */
struct mapping mapped[EACH];
unsigned char host[BYTES] __attribute__((aligned(4096)));
long ok_calls;
bool orderly;

void seed(uint64_t number)
{
    state = number * 0x9e3779b97f4a7c15u;
}

uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

void *any(enum kind kind)
{
    uint32_t r = below(40);
    if (r == 0)
        return NULL;
    void *o = kind == QUEUE && orderly ? object[QUEUE][0] : NULL;
    for (int i = 0; i < 4 && !o; i++) /* most sequences are to get somewhere */
        o = object[r == 1 ? (enum kind)below(KINDS) : kind][below(EACH)];
    return o;
}

size_t edge(void)
{
    static const size_t sizes[] = {0,
                                   1,
                                   3,
                                   4,
                                   64,
                                   100,
                                   128,
                                   255,
                                   256,
                                   1024,
                                   4096,
                                   4097,
                                   8000,
                                   8191,
                                   8192,
                                   1 << 20,
                                   SIZE_MAX,
                                   SIZE_MAX - 64,
                                   SIZE_MAX / 2 + 1};
    return below(3) ? (size_t)below(BYTES / 128) * 64 : sizes[below(sizeof sizes / sizeof *sizes)];
}

void part_of(cl_mem m, size_t *offset, size_t *size)
{
    size_t all = 0;
    *offset = edge();
    *size = edge();
    if (below(8) == 0 || clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof all, &all, NULL) != CL_SUCCESS || all < 256)
        return;
    *offset = (size_t)below((uint32_t)(all / 128)) * 128;
    *size = 128 + (size_t)below((uint32_t)((all - *offset) / 64)) * 64;
    if (*size > all - *offset)
        *size = all - *offset;
}

static void release(enum kind kind, void *o)
{
    if (!o)
        return;
    switch (kind) {
    case CONTEXT:
        clReleaseContext(o);
        break;
    case QUEUE:
        clReleaseCommandQueue(o);
        break;
    case MEM:
        clReleaseMemObject(o);
        break;
    case PROGRAM:
        clReleaseProgram(o);
        break;
    case KERNEL:
        clReleaseKernel(o);
        break;
    default:
        clReleaseEvent(o);
    }
}

static void drop_maps_of(cl_mem m)
{
    for (int i = 0; i < EACH; i++)
        if (mapped[i].mem == m && mapped[i].p) {
            mapped[i].p = NULL;
            clReleaseEvent(mapped[i].done);
        }
}

/* Kernels do not retain their arguments, so memory is let go of only with its kernels. */
void put(enum kind kind, void *o)
{
    unsigned i = below(EACH);
    if (!o)
        return;
    if (kind == QUEUE && orderly) {
        release(QUEUE, o);
        return;
    }
    if (kind == MEM)
        for (unsigned k = 0; object[MEM][i] && k < EACH; k++) {
            cl_int err;
            release(KERNEL, object[KERNEL][k]);
            object[KERNEL][k] = clCreateKernel(object[PROGRAM][below(8) == 0], names[below(NAMES)], &err);
        }
    if (kind == MEM)
        drop_maps_of(object[MEM][i]);
    release(kind, object[kind][i]);
    object[kind][i] = o;
}

void make_gate(void)
{
    cl_int err;
    unsigned i = below(EACH);
    cl_context c = any(CONTEXT);
    if (gate[i])
        return;
    gate[i] = clCreateUserEvent(c, &err);
    if (gate[i] && clRetainEvent(gate[i]) == CL_SUCCESS)
        put(EVENT, gate[i]);
}

void open_gates(void)
{
    for (int i = 0; i < EACH; i++)
        if (gate[i]) {
            clSetUserEventStatus(gate[i], below(4) ? CL_COMPLETE : -(cl_int)(1 + below(60)));
            clReleaseEvent(gate[i]);
            gate[i] = NULL;
        }
    for (int i = 0; i < EACH; i++)
        if (object[QUEUE][i])
            clFlush(object[QUEUE][i]);
}

void finish_all(void)
{
    open_gates();
    for (int i = 0; i < EACH; i++)
        if (object[QUEUE][i])
            clFinish(object[QUEUE][i]);
}

void fill_slots(void)
{
    cl_platform_id platform;
    cl_int err;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    for (int i = 0; i < 2; i++) {
        object[CONTEXT][i] = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        const char *text = source;
        object[PROGRAM][i] = clCreateProgramWithSource(object[CONTEXT][i], 1, &text, NULL, &err);
        clBuildProgram(object[PROGRAM][i], 1, &device, "", NULL, NULL);
    }
    for (int i = 1; i < EACH; i++) /* nearly all in one context, or few calls would fit together */
        if (!object[CONTEXT][i] && clRetainContext(object[CONTEXT][0]) == CL_SUCCESS)
            object[CONTEXT][i] = object[CONTEXT][0];
    for (int i = 0; i < EACH; i++) {
        bool other = i == EACH - 1 && !orderly;
        object[MEM][i] = clCreateBuffer(object[CONTEXT][other], 0, BYTES, NULL, &err);
        if (!orderly || !i)
            object[QUEUE][i] =
                clCreateCommandQueue(object[CONTEXT][other], device, (cl_command_queue_properties)(i % 4), &err);
        object[KERNEL][i] = clCreateKernel(object[PROGRAM][other], names[below(10)], &err);
    }
}

void empty_slots(void)
{
    for (int kind = KINDS - 1; kind >= 0; kind--)
        for (int i = 0; i < EACH; i++)
            release((enum kind)kind, object[kind][i]);
}
