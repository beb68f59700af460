/* A plain OpenCL program for the layer's own tests: one launch of `add` (1-D, with offset) and one of `tile` (2-D), on
 * the first device ("whole"), or as boxes on the first two as yoke would cut them ("split"), or cut wrongly ("hole",
 * "overlap", "crooked": not between work-groups). Prints "ok" when the result is right. Exit status 77: not two
 * devices. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024, W = 64, H = 48 };

static const char *text =
    "kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] = a[i] + 1; }\n"
    "kernel void tile(global int *b, int w) { b[get_global_id(1) * w + get_global_id(0)] = 7; }\n";

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cl_int rc_ = (call);                                                                                           \
        if (rc_ != CL_SUCCESS) {                                                                                       \
            fprintf(stderr, "%s: %d\n", #call, rc_);                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct part {
    cl_command_queue queue;
    cl_kernel add, tile;
    cl_mem a, b, c;
};

static struct part open_part(cl_device_id device, unsigned n, const int *input)
{
    struct part p;
    char options[32];
    const int w = W;
    cl_int rc;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
    OK(rc);
    p.queue = clCreateCommandQueue(context, device, 0, &rc);
    OK(rc);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &rc);
    OK(rc);
    snprintf(options, sizeof options, "-DPART=%u", n); /* two devices of PoCL 3.1 must not share a build */
    OK(clBuildProgram(program, 1, &device, options, NULL, NULL));
    p.add = clCreateKernel(program, "add", &rc);
    OK(rc);
    p.tile = clCreateKernel(program, "tile", &rc);
    OK(rc);
    p.a = clCreateBuffer(context, CL_MEM_READ_ONLY, N * sizeof(int), NULL, &rc);
    OK(rc);
    p.b = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(int), NULL, &rc);
    OK(rc);
    p.c = clCreateBuffer(context, CL_MEM_READ_WRITE, W * H * sizeof(int), NULL, &rc);
    OK(rc);
    OK(clEnqueueWriteBuffer(p.queue, p.a, CL_TRUE, 0, N * sizeof(int), input, 0, NULL, NULL));
    OK(clSetKernelArg(p.add, 0, sizeof p.a, &p.a));
    OK(clSetKernelArg(p.add, 1, sizeof p.b, &p.b));
    OK(clSetKernelArg(p.tile, 0, sizeof p.c, &p.c));
    OK(clSetKernelArg(p.tile, 1, sizeof w, &w));
    return p;
}

static void add(struct part *p, size_t from, size_t to)
{
    const size_t offset = from, size = to - from, local = 16;
    OK(clEnqueueNDRangeKernel(p->queue, p->add, 1, &offset, &size, size % local ? NULL : &local, 0, NULL, NULL));
    OK(clFinish(p->queue));
}

static void tile(struct part *p, size_t x, size_t y, size_t w, size_t h)
{
    const size_t offset[2] = {x, y}, size[2] = {w, h}, local[2] = {8, 4};
    OK(clEnqueueNDRangeKernel(p->queue, p->tile, 2, offset, size, local, 0, NULL, NULL));
    OK(clFinish(p->queue));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "whole";
    static int in[N], out[N];
    cl_platform_id platform;
    cl_device_id device[2];
    cl_uint n = 0;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, device, &n) != CL_SUCCESS || n < 2)
        return 77;
    for (int i = 0; i < N; i++)
        in[i] = i;
    struct part p[2] = {open_part(device[0], 0, in), open_part(device[1], 1, in)};
    size_t cut = strcmp(how, "crooked") ? 256 : 261;
    if (!strcmp(how, "whole")) {
        cut = N;
        add(&p[0], 16, N);
        tile(&p[0], 0, 0, W, H);
    } else {
        size_t end = !strcmp(how, "overlap") ? cut + 16 : cut, start = !strcmp(how, "hole") ? cut + 16 : cut;
        add(&p[0], 16, end);
        add(&p[1], start, N);
        tile(&p[0], 0, 0, W, 16); /* rows of groups, then a part of one */
        tile(&p[0], 0, 16, 24, 4);
        tile(&p[1], 24, 16, W - 24, 4);
        tile(&p[1], 0, 20, W, H - 20);
    }
    OK(clEnqueueReadBuffer(p[0].queue, p[0].b, CL_TRUE, 0, cut * sizeof(int), out, 0, NULL, NULL));
    if (cut < N)
        OK(clEnqueueReadBuffer(p[1].queue, p[1].b, CL_TRUE, cut * sizeof(int), (N - cut) * sizeof(int), out + cut, 0,
                               NULL, NULL));
    for (int i = 16; i < N; i++)
        if (out[i] != in[i] + 1 && strcmp(how, "hole") != 0)
            return 1;
    puts("ok");
    return 0;
}
