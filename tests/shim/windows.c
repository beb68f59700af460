/* Buffers that the device has no room for (YOKE_MEMORY=host with a YOKE_MEMORY_LIMIT): transfers of all kinds,
 * sub-buffers, maps and launches over them give what they give on a device that has room. A plain OpenCL program but
 * for what it is told of memory (YOKE_TEST_LIMIT: the limit in bytes). */
#include <stdint.h>
#include "tests/shim/conform.h"

enum { WORDS = 1 << 16, SIZE = WORDS * 4, FEW = 1024 };

static const char text[] =
    "kernel void twice(global const uint *a, global uint *b) { size_t i = get_global_id(0); b[i] = 2 * a[i] + i; }\n"
    "kernel void both(global uint *a, global uint *b, uint n)\n"
    "{ size_t i = get_global_id(0); uint x = a[i]; a[i] = b[i] + n; b[i] = x; }\n"
    "kernel void plane(global const uint *a, global uint *b, uint wide)\n"
    "{ size_t x = get_global_id(0), y = get_global_id(1), i = y * wide + x;\n"
    "  b[i] = a[i] + (y ? a[i - wide] : 0) + get_group_id(1) * get_num_groups(0); }\n"
    "kernel void odd(global const uchar *a, global uchar *b) { size_t i = get_global_id(0); if (a[i] & 1) b[i + 1] = "
    "a[i]; }\n"
    "kernel void tally(global const uint *a, global uint *t) { atomic_inc(&t[a[get_global_id(0)] & 63]); }\n"
    "kernel void fresh(global uint *a, global const uint *n) { size_t i = get_global_id(0); a[i] = n[0] * i; }\n"
    "kernel void pick(constant uint *a, global uint *b) { size_t i = get_global_id(0); b[i] = a[i & 255] + i; }\n"
    "kernel void used(global uint *a, global uint *n) { a[atomic_inc(n)] = 7; }\n";

static uint32_t *numbers(uint32_t seed)
{
    uint32_t *v = malloc(SIZE);
    for (int i = 0; i < WORDS; i++)
        v[i] = (uint32_t)i * 2654435761u ^ seed;
    return v;
}

static bool limited(void)
{
    return getenv("YOKE_TEST_LIMIT") != NULL;
}

struct rig {
    struct cl c;
    cl_program program;
    cl_mem a, b;
    uint32_t *va, *vb, *got;
};

static struct rig open_rig(void)
{
    struct rig r = {.c = open_cl(0)};
    r.program = build(&r.c, text);
    r.va = numbers(1);
    r.vb = numbers(2);
    r.got = malloc(SIZE);
    r.a = buffer_of(&r.c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE, r.va);
    r.b = buffer_of(&r.c, CL_MEM_READ_WRITE, SIZE, NULL);
    OK(clEnqueueWriteBuffer(r.c.queue, r.b, CL_TRUE, 0, SIZE, r.vb, 0, NULL, NULL));
    return r;
}

static void close_rig(struct rig *r)
{
    OK(clReleaseMemObject(r->a));
    OK(clReleaseMemObject(r->b));
    OK(clReleaseProgram(r->program));
    close_cl(&r->c);
    free(r->va);
    free(r->vb);
    free(r->got);
}

/* How many words of M come before the first that is not as wanted: WORDS where all are. */
static int same_words(struct rig *r, cl_mem m, const uint32_t *want)
{
    int i = 0;
    OK(clEnqueueReadBuffer(r->c.queue, m, CL_TRUE, 0, SIZE, r->got, 0, NULL, NULL));
    while (i < WORDS && r->got[i] == want[i])
        i++;
    if (i < WORDS)
        fprintf(stderr, "word %d: %u, expected %u\n", i, r->got[i], want[i]);
    return i;
}

static void launch(struct rig *r, const char *name, cl_mem a, cl_mem b, const cl_uint *more, cl_uint dims,
                   const size_t *global, const size_t *local)
{
    cl_kernel k = kernel_of(r->program, name);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof b, &b));
    if (more)
        OK(clSetKernelArg(k, 2, sizeof *more, more));
    OK(clEnqueueNDRangeKernel(r->c.queue, k, dims, NULL, global, local, 0, NULL, NULL));
    OK(clReleaseKernel(k));
}

START_TEST(launches_of_many_shapes)
{
    struct rig r = open_rig();
    const size_t all = WORDS, local = 64, plane[2] = {512, WORDS / 512}, tile[2] = {32, 4}, bytes = SIZE - 1;
    const cl_uint n = 9, wide = 512;
    launch(&r, "twice", r.a, r.b, NULL, 1, &all, &local);
    for (uint32_t i = 0; i < WORDS; i++)
        r.vb[i] = 2 * r.va[i] + i;
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    launch(&r, "both", r.a, r.b, &n, 1, &all, NULL);
    for (int i = 0; i < WORDS; i++) {
        uint32_t x = r.va[i];
        r.va[i] = r.vb[i] + n;
        r.vb[i] = x;
    }
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    launch(&r, "plane", r.a, r.b, &wide, 2, plane, tile);
    for (uint32_t i = 0; i < WORDS; i++)
        r.vb[i] = r.va[i] + (i >= wide ? r.va[i - wide] : 0) + i / wide / 4 * (512 / 32);
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    launch(&r, "odd", r.a, r.b, NULL, 1, &bytes, NULL);
    for (size_t i = 0; i < bytes; i++)
        if (((unsigned char *)r.va)[i] & 1)
            ((unsigned char *)r.vb)[i + 1] = ((unsigned char *)r.va)[i];
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    cl_int err;
    cl_buffer_region region = {4096, 256};
    cl_mem few = clCreateSubBuffer(r.b, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    OK(err);
    launch(&r, "tally", r.a, few, NULL, 1, &all, &local); /* all of it, for each part again */
    OK(clReleaseMemObject(few));
    for (int i = 0; i < WORDS; i++)
        r.vb[1024 + (r.va[i] & 63)]++;
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    region = (cl_buffer_region){4096 + 1024, 1024}; /* where no window begins */
    few = clCreateSubBuffer(r.a, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    OK(err);
    launch(&r, "pick", few, r.b, NULL, 1, &all, &local);
    OK(clReleaseMemObject(few));
    for (uint32_t i = 0; i < WORDS; i++)
        r.vb[i] = r.va[1024 + 256 + (i & 255)] + i;
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    close_rig(&r);
}
END_TEST

START_TEST(parts_of_one_buffer_are_two_arguments)
{
    struct rig r = open_rig();
    const size_t n = WORDS / 4, local = 32;
    const cl_uint more = 3;
    cl_int err;
    cl_buffer_region region[2] = {{SIZE / 2, SIZE / 4}, {0, SIZE / 4}};
    cl_mem part[2];
    for (int i = 0; i < 2; i++) {
        part[i] = clCreateSubBuffer(r.a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region[i], &err);
        OK(err);
    }
    size_t size = 0, at = 1;
    OK(clGetMemObjectInfo(part[0], CL_MEM_SIZE, sizeof size, &size, NULL));
    OK(clGetMemObjectInfo(part[0], CL_MEM_OFFSET, sizeof at, &at, NULL));
    ck_assert_uint_eq(size, SIZE / 4);
    ck_assert_uint_eq(at, SIZE / 2);
    launch(&r, "both", part[0], part[1], &more, 1, &n, &local);
    for (size_t i = 0; i < n; i++) {
        uint32_t x = r.va[WORDS / 2 + i];
        r.va[WORDS / 2 + i] = r.va[i] + more;
        r.va[i] = x;
    }
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    region[0].size = SIZE;
    ck_assert_ptr_null(clCreateSubBuffer(r.a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region[0], &err));
    ck_assert_int_eq(err, CL_INVALID_VALUE);
    region[0] = (cl_buffer_region){1, 4};
    ck_assert_ptr_null(clCreateSubBuffer(r.a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region[0], &err));
    ck_assert_int_eq(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    OK(clReleaseMemObject(part[0]));
    OK(clReleaseMemObject(part[1]));
    close_rig(&r);
}
END_TEST

/* Between buffers that have room on the device and such that have not, both ways. */
START_TEST(transfers_of_all_kinds)
{
    struct rig r = open_rig();
    struct cl *c = &r.c;
    cl_int err;
    cl_mem few = buffer_of(c, CL_MEM_READ_WRITE, FEW * 4, NULL);
    const cl_uint pattern = 0xabcd;
    OK(clEnqueueFillBuffer(c->queue, few, &pattern, 4, 0, FEW * 4, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(c->queue, r.a, "\1\2\3\4", 4, 400, 4000, 0, NULL, NULL));
    for (int i = 100; i < 1100; i++)
        memcpy(&r.va[i], "\1\2\3\4", 4);
    OK(clEnqueueCopyBuffer(c->queue, few, r.a, 0, 8000, FEW * 4, 0, NULL, NULL));
    for (int i = 0; i < FEW; i++)
        r.va[2000 + i] = pattern;
    OK(clEnqueueCopyBuffer(c->queue, r.b, few, 40, 8, 400, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(c->queue, few, r.a, 0, 20000, 800, 0, NULL, NULL));
    for (int i = 0; i < 200; i++)
        r.va[5000 + i] = i >= 2 && i < 102 ? r.vb[i + 8] : pattern;
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    const size_t from[3] = {8, 1, 0}, to[3] = {16, 2, 1}, region[3] = {24, 5, 2}, zero[3] = {0, 0, 0};
    OK(clEnqueueCopyBufferRect(c->queue, r.b, r.a, from, to, region, 128, 2048, 256, 4096, 0, NULL, NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 5; y++)
            memcpy((char *)r.va + (1 + z) * 4096 + (2 + y) * 256 + 16, (char *)r.vb + z * 2048 + (1 + y) * 128 + 8, 24);
    uint32_t tight[60];
    OK(clEnqueueReadBufferRect(c->queue, r.a, CL_TRUE, to, zero, region, 256, 4096, 0, 0, tight, 0, NULL, NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 5; y++)
            ck_assert_int_eq(
                memcmp((char *)tight + z * 120 + y * 24, (char *)r.va + (1 + z) * 4096 + (2 + y) * 256 + 16, 24), 0);
    OK(clEnqueueWriteBufferRect(c->queue, r.a, CL_TRUE, from, zero, region, 512, 8192, 0, 0, tight, 0, NULL, NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 5; y++)
            memcpy((char *)r.va + z * 8192 + (1 + y) * 512 + 8, (char *)tight + z * 120 + y * 24, 24);
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    uint32_t *p =
        clEnqueueMapBuffer(c->queue, r.a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4096, 8192, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_int_eq(memcmp(p, (char *)r.va + 4096, 8192), 0);
    p[7] = r.va[1024 + 7] = 77;
    OK(clEnqueueUnmapMemObject(c->queue, r.a, p, 0, NULL, NULL));
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    OK(clEnqueueMigrateMemObjects(c->queue, 1, &r.a, 0, 0, NULL, NULL));
    const size_t all = WORDS;
    launch(&r, "twice", r.a, r.b, NULL, 1, &all, NULL);
    for (uint32_t i = 0; i < WORDS; i++)
        r.vb[i] = 2 * r.va[i] + i;
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    OK(clReleaseMemObject(few));
    close_rig(&r);
}
END_TEST

START_TEST(memory_of_the_program)
{
    struct rig r = open_rig();
    cl_int err;
    const size_t all = WORDS;
    uint32_t *own = aligned_alloc(4096, SIZE);
    memcpy(own, r.va, SIZE);
    cl_mem m = buffer_of(&r.c, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, SIZE, own);
    launch(&r, "twice", r.a, m, NULL, 1, &all, NULL);
    uint32_t *p = clEnqueueMapBuffer(r.c.queue, m, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_ptr_eq(p, own);
    for (uint32_t i = 0; i < WORDS; i++)
        ck_assert_uint_eq(own[i], 2 * r.va[i] + i);
    OK(clEnqueueUnmapMemObject(r.c.queue, m, p, 0, NULL, NULL));
    OK(clFinish(r.c.queue));
    OK(clReleaseMemObject(m));
    free(own);
    close_rig(&r);
}
END_TEST

/* What lies on the device may have to leave it while the program writes to the host's copy. */
START_TEST(what_is_being_written_is_not_overwritten)
{
    struct rig r = open_rig();
    const size_t all = WORDS, local = 64;
    cl_int err;
    const cl_uint seven = 7;
    uint32_t *v = numbers(3);
    cl_mem n = buffer_of(&r.c, CL_MEM_READ_WRITE, 4, NULL);
    OK(clEnqueueWriteBuffer(r.c.queue, n, CL_TRUE, 0, 4, &seven, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        launch(&r, "fresh", r.a, n, NULL, 1, &all, &local);
    uint32_t *p =
        clEnqueueMapBuffer(r.c.queue, r.a, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE, 0, NULL, NULL, &err);
    OK(err);
    memcpy(p, v, SIZE);
    for (int i = 0; i < 3; i++)
        launch(&r, "fresh", r.b, n, NULL, 1, &all, &local);
    OK(clFinish(r.c.queue));
    OK(clEnqueueUnmapMemObject(r.c.queue, r.a, p, 0, NULL, NULL));
    ck_assert_int_eq(same_words(&r, r.a, v), WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        r.vb[i] = 7 * i;
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    OK(clReleaseMemObject(n));
    free(v);
    close_rig(&r);
}
END_TEST

/* What cannot be done says so, and nothing but what it may have written is lost. */
START_TEST(what_does_not_fit_fails)
{
    struct rig r = open_rig();
    cl_ulong told = 0, largest = 0;
    cl_int err;
    OK(clGetDeviceInfo(r.c.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof told, &told, NULL));
    OK(clGetDeviceInfo(r.c.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
    ck_assert_uint_ge(told, largest);
    ck_assert_ptr_null(clCreateBuffer(r.c.context, 0, largest + 4096, NULL, &err));
    ck_assert_int_eq(err, CL_INVALID_BUFFER_SIZE);
    if (limited() && strtoul(getenv("YOKE_TEST_LIMIT"), NULL, 10) < SIZE) {
        const size_t all = 64;
        cl_mem n = buffer_of(&r.c, CL_MEM_READ_WRITE, 4, NULL);
        const cl_uint zero = 0;
        OK(clEnqueueWriteBuffer(r.c.queue, n, CL_TRUE, 0, 4, &zero, 0, NULL, NULL));
        cl_kernel k = kernel_of(r.program, "used"); /* its work-groups cannot be told apart: it needs all of A */
        OK(clSetKernelArg(k, 0, sizeof r.a, &r.a));
        OK(clSetKernelArg(k, 1, sizeof n, &n));
        cl_event e = NULL; /* the sizes say so at once, where a program looks for it */
        ck_assert_int_eq(clEnqueueNDRangeKernel(r.c.queue, k, 1, NULL, &all, NULL, 0, NULL, &e),
                         CL_MEM_OBJECT_ALLOCATION_FAILURE);
        ck_assert_ptr_null(e);
        OK(clReleaseKernel(k));
        OK(clReleaseMemObject(n));
        OK(clFinish(r.c.queue));
    }
    ck_assert_int_eq(same_words(&r, r.b, r.vb), WORDS);
    ck_assert_int_eq(same_words(&r, r.a, r.va), WORDS);
    close_rig(&r);
}
END_TEST

YK_TEST_MAIN("windows", launches_of_many_shapes, parts_of_one_buffer_are_two_arguments, transfers_of_all_kinds,
             memory_of_the_program, what_is_being_written_is_not_overwritten, what_does_not_fit_fails)
