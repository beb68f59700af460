/* Launches over images of every type, which the program changes in every way there is between them:
 *
 *     images [again N]     nothing is changed between N launches
 *
 * Each is looked at: the host knows what every texel should be. Knows nothing of yoke; images.py says how many launches
 * are divided, and what is moved for them. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { WAYS = 7, ROUNDS = 2 * WAYS + 1 };

static const char source[] =
    "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "#define PLACE(w, h) ((get_global_id(2) * h + get_global_id(1)) * w + get_global_id(0))\n"
    "kernel void take1(read_only image1d_t in, global uint4 *out, int w, int h, int d)\n"
    "{ int x = get_global_id(0); out[PLACE(w, h)] = read_imageui(in, s, w - 1 - x); }\n"
    "kernel void take1s(read_only image1d_array_t in, global uint4 *out, int w, int h, int d)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); out[PLACE(w, h)] = read_imageui(in, s, (int2)(w - 1 - x, h - 1 "
    "- y)); }\n"
    "kernel void take2(read_only image2d_t in, global uint4 *out, int w, int h, int d)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); out[PLACE(w, h)] = read_imageui(in, s, (int2)(w - 1 - x, h - 1 "
    "- y)); }\n"
    "kernel void take2s(read_only image2d_array_t in, global uint4 *out, int w, int h, int d)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  out[PLACE(w, h)] = read_imageui(in, s, (int4)(w - 1 - x, h - 1 - y, d - 1 - z, 0)); }\n"
    "kernel void take3(read_only image3d_t in, global uint4 *out, int w, int h, int d)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  out[PLACE(w, h)] = read_imageui(in, s, (int4)(w - 1 - x, h - 1 - y, d - 1 - z, 0)); }\n"
    /* some texels only, at places that no other work-item writes to */
    "kernel void put(write_only image2d_t to, int w, int h, uint k)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  if ((x * 3 + y) % 4 < 3) write_imageui(to, (int2)(w - 1 - x, y), (uint4)(x, y, k, x ^ y) & 255u); }\n"
    "kernel void blend(read_only image2d_t in, write_only image2d_t to, int w, int h, uint k)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  uint4 a = read_imageui(in, s, (int2)(x + 1, y)), b = read_imageui(in, s, (int2)(w - 1 - x, h - 1 - y));\n"
    "  if ((x + y * 5 + k) % 7) write_imageui(to, (int2)(x, y), (a + b * 3u + k) & 255u); }\n";

struct kind {
    cl_mem_object_type type;
    const char *kernel;
    size_t extent[3], local[3];
    cl_uint dims;
};

static const struct kind kinds[] = {
    {CL_MEM_OBJECT_IMAGE2D, "take2", {96, 60, 1}, {16, 4, 1}, 2},
    {CL_MEM_OBJECT_IMAGE1D, "take1", {2048, 1, 1}, {64, 1, 1}, 1},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "take1s", {128, 24, 1}, {32, 2, 1}, 2},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "take2s", {32, 20, 9}, {16, 4, 1}, 3},
    {CL_MEM_OBJECT_IMAGE3D, "take3", {40, 12, 10}, {8, 4, 2}, 3},
};

static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};

struct state {
    struct plain p;
    const struct kind *kind;
    bool given; /* images are over memory of the program's: */
    unsigned char *memory[2];
    cl_mem image, other, buffer, out;
    unsigned char *is, *more; /* the texels of `image`, bytes to write */
    size_t texels;
    unsigned seed;
};

static unsigned random_to(struct state *s, unsigned n)
{
    s->seed = s->seed * 1664525u + 1013904223u;
    return (s->seed >> 8) % n;
}

static cl_mem make_image(struct state *s, cl_mem_flags flags, void *texels)
{
    const size_t *e = s->kind->extent;
    cl_image_desc d = {.image_type = s->kind->type, .image_width = e[0]};
    cl_int err;
    if (d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        d.image_array_size = e[1];
    else if (d.image_type != CL_MEM_OBJECT_IMAGE1D)
        d.image_height = e[1];
    if (d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        d.image_array_size = e[2];
    else if (d.image_type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = e[2];
    cl_mem m = clCreateImage(s->p.context, flags, &format, &d, texels, &err);
    check(err, "clCreateImage");
    return m;
}

/* A box of the image. */
static void choose(struct state *s, size_t *at, size_t *size)
{
    for (int k = 0; k < 3; k++) {
        at[k] = random_to(s, (unsigned)s->kind->extent[k]);
        size[k] = 1 + random_to(s, (unsigned)(s->kind->extent[k] - at[k]));
    }
}

/* Texels that lie in rows of ROW and slices of SLICE bytes are those of the box from now on; NULL: COLOR is. */
static void note(struct state *s, const size_t *at, const size_t *size, const unsigned char *from, size_t row,
                 size_t slice, const unsigned char *color)
{
    const size_t *e = s->kind->extent;
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++)
            for (size_t x = 0; x < size[0]; x++)
                memcpy(s->is + 4 * (((at[2] + z) * e[1] + at[1] + y) * e[0] + at[0] + x),
                       from ? from + z * slice + y * row + 4 * x : color, 4);
}

static void map_and_write(struct state *s, const size_t *at, const size_t *size, const unsigned char *from)
{
    size_t row, slice = 0;
    cl_int err;
    unsigned char *to =
        clEnqueueMapImage(s->p.queue, s->image, CL_TRUE, CL_MAP_WRITE, at, size, &row, &slice, 0, NULL, NULL, &err);
    check(err, "clEnqueueMapImage");
    if (s->kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) /* a line is a slice */
        row = slice;
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++)
            memcpy(to + z * slice + y * row, from + 4 * ((z * size[1] + y) * size[0]), 4 * size[0]);
    check(clEnqueueUnmapMemObject(s->p.queue, s->image, to, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void put(struct state *s, cl_uint k)
{
    const size_t *e = s->kind->extent;
    const cl_int w = (cl_int)e[0], h = (cl_int)e[1];
    cl_kernel kernel = plain_kernel(&s->p, "put");
    check(clSetKernelArg(kernel, 0, sizeof s->image, &s->image), "image");
    check(clSetKernelArg(kernel, 1, sizeof w, &w), "w");
    check(clSetKernelArg(kernel, 2, sizeof h, &h), "h");
    check(clSetKernelArg(kernel, 3, sizeof k, &k), "k");
    check(clEnqueueNDRangeKernel(s->p.queue, kernel, 2, NULL, e, s->kind->local, 0, NULL, NULL), "put");
    check(clReleaseKernel(kernel), "release");
    for (unsigned y = 0; y < e[1]; y++)
        for (unsigned x = 0; x < e[0]; x++) {
            const unsigned char texel[] = {(unsigned char)x, (unsigned char)y, (unsigned char)k,
                                           (unsigned char)(x ^ y)};
            if ((x * 3 + y) % 4 < 3)
                memcpy(s->is + 4 * (y * e[0] + e[0] - 1 - x), texel, 4);
        }
}

static void change(struct state *s, int way)
{
    size_t at[3], size[3];
    const size_t zero[3] = {0};
    cl_command_queue q = s->p.queue;
    choose(s, at, size);
    for (size_t i = 0; i < 4 * s->texels; i++)
        s->more[i] = (unsigned char)random_to(s, 256);
    const cl_uint fill[4] = {s->more[0], s->more[1], s->more[2], s->more[3]};
    if (way == 0) {
        check(clEnqueueWriteImage(q, s->image, CL_FALSE, at, size, 0, 0, s->more, 0, NULL, NULL), "write");
        check(clFinish(q), "finish");
    } else if (way == 1) {
        check(clEnqueueWriteImage(q, s->other, CL_TRUE, zero, size, 0, 0, s->more, 0, NULL, NULL), "write");
        check(clEnqueueCopyImage(q, s->other, s->image, zero, at, size, 0, NULL, NULL), "copy");
    } else if (way == 2) {
        check(clEnqueueFillImage(q, s->image, fill, at, size, 0, NULL, NULL), "fill");
        note(s, at, size, NULL, 0, 0, s->more);
        return;
    } else if (way == 3 && s->kind->type != CL_MEM_OBJECT_IMAGE1D_ARRAY) { /* which NVIDIA's driver refuses */
        check(clEnqueueWriteBuffer(q, s->buffer, CL_TRUE, 0, 4 * s->texels, s->more, 0, NULL, NULL), "write");
        check(clEnqueueCopyBufferToImage(q, s->buffer, s->image, 0, at, size, 0, NULL, NULL), "from buffer");
    } else if (way == 4) {
        map_and_write(s, at, size, s->more);
    } else if (way == 5 && s->kind->type == CL_MEM_OBJECT_IMAGE2D) {
        put(s, fill[0]);
        return;
    } else {
        return;
    }
    note(s, at, size, s->more, 4 * size[0], 4 * size[0] * size[1], NULL);
}

static void arguments(struct state *s, cl_kernel k, cl_uint first)
{
    for (cl_uint i = 0; i < 3; i++) {
        const cl_int e = (cl_int)s->kind->extent[i];
        check(clSetKernelArg(k, first + i, sizeof e, &e), "extent");
    }
}

/* The texels as the kernel finds them: mirrored. */
static void look(struct state *s, cl_kernel k, cl_uint *got, int round)
{
    const struct kind *f = s->kind;
    check(clEnqueueNDRangeKernel(s->p.queue, k, f->dims, NULL, f->extent, f->local, 0, NULL, NULL), "take");
    check(clEnqueueReadBuffer(s->p.queue, s->out, CL_TRUE, 0, 16 * s->texels, got, 0, NULL, NULL), "read");
    for (size_t i = 0; i < 4 * s->texels; i++)
        if (got[i] != s->is[4 * (s->texels - 1 - i / 4) + i % 4]) {
            fprintf(stderr, "images: %s, round %d: item %zu is %u\n", f->kernel, round, i / 4, got[i]);
            exit(1);
        }
}

static void begin(struct state *s, const struct kind *kind)
{
    s->kind = kind;
    s->texels = kind->extent[0] * kind->extent[1] * kind->extent[2];
    s->is = malloc(4 * s->texels);
    s->more = malloc(4 * s->texels);
    if (!s->is || !s->more)
        exit(2);
    for (size_t i = 0; i < 4 * s->texels; i++)
        s->is[i] = (unsigned char)random_to(s, 256);
    for (unsigned i = 0; i < 2 && s->given; i++)
        if (!(s->memory[i] = malloc(4 * s->texels)))
            exit(2);
    if (s->given)
        memcpy(s->memory[0], s->is, 4 * s->texels);
    const cl_mem_flags over = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    s->image =
        s->given ? make_image(s, over, s->memory[0]) : make_image(s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, s->is);
    s->other = s->given ? make_image(s, over, s->memory[1]) : make_image(s, CL_MEM_READ_WRITE, NULL);
    s->buffer = plain_buffer(&s->p, 4 * s->texels);
    s->out = plain_buffer(&s->p, 16 * s->texels);
}

static void end(struct state *s)
{
    check(clReleaseMemObject(s->image), "release");
    check(clReleaseMemObject(s->other), "release");
    check(clReleaseMemObject(s->buffer), "release");
    check(clReleaseMemObject(s->out), "release");
    free(s->is);
    free(s->more);
    for (unsigned i = 0; i < 2 && s->given; i++)
        free(s->memory[i]);
}

static void run_kind(struct state *s, const struct kind *kind, int rounds, int again)
{
    begin(s, kind);
    cl_kernel k = plain_kernel(&s->p, kind->kernel);
    cl_uint *got = malloc(16 * s->texels);
    check(clSetKernelArg(k, 0, sizeof s->image, &s->image), "image");
    check(clSetKernelArg(k, 1, sizeof s->out, &s->out), "out");
    arguments(s, k, 2);
    for (int i = 0; i < rounds; i++) {
        if (i && !again)
            change(s, (i - 1) % WAYS);
        look(s, k, got, i);
    }
    free(got);
    check(clReleaseKernel(k), "release");
    end(s);
}

static unsigned clamped(int at, size_t most)
{
    return (unsigned)(at < 0 ? 0 : at >= (int)most ? (int)most - 1 : at);
}

/* What blend makes of the texels. */
static void blend_here(struct state *s, unsigned char *to, cl_uint k)
{
    const size_t *e = s->kind->extent;
    for (unsigned y = 0; y < e[1]; y++)
        for (unsigned x = 0; x < e[0]; x++)
            for (unsigned c = 0; c < 4 && (x + y * 5 + k) % 7; c++)
                to[4 * (y * e[0] + x) + c] =
                    (unsigned char)(s->is[4 * (y * e[0] + clamped((int)x + 1, e[0])) + c] +
                                    3 * s->is[4 * ((e[1] - 1 - y) * e[0] + e[0] - 1 - x) + c] + k);
}

/* Images that take turns in being read and written. */
static void run_turns(struct state *s, const struct kind *kind, cl_uint rounds)
{
    begin(s, kind);
    const size_t *e = kind->extent, zero[3] = {0};
    const cl_int w = (cl_int)e[0], h = (cl_int)e[1];
    cl_kernel k = plain_kernel(&s->p, "blend");
    memset(s->more, 0, 4 * s->texels);
    check(clEnqueueWriteImage(s->p.queue, s->other, CL_TRUE, zero, e, 0, 0, s->more, 0, NULL, NULL), "write");
    check(clSetKernelArg(k, 2, sizeof w, &w), "w");
    check(clSetKernelArg(k, 3, sizeof h, &h), "h");
    for (cl_uint i = 0; i < rounds; i++) {
        check(clSetKernelArg(k, 0, sizeof s->image, &s->image), "in");
        check(clSetKernelArg(k, 1, sizeof s->other, &s->other), "to");
        check(clSetKernelArg(k, 4, sizeof i, &i), "k");
        check(clEnqueueNDRangeKernel(s->p.queue, k, 2, NULL, e, kind->local, 0, NULL, NULL), "blend");
        blend_here(s, s->more, i);
        unsigned char *bytes = s->is;
        cl_mem image = s->image;
        s->is = s->more, s->more = bytes;
        s->image = s->other, s->other = image;
    }
    check(clEnqueueReadImage(s->p.queue, s->image, CL_TRUE, zero, e, 0, 0, s->more, 0, NULL, NULL), "read");
    for (size_t i = 0; i < 4 * s->texels; i++)
        if (s->more[i] != s->is[i]) {
            fprintf(stderr, "images: blend: byte %zu is %u, not %u\n", i, s->more[i], s->is[i]);
            exit(1);
        }
    check(clReleaseKernel(k), "release");
    end(s);
}

int main(int argc, char **argv)
{
    struct state s = {.p = plain_open(0, source), .seed = 7};
    bool again = argc > 2 && !strcmp(argv[1], "again");
    for (int given = 0; given < 2 && !again; given++) {
        s.given = given;
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
            run_kind(&s, &kinds[i], ROUNDS, 0);
    }
    if (again) {
        run_kind(&s, &kinds[0], atoi(argv[2]), 1);
    } else {
        run_turns(&s, &kinds[0], 12);
        s.given = false;
        run_turns(&s, &kinds[0], 12);
    }
    check(clReleaseProgram(s.p.program), "release");
    check(clReleaseCommandQueue(s.p.queue), "release");
    check(clReleaseContext(s.p.context), "release");
    printf("as it should be\n");
    return 0;
}
