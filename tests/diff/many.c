/* Programs of many small launches, dependent and not, in in-order queues, with other commands between them, from a
 * seed: many SEED FIRST LAST FILE runs programs FIRST..LAST of the kernels of SEED and writes what every read and in
 * the end every buffer holds to FILE. A plain OpenCL program: tests run it bare and under yoke and compare. Launches of
 * one program differ in kernel, buffers and sub-buffers, scalars of all sizes, ranges, offsets and local memory; each
 * is race-free, so that the order of dependent ones is all that matters. */
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFERS = 5, CELLS = 4096, SUBS = 3, KERNELS = 12, HALF = CELLS / 2 };

static uint64_t state;
static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "many: %s: error %d\n", what, err);
    exit(1);
}

/* Kernels: %u are constants of the seed. All write out[base ...), all read in[from ...) of another buffer. */
static const char text[] =
    "typedef struct { int a; short b; uchar c; } mixed;\n"
    "int where(int d) { return (int)get_global_id(d) + (int)get_work_dim() * %u; }\n"
    "int mine(int x) { return x ^ (int)(get_group_id(0) * %uu + get_num_groups(1) + 5 * get_num_groups(0)); }\n"
    "__kernel void line(__global int *out, __global const int *in, int base, int from)\n"
    "{ int i = (int)get_global_id(0); out[base + i] = in[from + i] * %u + out[base + i]; }\n"
    "__kernel void ids(__global int *out, int base)\n"
    "{ int i = (int)(get_global_id(0) - get_global_offset(0));\n"
    "  out[base + i] = mine(out[base + i]) + (int)(get_global_size(0) * 3 + get_global_offset(0) + get_local_id(0)); "
    "}\n"
    "__kernel void plane(__global int *restrict out, const int base, const uint pitch, __global int const *in, int "
    "from)\n"
    "{ uint x = get_global_id(0), y = get_global_id(1);\n"
    "  out[base + y * pitch + x] = in[from + x] + (int)(y * %uu + get_group_id(1) * get_num_groups(0)); }\n"
    "__kernel void sums(__global int *out, __global const int *in, int base, int from)\n"
    "{ __local int part[64]; int l = (int)get_local_id(0); part[l] = in[from + (int)get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int s = (int)get_local_size(0) / 2; s > 0; s /= 2) {\n"
    "    if (l < s) part[l] += part[l + s] * %u;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  if (l == 0) out[base + (int)get_group_id(0)] = part[0]; }\n"
    "__kernel void turn(__global int *out, __local int *tmp, int base, __global const int *in, int from)\n"
    "{ int l = (int)get_local_id(0), n = (int)get_local_size(0); tmp[n - 1 - l] = in[from + where(0) %% 64];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); out[base + (int)get_global_id(0)] = tmp[l] + l; }\n"
    "__kernel void table(__global int *out, __constant int *c, int base)\n"
    "{ int i = (int)get_global_id(0); out[base + i] = c[i & 15] + where(i & 1) - out[base + i]; }\n"
    "__kernel void values(__global int *out, char a, float4 b, mixed m, ulong u, short2 s, int base)\n"
    "{ int i = (int)get_global_id(0);\n"
    "  out[base + i] = a + (int)(b.x + b.w * 2) + m.a * 3 + m.b + m.c + (int)(u >> 33) + s.y + i * %u; }\n"
    "__kernel void bounded(__global int *out, int base, int n)\n"
    "{ int i = (int)get_global_id(0); if (i >= n) return; out[base + i] = out[base + i] * 5 + 1; }\n"
    "__kernel void count(__global int *out, __global const int *in, int base, int from)\n"
    "{ atomic_add(&out[base + (in[from + (int)get_global_id(0)] & 7)], 1); }\n"
    "__kernel void apart(__global int *out, int base, int stride)\n"
    "{ int i = (int)get_global_id(0); out[base + i * stride] += i * %u; }\n"
    "__kernel void picked(__global float *out, __global const int *in, int base, int from)\n"
    "{ int i = (int)get_global_id(0); float x = (float)(in[in[from + i] & 1023] & 0xffff);\n"
    "  out[base + i] = x * 0.37f + 1.0f / (float)(i + 1); }\n"
    "typedef struct { int n; int v[3]; } lot;\n"
    "__kernel __attribute__((vec_type_hint(int))) void several(__global int *out, __global const int *in, int base, "
    "int "
    "from)\n"
    "{ __local int a[16][2], b[sizeof(int) * 4]; __local int last; __local volatile lot l;\n"
    "  int x = (int)get_local_id(0), n = (int)get_local_size(0);\n"
    "  if (x == n - 1) { last = in[from + (int)get_global_id(0)]; l.n = (int)get_group_id(0); l.v[1] = (int)sizeof a; "
    "}\n"
    "  a[x][1] = in[from + x]; b[n - 1 - x] = a[x][1] * %u; a[x][0] = x;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); __local int *p = &last; __local int (*q)[2] = &a[x];\n"
    "  out[base + (int)get_global_id(0)] += b[x] + *p + (*q)[0] + l.n * 7 + l.v[1] + (int)sizeof(b); }\n";

static const char *const names[KERNELS] = {"line",   "ids",     "plane", "sums",  "turn",   "table",
                                           "values", "bounded", "count", "apart", "picked", "several"};

static cl_context context;
static cl_device_id device;
static cl_command_queue queue[2];
static cl_kernel kernel[KERNELS];
static cl_mem buffer[BUFFERS], sub[BUFFERS][SUBS], constant[2];
static int host[CELLS];

static void set_up(unsigned seed)
{
    char source[8192], options[32];
    cl_platform_id platform;
    cl_int err;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    for (int i = 0; i < 2; i++) {
        queue[i] = clCreateCommandQueue(context, device, i ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
        check(err, "clCreateCommandQueue");
    }
    unsigned c[8];
    for (int i = 0; i < 8; i++)
        c[i] = 1 + below(1000);
    snprintf(source, sizeof source, text, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    snprintf(options, sizeof options, "-DSEED=%u", seed);
    const char *s = source;
    cl_program p = clCreateProgramWithSource(context, 1, &s, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(p, 1, &device, options, NULL, NULL), "clBuildProgram");
    for (int i = 0; i < KERNELS; i++) {
        kernel[i] = clCreateKernel(p, names[i], &err);
        check(err, names[i]);
    }
    for (int b = 0; b < BUFFERS; b++) {
        buffer[b] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof host, NULL, &err);
        check(err, "clCreateBuffer");
        for (int i = 0; i < SUBS; i++) {
            cl_buffer_region r = {(size_t)i * 1024 * sizeof(int), HALF * sizeof(int)};
            sub[b][i] = clCreateSubBuffer(buffer[b], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
            check(err, "clCreateSubBuffer");
        }
    }
    for (int i = 0; i < 2; i++) {
        int values[16];
        for (int k = 0; k < 16; k++)
            values[k] = (int)below(100000);
        constant[i] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof values, values, &err);
        check(err, "clCreateBuffer");
    }
}

static bool patient; /* the driver begins nothing until it is told to, as it may */
static cl_uint argument;
static void pass(cl_kernel k, size_t size, const void *value)
{
    check(clSetKernelArg(k, argument++, size, value), "clSetKernelArg");
}
static void pass_int(cl_kernel k, int x)
{
    pass(k, sizeof x, &x);
}

/* Buffer B or a part of it; at least HALF cells. */
static void pass_memory(cl_kernel k, unsigned b)
{
    unsigned i = below(2 * SUBS);
    pass(k, sizeof(cl_mem), i < SUBS ? &sub[b][i] : &buffer[b]);
}

static void launch(cl_command_queue q, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct {
        int a;
        short b;
        unsigned char c;
    } mixed = {(int)below(1000), (short)below(1000), (unsigned char)below(256)};
    int which = (int)below(KERNELS);
    cl_kernel k = kernel[which];
    unsigned out = below(BUFFERS), in = (out + 1 + below(BUFFERS - 1)) % BUFFERS;
    size_t local[3] = {16, 1, 1}, global[3] = {16 * (1 + below(5)), 1, 1}, offset[3] = {0, 0, 0};
    /* Few places, so that launches meet, and far enough below HALF for the largest range. */
    int base = (int)below(12) * 64, from = (int)below(12) * 64;
    cl_uint dims = 1;
    bool has_offset = false;
    argument = 0;
    pass_memory(k, out);
    switch (which) {
    case 0:  /* line */
    case 3:  /* sums */
    case 8:  /* count */
    case 10: /* picked */
    case 11: /* several */
        pass_memory(k, in);
        pass_int(k, base);
        pass_int(k, from);
        break;
    case 1: /* ids */
        pass_int(k, base);
        has_offset = below(2);
        offset[0] = has_offset ? below(100) : 0;
        break;
    case 2: { /* plane */
        cl_uint pitch = 80 + below(20);
        dims = 2;
        local[0] = 8;
        local[1] = 2;
        global[1] = 2 * (1 + below(4));
        pass_int(k, base);
        pass(k, sizeof pitch, &pitch);
        pass_memory(k, in);
        pass_int(k, from);
        break;
    }
    case 4: /* turn */
        pass(k, (16 + below(32)) * sizeof(int), NULL);
        pass_int(k, base);
        pass_memory(k, in);
        pass_int(k, from);
        break;
    case 5: /* table */
        pass(k, sizeof(cl_mem), &constant[below(2)]);
        pass_int(k, base);
        break;
    case 6: { /* values */
        cl_char a = (cl_char)below(100);
        cl_float4 b = {{(float)below(100), 1, 2, (float)below(100)}};
        cl_ulong u = (cl_ulong)below(1000) << 33;
        cl_short2 s = {{1, (cl_short)below(1000)}};
        pass(k, sizeof a, &a);
        pass(k, sizeof b, &b);
        pass(k, sizeof mixed, &mixed);
        pass(k, sizeof u, &u);
        pass(k, sizeof s, &s);
        pass_int(k, base);
        break;
    }
    case 7: /* bounded */
        pass_int(k, base);
        pass_int(k, (int)below(70));
        break;
    case 9: /* apart */
        pass_int(k, base);
        pass_int(k, 1 + (int)below(6));
        break;
    }
    check(clEnqueueNDRangeKernel(q, k, dims, has_offset ? offset : NULL, global, local, nwait, wait, event),
          "clEnqueueNDRangeKernel");
}

static void read_into(FILE *f, cl_command_queue q, unsigned b, size_t at, size_t n)
{
    check(clEnqueueReadBuffer(q, buffer[b], CL_TRUE, at * sizeof(int), n * sizeof(int), host, 0, NULL, NULL), "read");
    fwrite(host, sizeof(int), n, f);
}

/* Some other command. */
static void disturb(FILE *f, cl_command_queue q)
{
    static int source[CELLS];
    cl_int status = CL_QUEUED, pattern = (int)below(1000);
    cl_event e;
    switch (below(9)) {
    case 0:
        check(clFlush(q), "clFlush");
        break;
    case 1:
        check(clFinish(q), "clFinish");
        break;
    case 2:
        read_into(f, q, below(BUFFERS), below(64) * 16, 64);
        break;
    case 3:
        for (int i = 0; i < 64; i++)
            source[i] = (int)below(1000000);
        check(clEnqueueWriteBuffer(q, buffer[below(BUFFERS)], CL_TRUE, below(64) * 64, 256, source, 0, NULL, NULL),
              "write");
        break;
    case 4:
        check(clEnqueueFillBuffer(q, buffer[below(BUFFERS)], &pattern, 4, below(64) * 64, 512, 0, NULL, NULL), "fill");
        break;
    case 5: {
        unsigned from = below(BUFFERS), to = (from + 1) % BUFFERS;
        check(clEnqueueCopyBuffer(q, buffer[from], buffer[to], below(64) * 64, below(64) * 64, 640, 0, NULL, NULL),
              "copy");
        break;
    }
    case 6: /* wait for one that is followed by others */
        launch(q, 0, NULL, &e);
        launch(q, 0, NULL, NULL);
        check(clWaitForEvents(1, &e), "clWaitForEvents");
        check(clReleaseEvent(e), "clReleaseEvent");
        break;
    case 7: /* poll, without a flush */
        launch(q, 0, NULL, &e);
        if (patient)
            check(clFlush(q), "clFlush");
        for (int i = 0; status > CL_COMPLETE; i++) {
            check(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "status");
            if (i > 20)
                usleep(100);
        }
        check(clReleaseEvent(e), "clReleaseEvent");
        break;
    default:
        usleep(300);
    }
}

static void program(FILE *f)
{
    int n = 20 + (int)below(100), rare = 3 + (int)below(60);
    bool two = below(4) == 0;
    for (unsigned b = 0; b < BUFFERS; b++) {
        for (int i = 0; i < CELLS; i++)
            host[i] = (int)below(1u << 20);
        check(clEnqueueWriteBuffer(queue[0], buffer[b], CL_TRUE, 0, sizeof host, host, 0, NULL, NULL), "write");
    }
    cl_command_queue q = queue[0];
    cl_event across = NULL;
    for (int i = 0; i < n; i++) {
        if (two && below(12) == 0) { /* the other queue goes on where this one was */
            launch(q, 0, NULL, &across);
            q = q == queue[0] ? queue[1] : queue[0];
            launch(q, 1, &across, NULL);
            check(clReleaseEvent(across), "clReleaseEvent");
        } else if (below((unsigned)rare) == 0) {
            disturb(f, q);
        } else {
            launch(q, 0, NULL, NULL);
        }
    }
    check(clFinish(q), "clFinish");
    for (unsigned b = 0; b < BUFFERS; b++)
        read_into(f, q, b, 0, CELLS);
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: many SEED FIRST LAST FILE [flush]\n");
        return 2;
    }
    patient = argc == 6;
    FILE *f = fopen(argv[4], "wb");
    if (!f)
        return 1;
    unsigned seed = (unsigned)atoi(argv[1]);
    state = seed * 77777u + 1;
    set_up(seed);
    for (int i = atoi(argv[2]); i <= atoi(argv[3]); i++) {
        state = seed * 1000003u + (unsigned)i;
        below(2);
        program(f);
        fprintf(f, "program %d\n", i);
    }
    return fclose(f) ? 1 : 0;
}
