/* Kernels that read images by a sampler that they are given: beyond the edges an image is its edge, or nothing, as the
 * sampler says, and interpolated texels have the same bits however the launch is made. Knows nothing of yoke; images.py
 * says how many of the launches are divided. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { W = 96, H = 60, N = 4096, GROUP = 64 };

static const char source[] =
    "kernel void beyond(read_only image2d_t in, sampler_t how, global uint4 *out, int w, int h)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  out[y * w + x] = read_imageui(in, how, (int2)(x - w / 2, y + h / 2)); }\n"
    "kernel void smooth(read_only image2d_t in, sampler_t how, global float4 *out)\n"
    "{ size_t p = get_global_id(0); out[p] = read_imagef(in, how, (float2)(p * 0.37f + 0.1f, p * 0.011f)); }\n";

static cl_mem image_of(const struct plain *p, cl_channel_type type, void *texels)
{
    const cl_image_format format = {CL_RGBA, type};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_int err;
    cl_mem m = clCreateImage(p->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &d, texels, &err);
    check(err, "clCreateImage");
    return m;
}

static cl_sampler sampler(const struct plain *p, cl_addressing_mode mode, cl_filter_mode filter)
{
    cl_int err;
    cl_sampler how = clCreateSampler(p->context, CL_FALSE, mode, filter, &err);
    check(err, "clCreateSampler");
    return how;
}

static void arguments(cl_kernel k, cl_mem image, cl_sampler how, cl_mem out)
{
    check(clSetKernelArg(k, 0, sizeof image, &image), "image");
    check(clSetKernelArg(k, 1, sizeof how, &how), "sampler");
    check(clSetKernelArg(k, 2, sizeof out, &out), "out");
}

/* Where AT is found of MOST, whose edges go on for ever. */
static int clamped(int at, int most)
{
    return at < 0 ? 0 : at >= most ? most - 1 : at;
}

static void look_beyond(const struct plain *p)
{
    static unsigned char texels[W * H * 4];
    static cl_uint got[W * H * 4];
    static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE};
    const size_t all[] = {W, H}, group[] = {16, 4};
    const cl_int w = W, h = H;
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)(i * 37 + i / 251);
    cl_mem image = image_of(p, CL_UNSIGNED_INT8, texels), out = plain_buffer(p, sizeof got);
    cl_kernel k = plain_kernel(p, "beyond");
    check(clSetKernelArg(k, 3, sizeof w, &w), "w");
    check(clSetKernelArg(k, 4, sizeof h, &h), "h");
    for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
        cl_sampler how = sampler(p, modes[m], CL_FILTER_NEAREST);
        arguments(k, image, how, out);
        check(clEnqueueNDRangeKernel(p->queue, k, 2, NULL, all, group, 0, NULL, NULL), "beyond");
        check(clEnqueueReadBuffer(p->queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
        check(clReleaseSampler(how), "release");
        for (int i = 0; i < W * H * 4; i++) {
            int x = i / 4 % W - W / 2, y = i / 4 / W + H / 2;
            bool inside = x >= 0 && y >= 0 && x < W && y < H;
            unsigned want = inside || modes[m] == CL_ADDRESS_CLAMP_TO_EDGE
                                ? texels[4 * (clamped(y, H) * W + clamped(x, W)) + i % 4]
                                : 0;
            if (got[i] != want) {
                fprintf(stderr, "images_sampled: beyond, mode %u: item %d is %u, not %u\n", m, i / 4, got[i], want);
                exit(1);
            }
        }
    }
    check(clReleaseKernel(k), "release");
    check(clReleaseMemObject(image), "release");
    check(clReleaseMemObject(out), "release");
}

/* Many work-groups at once, and one by one. */
static void interpolate(const struct plain *p)
{
    static float texels[W * H * 4], got[2][N * 4];
    const size_t n = N, group = GROUP;
    for (unsigned i = 0; i < W * H * 4; i++)
        texels[i] = (float)(i * 7919 % 1000) / 7;
    cl_mem image = image_of(p, CL_FLOAT, texels), out = plain_buffer(p, sizeof got[0]);
    cl_sampler how = sampler(p, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR);
    cl_kernel k = plain_kernel(p, "smooth");
    arguments(k, image, how, out);
    check(clEnqueueNDRangeKernel(p->queue, k, 1, NULL, &n, &group, 0, NULL, NULL), "smooth");
    check(clEnqueueReadBuffer(p->queue, out, CL_TRUE, 0, sizeof got[0], got[0], 0, NULL, NULL), "read");
    for (size_t at = 0; at < N; at += GROUP)
        check(clEnqueueNDRangeKernel(p->queue, k, 1, &at, &group, &group, 0, NULL, NULL), "smooth");
    check(clEnqueueReadBuffer(p->queue, out, CL_TRUE, 0, sizeof got[1], got[1], 0, NULL, NULL), "read");
    if (memcmp(got[0], got[1], sizeof got[0]) != 0) {
        fprintf(stderr, "images_sampled: interpolated texels depend on how the launch is made\n");
        exit(1);
    }
    check(clReleaseKernel(k), "release");
    check(clReleaseSampler(how), "release");
    check(clReleaseMemObject(image), "release");
    check(clReleaseMemObject(out), "release");
}

int main(void)
{
    struct plain p = plain_open(0, source);
    look_beyond(&p);
    interpolate(&p);
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    printf("as it should be\n");
    return 0;
}
