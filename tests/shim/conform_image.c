/* Images of every type, samplers, and kernels that use them. */
#include "tests/shim/conform.h"

static const char image_source[] =
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void flip(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(out, at, read_imageui(in, s, (int2)(get_image_width(in) - 1 - at.x, at.y)) + read_imageui(in, "
    "nearest, at)); }\n"
    "kernel void sum(read_only image2d_t in, global uint *a) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  a[at.y * get_global_size(0) + at.x] = read_imageui(in, nearest, at).x + 1; }\n";

START_TEST(images_of_every_type_keep_their_texels)
{
    struct cl c = open_cl(0);
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE2D,
                                        CL_MEM_OBJECT_IMAGE3D,       CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                        CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    for (unsigned t = 0; images && t < 6; t++) {
        cl_mem store = buffer_of(&c, CL_MEM_READ_WRITE, 4096, NULL);
        cl_image_desc d = {.image_type = types[t], .image_width = 16, .image_height = 1, .image_depth = 1};
        size_t region[3] = {16, 1, 1}, origin[3] = {0, 0, 0}, row, slice = 0;
        if (types[t] == CL_MEM_OBJECT_IMAGE2D || types[t] == CL_MEM_OBJECT_IMAGE3D ||
            types[t] == CL_MEM_OBJECT_IMAGE2D_ARRAY)
            d.image_height = region[1] = 4;
        if (types[t] == CL_MEM_OBJECT_IMAGE3D)
            d.image_depth = region[2] = 2;
        if (types[t] == CL_MEM_OBJECT_IMAGE1D_ARRAY)
            d.image_array_size = region[1] = 3;
        if (types[t] == CL_MEM_OBJECT_IMAGE2D_ARRAY)
            d.image_array_size = region[2] = 3;
        if (types[t] == CL_MEM_OBJECT_IMAGE1D_BUFFER)
            d.mem_object = store;
        cl_int err;
        cl_mem image = clCreateImage(c.context, CL_MEM_READ_WRITE, &format, &d, NULL, &err);
        if (err == CL_SUCCESS) {
            size_t bytes = 4 * region[0] * region[1] * region[2];
            cl_uchar in[1024], out[1024] = {0};
            for (size_t i = 0; i < bytes; i++)
                in[i] = (cl_uchar)(i * 7 + t);
            OK(clEnqueueWriteImage(c.queue, image, CL_FALSE, origin, region, 0, 0, in, 0, NULL, NULL));
            OK(clEnqueueReadImage(c.queue, image, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
            ck_assert_mem_eq(in, out, bytes);
            cl_uchar *m = clEnqueueMapImage(c.queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row, &slice, 0, NULL,
                                            NULL, &err);
            OK(err);
            ck_assert_mem_eq(m, in, 64);
            OK(clEnqueueUnmapMemObject(c.queue, image, m, 0, NULL, NULL));
            OK(clFinish(c.queue));
            cl_mem_object_type type;
            cl_mem of;
            OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
            ck_assert_uint_eq(type, types[t]);
            OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL));
            ck_assert_ptr_eq(of, d.mem_object);
            OK(clReleaseMemObject(image));
        }
        OK(clReleaseMemObject(store));
    }
    close_cl(&c);
}
END_TEST

START_TEST(kernels_read_and_write_images_through_samplers)
{
    struct cl c = open_cl(0);
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    if (images) {
        enum { W = 16, H = 8 };
        const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
        const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
        cl_uint in[H][W][4], out[H][W][4], line[H][W];
        cl_int err;
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W; x++)
                for (unsigned i = 0; i < 4; i++)
                    in[y][x][i] = y * 100 + x * 4 + i;
        cl_mem a = clCreateImage(c.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &d, in, &err);
        OK(err);
        cl_mem b = clCreateImage(c.context, CL_MEM_READ_WRITE, &format, &d, NULL, &err);
        OK(err);
        cl_sampler s = clCreateSampler(c.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
        OK(err);
        cl_program p = build(&c, image_source);
        cl_kernel k = kernel_of(p, "flip");
        OK(clSetKernelArg(k, 0, sizeof a, &a));
        OK(clSetKernelArg(k, 1, sizeof b, &b));
        OK(clSetKernelArg(k, 2, sizeof s, &s));
        const size_t global[2] = {W, H}, origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
        OK(clEnqueueNDRangeKernel(c.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
        OK(clEnqueueReadImage(c.queue, b, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W; x++)
                ck_assert_uint_eq(out[y][x][1], in[y][x][1] + in[y][W - 1 - x][1]);
        cl_kernel sum = kernel_of(p, "sum");
        cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE, sizeof line, NULL);
        OK(clSetKernelArg(sum, 0, sizeof a, &a));
        OK(clSetKernelArg(sum, 1, sizeof m, &m));
        OK(clEnqueueNDRangeKernel(c.queue, sum, 2, NULL, global, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, m, CL_TRUE, 0, sizeof line, line, 0, NULL, NULL));
        ck_assert_uint_eq(line[3][5], in[3][5][0] + 1);
        /* Between images and buffers. */
        OK(clEnqueueCopyBufferToImage(c.queue, m, b, 0, origin, (const size_t[3]){W / 4, H, 1}, 0, NULL, NULL));
        OK(clEnqueueCopyImageToBuffer(c.queue, b, m, origin, (const size_t[3]){W / 4, H, 1}, 0, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, m, CL_TRUE, 0, sizeof line, line, 0, NULL, NULL));
        ck_assert_uint_eq(line[3][5], in[3][5][0] + 1);
        OK(clReleaseKernel(k));
        OK(clReleaseKernel(sum));
        OK(clReleaseSampler(s));
        OK(clReleaseMemObject(a));
        OK(clReleaseMemObject(b));
        OK(clReleaseMemObject(m));
        OK(clReleaseProgram(p));
    }
    close_cl(&c);
}
END_TEST

static const char over_buffer[] = "kernel void texels(read_only image1d_buffer_t i, global uint *o) { int g = "
                                  "get_global_id(0); o[g] = read_imageui(i, g).x; }\n"
                                  "kernel void triple(global uint *b) { b[get_global_id(0)] *= 3; }\n";

/* Every texel is FACTOR * its number + MORE. */
static void expect_texels(struct cl *c, cl_kernel texels, cl_mem image, cl_uint factor, cl_uint more)
{
    static cl_uint got[N];
    cl_mem to = buffer_of(c, CL_MEM_WRITE_ONLY, BYTES, NULL);
    OK(clSetKernelArg(texels, 0, sizeof image, &image));
    OK(clSetKernelArg(texels, 1, sizeof to, &to));
    run(c, texels, NULL);
    OK(clEnqueueReadBuffer(c->queue, to, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], factor * i + more);
    OK(clReleaseMemObject(to));
}

static void expect_mapped(struct cl *c, cl_mem b, cl_uint factor, cl_uint more, cl_uint then)
{
    cl_int err;
    cl_uint *m = clEnqueueMapBuffer(c->queue, b, CL_TRUE, then ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ, 0, BYTES, 0,
                                    NULL, NULL, &err);
    OK(err);
    for (cl_uint i = 0; i < N; i++) {
        ck_assert_uint_eq(m[i], factor * i + more);
        if (then)
            m[i] = i + then;
    }
    OK(clEnqueueUnmapMemObject(c->queue, b, m, 0, NULL, NULL));
}

/* The image's texels are the buffer's bytes, wherever these were last: in the program's memory, in a map, on a device
 * by a kernel that may have been divided before the image was made, or after. */
START_TEST(an_image_of_a_buffer_is_the_buffer)
{
    struct cl c = open_cl(0);
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    cl_program p = build(&c, over_buffer);
    cl_kernel texels = kernel_of(p, "texels"), triple = kernel_of(p, "triple");
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    for (int way = 0; images && way < 3; way++) {
        cl_uint *host = aligned_alloc(4096, BYTES), factor = 1;
        cl_int err;
        for (cl_uint i = 0; i < N; i++)
            host[i] = i;
        cl_mem b = buffer_of(&c, CL_MEM_READ_WRITE | (way ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR), BYTES, host);
        OK(clSetKernelArg(triple, 0, sizeof b, &b));
        if (way == 2) {
            run(&c, triple, NULL);
            factor = 3;
        }
        const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = N, .mem_object = b};
        cl_mem image = clCreateImage(c.context, CL_MEM_READ_WRITE, &format, &d, NULL, &err);
        OK(err);
        expect_texels(&c, texels, image, factor, 0);
        run(&c, triple, NULL);
        expect_texels(&c, texels, image, 3 * factor, 0);
        expect_mapped(&c, b, 3 * factor, 0, 5);
        expect_texels(&c, texels, image, 1, 5);
        expect_mapped(&c, b, 1, 5, 0);
        const size_t origin[3] = {0, 0, 0}, region[3] = {N, 1, 1};
        cl_uint *other = malloc(BYTES);
        for (cl_uint i = 0; i < N; i++)
            other[i] = i + 77;
        OK(clEnqueueWriteImage(c.queue, image, CL_TRUE, origin, region, 0, 0, other, 0, NULL, NULL));
        expect_mapped(&c, b, 1, 77, 9);
        OK(clEnqueueReadImage(c.queue, image, CL_TRUE, origin, region, 0, 0, other, 0, NULL, NULL));
        for (cl_uint i = 0; i < N; i++)
            ck_assert_uint_eq(other[i], i + 9);
        free(other);
        OK(clReleaseMemObject(image));
        OK(clReleaseMemObject(b));
        OK(clFinish(c.queue));
        free(host);
    }
    OK(clReleaseKernel(texels));
    OK(clReleaseKernel(triple));
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_image", images_of_every_type_keep_their_texels, kernels_read_and_write_images_through_samplers,
             an_image_of_a_buffer_is_the_buffer)
