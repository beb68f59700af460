#include "bench/patterns_program.h"
#include <stdio.h>
#include <stdlib.h>

struct patterns_program w;

const char patterns_source[] =
    "uint churn(uint x, uint k) { for (int i = 0; i < 40; i++) x = x * 1664525u + k; return x; }\n"
    "kernel void change(global const uint *in, global uint *out, uint k)\n"
    "{ size_t i = get_global_id(0); out[i] = churn(in[i], k); }\n"
    "kernel void flagged(global const uint *in, global uint *out, uint k, global uint *flag)\n"
    "{ size_t i = get_global_id(0); out[i] = in[i] + k; if (i == 0) *flag = k; }\n"
    "kernel void slow(global const uint *in, global uint *out, uint k, uint n)\n"
    "{ size_t i = get_global_id(0); uint x = in[i]; for (uint r = 0; r < n; r++) x = churn(x, k); out[i] = x; }\n"
    "kernel void again(global const uint *in, global uint *out, uint k, uint n, uint all)\n"
    "{ for (size_t i = get_global_id(0); i < all; i += get_global_size(0))\n"
    "  { uint x = in[i]; for (uint r = 0; r < n; r++) x = churn(x, k); out[i] = x; } }\n"
    "kernel void from_image(read_only image2d_t in, global uint *out, uint k)\n"
    "{ const sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;\n"
    "  size_t i = get_global_id(0); out[i] = churn(read_imageui(in, s, (int2)(i % 1024, i / 1024)).x, k); }\n";

unsigned patterns_mixed(unsigned x, unsigned k)
{
    for (int i = 0; i < 40; i++)
        x = x * 1664525u + k;
    return x;
}

void patterns_check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "patterns: %s: error %d\n", what, err);
    exit(1);
}

void patterns_none(const char *why)
{
    printf("none %s\n", why);
    exit(0);
}

/* A few of N results at AT, of input FROM on. */
void patterns_look(const unsigned *at, unsigned first, unsigned n, unsigned k)
{
    for (unsigned i = 0; i < n; i += n / 61 + 1)
        if (at[i] != patterns_mixed(w.from[first + i], k)) {
            fprintf(stderr, "patterns: item %u is %u, not %u\n", first + i, at[i],
                    patterns_mixed(w.from[first + i], k));
            exit(1);
        }
}

cl_mem patterns_buffer(cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(w.context, flags, bytes, host, &err);
    patterns_check(err, "clCreateBuffer");
    return m;
}

void patterns_launch(cl_command_queue q, cl_kernel kernel, cl_mem a, cl_mem b, unsigned k, size_t items, cl_uint n,
                     const cl_event *wait, cl_event *event)
{
    static const size_t group = GROUP;
    patterns_check(clSetKernelArg(kernel, 0, sizeof a, &a), "clSetKernelArg");
    patterns_check(clSetKernelArg(kernel, 1, sizeof b, &b), "clSetKernelArg");
    patterns_check(clSetKernelArg(kernel, 2, sizeof k, &k), "clSetKernelArg");
    patterns_check(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, &group, n, wait, event),
                   "clEnqueueNDRangeKernel");
}

void patterns_read(cl_mem m, size_t at, size_t bytes)
{
    patterns_check(clEnqueueReadBuffer(w.queue, m, CL_TRUE, at, bytes, (char *)w.to + at, 0, NULL, NULL),
                   "clEnqueueReadBuffer");
}

void patterns_write(void)
{
    patterns_check(clEnqueueWriteBuffer(w.queue, w.in, CL_TRUE, 0, BYTES, w.from, 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
}

void *patterns_map(cl_mem m, cl_map_flags flags)
{
    cl_int err;
    void *at = clEnqueueMapBuffer(w.queue, m, CL_TRUE, flags, 0, BYTES, 0, NULL, NULL, &err);
    patterns_check(err, "clEnqueueMapBuffer");
    return at;
}

void patterns_unmap(cl_mem m, void *at)
{
    patterns_check(clEnqueueUnmapMemObject(w.queue, m, at, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void find_device(unsigned number)
{
    cl_platform_id platform[16];
    cl_uint n = 0;
    patterns_check(clGetPlatformIDs(16, platform, &n), "clGetPlatformIDs");
    for (cl_uint p = 0; p < n && p < 16; p++) {
        cl_device_id id[16];
        cl_uint has = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 16, id, &has) != CL_SUCCESS)
            continue;
        if (number < has && number < 16) {
            w.device = id[number];
            return;
        }
        number -= number < has ? number : has;
    }
    fprintf(stderr, "patterns: there is no such device\n");
    exit(1);
}

void patterns_set_up(unsigned number)
{
    const char *text = patterns_source;
    cl_int err;
    find_device(number);
    w.context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &err);
    patterns_check(err, "clCreateContext");
    w.queue = clCreateCommandQueue(w.context, w.device, 0, &err);
    patterns_check(err, "clCreateCommandQueue");
    w.second = clCreateCommandQueue(w.context, w.device, 0, &err);
    patterns_check(err, "clCreateCommandQueue");
    w.program = clCreateProgramWithSource(w.context, 1, &text, NULL, &err);
    patterns_check(err, "clCreateProgramWithSource");
    patterns_check(clBuildProgram(w.program, 1, &w.device, "", NULL, NULL), "clBuildProgram");
    w.step = clCreateKernel(w.program, "change", &err);
    patterns_check(err, "clCreateKernel");
    w.other = clCreateKernel(w.program, "flagged", &err);
    patterns_check(err, "clCreateKernel");
    w.slow = clCreateKernel(w.program, "slow", &err);
    patterns_check(err, "clCreateKernel");
    w.again = clCreateKernel(w.program, "again", &err);
    patterns_check(err, "clCreateKernel");
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(w.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    w.sample = images ? clCreateKernel(w.program, "from_image", &err) : NULL;
    w.in = patterns_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    w.out = patterns_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    w.flag = patterns_buffer(CL_MEM_READ_WRITE, 4, NULL);
    w.from = aligned_alloc(4096, BYTES);
    w.to = aligned_alloc(4096, BYTES);
    if (!w.from || !w.to)
        exit(1);
    for (unsigned i = 0; i < ITEMS; i++)
        w.from[i] = i * 2654435761u;
}
