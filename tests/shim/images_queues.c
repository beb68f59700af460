/* Images that commands of several queues use, and samplers that the program releases while a launch has them:
 *
 *     images_queues [held]     held: also a write that waits in its queue while another queue's launch reads the image
 *
 * Knows nothing of yoke. */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include "tests/shim/plain.h"

enum { W = 64, H = 64, ROUNDS = 10 };

static const char source[] =
    "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void put(write_only image2d_t to, int first, uint k)\n"
    "{ int x = get_global_id(0), y = get_global_id(1) + first; uint v = 0;\n"
    "  for (int r = 0; r < 200; r++) v = v * 5 + k + x;\n"
    "  write_imageui(to, (int2)(x, y), (uint4)(x, y, k, v & 255)); }\n"
    "kernel void take(read_only image2d_t in, global uint4 *out)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); out[y * 64 + x] = read_imageui(in, s, (int2)(x, y)); }\n"
    "kernel void sampled(read_only image2d_t in, sampler_t how, global uint4 *out)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); out[y * 64 + x] = read_imageui(in, how, (int2)(x + 5, y)); }\n";

static const size_t all[] = {W, H}, half[] = {W, H / 2}, group[] = {16, 4}, zero[3] = {0}, texels[] = {W, H, 1};

static void failed(const char *what, unsigned at, unsigned got, unsigned want)
{
    fprintf(stderr, "images_queues: %s: %u is %u, not %u\n", what, at, got, want);
    exit(1);
}

static cl_command_queue another_queue(const struct plain *p)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(p->context, p->device, 0, &err);
    check(err, "queue");
    return q;
}

static cl_mem new_image(const struct plain *p)
{
    static unsigned char nothing[W * H * 4];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_int err;
    cl_mem m = clCreateImage(p->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &d, nothing, &err);
    check(err, "image");
    return m;
}

/* Each of two queues writes a half, at the same time. */
static void write_halves(const struct plain *p, cl_uint k)
{
    static unsigned char got[W * H * 4];
    cl_command_queue q[] = {p->queue, another_queue(p)};
    cl_kernel kernel[] = {plain_kernel(p, "put"), plain_kernel(p, "put")};
    cl_mem image = new_image(p);
    for (cl_int i = 0; i < 2; i++) {
        const cl_int first = i * H / 2;
        check(clSetKernelArg(kernel[i], 0, sizeof image, &image), "image");
        check(clSetKernelArg(kernel[i], 1, sizeof first, &first), "first");
        check(clSetKernelArg(kernel[i], 2, sizeof k, &k), "k");
        check(clEnqueueNDRangeKernel(q[i], kernel[i], 2, NULL, half, group, 0, NULL, NULL), "put");
        check(clFlush(q[i]), "flush");
    }
    for (int i = 0; i < 2; i++)
        check(clFinish(q[i]), "finish");
    check(clEnqueueReadImage(q[0], image, CL_TRUE, zero, texels, 0, 0, got, 0, NULL, NULL), "read");
    for (unsigned i = 0; i < W * H; i++)
        if (got[4 * i] != i % W || got[4 * i + 1] != i / W || got[4 * i + 2] != k)
            failed("a half is lost, texel", i, got[4 * i + 1], i / W);
    check(clReleaseKernel(kernel[0]), "release");
    check(clReleaseKernel(kernel[1]), "release");
    check(clReleaseMemObject(image), "release");
    check(clReleaseCommandQueue(q[1]), "release");
}

/* The sampler is released when the launch is on its way, and others are made. */
static void release_sampler(const struct plain *p)
{
    static cl_uint got[W * H * 4];
    static unsigned char is[W * H * 4];
    cl_int err;
    cl_mem image = new_image(p), out = plain_buffer(p, sizeof got);
    cl_kernel k = plain_kernel(p, "sampled");
    cl_sampler how = clCreateSampler(p->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err), more[8];
    check(err, "sampler");
    for (unsigned i = 0; i < sizeof is; i++)
        is[i] = (unsigned char)(i * 7 / 4);
    check(clEnqueueWriteImage(p->queue, image, CL_FALSE, zero, texels, 0, 0, is, 0, NULL, NULL), "write");
    check(clSetKernelArg(k, 0, sizeof image, &image), "image");
    check(clSetKernelArg(k, 1, sizeof how, &how), "sampler");
    check(clSetKernelArg(k, 2, sizeof out, &out), "out");
    check(clEnqueueNDRangeKernel(p->queue, k, 2, NULL, all, group, 0, NULL, NULL), "sampled");
    check(clReleaseSampler(how), "release");
    for (int i = 0; i < 8; i++)
        more[i] = clCreateSampler(p->context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err);
    check(clEnqueueReadBuffer(p->queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
    for (unsigned i = 0; i < W * H * 4; i++) {
        unsigned x = i / 4 % W + 5 < W ? i / 4 % W + 5 : W - 1, want = is[4 * (i / 4 / W * W + x) + i % 4];
        if (got[i] != want)
            failed("another sampler was used, number", i, got[i], want);
    }
    for (int i = 0; i < 8; i++)
        check(clReleaseSampler(more[i]), "release");
    check(clReleaseKernel(k), "release");
    check(clReleaseMemObject(image), "release");
    check(clReleaseMemObject(out), "release");
}

static atomic_bool go;

static void CL_CALLBACK hold(void *unused)
{
    const struct timespec moment = {0, 1000000};
    (void)unused;
    while (!go)
        nanosleep(&moment, NULL);
}

static void look(const struct plain *p, cl_kernel k, cl_mem out, unsigned want, const char *what)
{
    static cl_uint got[W * H * 4];
    check(clEnqueueNDRangeKernel(p->queue, k, 2, NULL, all, group, 0, NULL, NULL), "take");
    check(clEnqueueReadBuffer(p->queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
    for (unsigned i = 0; i < W * H * 4; i++)
        if (got[i] != want)
            failed(what, i, got[i], want);
}

/* A write that its queue has been given, but cannot do yet. */
static void write_later(const struct plain *p)
{
    static unsigned char ones[W * H * 4];
    cl_command_queue q = another_queue(p);
    cl_mem image = new_image(p), out = plain_buffer(p, W * H * 16);
    cl_kernel k = plain_kernel(p, "take");
    memset(ones, 1, sizeof ones);
    check(clSetKernelArg(k, 0, sizeof image, &image), "image");
    check(clSetKernelArg(k, 1, sizeof out, &out), "out");
    look(p, k, out, 0, "before the write, number");
    go = false;
    check(clEnqueueNativeKernel(q, hold, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), "native kernel");
    check(clEnqueueWriteImage(q, image, CL_FALSE, zero, texels, 0, 0, ones, 0, NULL, NULL), "write");
    check(clFlush(q), "flush");
    look(p, k, out, 0, "while the write is held, number");
    go = true;
    check(clFinish(q), "finish");
    look(p, k, out, 1, "after the write, number");
    check(clReleaseKernel(k), "release");
    check(clReleaseMemObject(image), "release");
    check(clReleaseMemObject(out), "release");
    check(clReleaseCommandQueue(q), "release");
}

int main(int argc, char **argv)
{
    struct plain p = plain_open(0, source);
    for (cl_uint i = 0; i < ROUNDS; i++) {
        write_halves(&p, i);
        release_sampler(&p);
    }
    if (argc > 1 && !strcmp(argv[1], "held"))
        write_later(&p);
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    return 0;
}
