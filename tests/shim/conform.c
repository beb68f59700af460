/* Corners of the specification that programs stand on: programs linked from parts, cloned kernels, images, samplers,
 * pipes, shared virtual memory, native kernels, maps, host pointers, callbacks, times. A plain OpenCL program that
 * knows nothing of yoke; each test is a process of its own. What the device lacks is left out, bare and under yoke
 * alike. */
#include <CL/cl.h>
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/main.h"

static const char source[] =
    "kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] += a[i]; }\n"
    "kernel void set(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n"
    "kernel void lds(global int *a, local int *t) { int l = get_local_id(0); t[l] = a[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[get_local_size(0) - 1 - l]; }\n";

enum { N = 4096, BYTES = N * sizeof(cl_int), LOCAL = 64 };

/* PoCL 3.1, bare, counts the maps of a buffer's parts at the buffer, takes regions without a size, and crashes where it
 * is asked to skip a binary or to compile for all devices. */
static bool lenient(void)
{
    return getenv("YOKE_TEST_BARE") != NULL;
}

struct cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

#define OK(call)       ck_assert_int_eq((call), CL_SUCCESS)
#define IS(code, call) ck_assert_int_eq((call), (code))

static cl_program build(struct cl *c, const char *text)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(c->context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 1, &c->device, "", NULL, NULL));
    return p;
}

static struct cl open_cl(cl_command_queue_properties properties)
{
    struct cl c;
    cl_platform_id platform;
    cl_int err;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &c.device, NULL));
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &err);
    OK(err);
    c.queue = clCreateCommandQueue(c.context, c.device, properties, &err);
    OK(err);
    c.program = build(&c, source);
    return c;
}

static void close_cl(struct cl *c)
{
    OK(clReleaseProgram(c->program));
    OK(clReleaseCommandQueue(c->queue));
    OK(clReleaseContext(c->context));
}

static cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);
    OK(err);
    return k;
}

static cl_mem buffer_of(struct cl *c, cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c->context, flags, bytes, host, &err);
    OK(err);
    return m;
}

static void run(struct cl *c, cl_kernel k, cl_event *event)
{
    const size_t global = N, local = LOCAL;
    OK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, 0, NULL, event));
}

static void set_to(struct cl *c, cl_mem m, cl_int v)
{
    cl_kernel k = kernel_of(c->program, "set");
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    run(c, k, NULL);
    OK(clReleaseKernel(k));
}

static void holds(struct cl *c, cl_mem m, cl_int first)
{
    cl_int *got = malloc(BYTES);
    OK(clEnqueueReadBuffer(c->queue, m, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i], first + i);
    free(got);
}

static cl_uint info_uint(struct cl *c, cl_device_info what)
{
    cl_uint v = 0;
    OK(clGetDeviceInfo(c->device, what, sizeof v, &v, NULL));
    return v;
}

START_TEST(kernels_in_program_come_all_at_once)
{
    struct cl c = open_cl(0);
    cl_kernel k[4];
    cl_uint n = 0;
    OK(clCreateKernelsInProgram(c.program, 0, NULL, &n));
    ck_assert_uint_eq(n, 3);
    IS(CL_INVALID_VALUE, clCreateKernelsInProgram(c.program, 2, k, &n));
    OK(clCreateKernelsInProgram(c.program, 4, k, &n));
    ck_assert_uint_eq(n, 3);
    int seen = 0;
    for (cl_uint i = 0; i < n; i++) {
        char name[16];
        cl_program of;
        OK(clGetKernelInfo(k[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        OK(clGetKernelInfo(k[i], CL_KERNEL_PROGRAM, sizeof of, &of, NULL));
        ck_assert_ptr_eq(of, c.program);
        seen |= !strcmp(name, "add") ? 1 : !strcmp(name, "set") ? 2 : !strcmp(name, "lds") ? 4 : 8;
        OK(clReleaseKernel(k[i]));
    }
    ck_assert_int_eq(seen, 7);
    close_cl(&c);
}
END_TEST

START_TEST(a_cloned_kernel_has_the_arguments_and_then_its_own)
{
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int err, v = 5;
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    cl_kernel clone = clCloneKernel(k, &err);
    if (err == CL_SUCCESS) {
        cl_uint refs;
        OK(clGetKernelInfo(clone, CL_KERNEL_REFERENCE_COUNT, sizeof refs, &refs, NULL));
        ck_assert_uint_eq(refs, 1);
        v = 9;
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        run(&c, clone, NULL);
        holds(&c, a, 5);
        run(&c, k, NULL);
        holds(&c, a, 9);
        OK(clReleaseKernel(clone));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

START_TEST(programs_compiled_with_headers_are_linked)
{
    struct cl c = open_cl(0);
    const char *header = "#define TWICE(x) (2 * (x))\n", *names[] = {"folder/twice.h"};
    const char *part = "int offset(int i) { return i + 7; }\n";
    const char *main_part =
        "#include \"folder/twice.h\"\nint offset(int i);\n"
        "kernel void go(global int *a) { int i = get_global_id(0); a[i] = offset(TWICE(i)) - i; }\n";
    cl_int err;
    cl_program h = clCreateProgramWithSource(c.context, 1, &header, NULL, &err);
    OK(err);
    cl_program p[2] = {clCreateProgramWithSource(c.context, 1, &main_part, NULL, &err),
                       clCreateProgramWithSource(c.context, 1, &part, NULL, &err)};
    OK(err);
    if (!lenient())
        IS(CL_INVALID_VALUE, clCompileProgram(p[0], 0, NULL, "", 1, NULL, NULL, NULL, NULL));
    if (!lenient())
        IS(CL_INVALID_VALUE, clCompileProgram(p[0], 1, NULL, "", 0, NULL, NULL, NULL, NULL));
    OK(clCompileProgram(p[0], 1, &c.device, "", 1, &h, names, NULL, NULL));
    OK(clCompileProgram(p[1], lenient(), lenient() ? &c.device : NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(c.context, 1, &c.device, "", 2, p, NULL, NULL, &err);
    OK(err);
    cl_kernel k = kernel_of(linked, "go");
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    run(&c, k, NULL);
    holds(&c, a, 7);
    cl_program library = clLinkProgram(c.context, 0, NULL, "-create-library", 1, &p[1], NULL, NULL, &err);
    if (err == CL_SUCCESS) {
        cl_program_binary_type type;
        OK(clGetProgramBuildInfo(library, c.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
        OK(clReleaseProgram(library));
    }
    ck_assert_ptr_null(clLinkProgram(c.context, 1, &c.device, "", 0, NULL, NULL, NULL, &err));
    IS(CL_INVALID_VALUE, err);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(p[0]));
    OK(clReleaseProgram(p[1]));
    OK(clReleaseProgram(h));
    close_cl(&c);
}
END_TEST

START_TEST(a_binary_given_out_can_be_loaded)
{
    struct cl c = open_cl(0);
    size_t size = 0, n = 0;
    OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, &n));
    ck_assert_uint_eq(n, sizeof size);
    ck_assert_uint_gt(size, 0);
    unsigned char *bytes = calloc(size + 16, 1), *none = NULL;
    memset(bytes + size, 0x5a, 16);
    OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARIES, 0, NULL, &n));
    ck_assert_uint_eq(n, sizeof bytes);
    if (!lenient())
        OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARIES, sizeof none, &none, NULL)); /* skipped */
    OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    for (int i = 0; i < 16; i++)
        ck_assert_uint_eq(bytes[size + (size_t)i], 0x5a);
    cl_int err, status = 77;
    const unsigned char *given = bytes;
    cl_program p = clCreateProgramWithBinary(c.context, 1, &c.device, &size, &given, &status, &err);
    OK(err);
    OK(status);
    OK(clBuildProgram(p, 1, &c.device, NULL, NULL, NULL));
    size_t again = 0;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof again, &again, NULL));
    ck_assert_uint_gt(again, 0);
    cl_program whole = c.program;
    c.program = p;
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    set_to(&c, a, 3);
    holds(&c, a, 3);
    c.program = whole;
    size_t zero = 0;
    ck_assert_ptr_null(clCreateProgramWithBinary(c.context, 1, &c.device, &zero, &given, &status, &err));
    IS(CL_INVALID_VALUE, err);
    ck_assert(status == CL_INVALID_VALUE || lenient());
    OK(clReleaseMemObject(a));
    OK(clReleaseProgram(p));
    free(bytes);
    close_cl(&c);
}
END_TEST

static void CL_CALLBACK store_native(void *arg)
{
    struct {
        cl_int *to;
        cl_int v;
    } *args = arg;
    for (int i = 0; i < N; i++)
        args->to[i] = args->v + i;
}

START_TEST(native_kernels_get_memory_for_their_objects)
{
    struct cl c = open_cl(0);
    cl_device_exec_capabilities can;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
    struct {
        cl_mem to;
        cl_int v;
    } args = {buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), 21};
    const void *at = &args.to;
    if (can & CL_EXEC_NATIVE_KERNEL) {
        set_to(&c, args.to, 1);
        OK(clEnqueueNativeKernel(c.queue, store_native, &args, sizeof args, 1, &args.to, &at, 0, NULL, NULL));
        holds(&c, args.to, 21);
        IS(CL_INVALID_VALUE, clEnqueueNativeKernel(c.queue, NULL, &args, sizeof args, 0, NULL, NULL, 0, NULL, NULL));
        IS(CL_INVALID_VALUE, clEnqueueNativeKernel(c.queue, store_native, NULL, 8, 0, NULL, NULL, 0, NULL, NULL));
    } else {
        IS(CL_INVALID_OPERATION,
           clEnqueueNativeKernel(c.queue, store_native, &args, sizeof args, 1, &args.to, &at, 0, NULL, NULL));
    }
    OK(clReleaseMemObject(args.to));
    close_cl(&c);
}
END_TEST

START_TEST(overlapping_sub_buffers_and_maps_are_one_memory)
{
    struct cl c = open_cl(0);
    size_t align = info_uint(&c, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    if (align < sizeof(cl_int))
        align = sizeof(cl_int);
    cl_mem whole = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_buffer_region low = {0, 4 * align}, high = {2 * align, 4 * align};
    cl_int err;
    cl_mem a = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &low, &err);
    OK(err);
    cl_mem b = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &high, &err);
    OK(err);
    set_to(&c, whole, 0);
    cl_int v = 1000;
    OK(clEnqueueFillBuffer(c.queue, a, &v, sizeof v, 0, low.size, 0, NULL, NULL));
    v = 2000;
    OK(clEnqueueFillBuffer(c.queue, b, &v, sizeof v, 0, high.size, 0, NULL, NULL));
    cl_int *m = clEnqueueMapBuffer(c.queue, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, low.size, 0, NULL, NULL, &err);
    OK(err);
    size_t half = 2 * align / sizeof v;
    ck_assert_int_eq(m[half - 1], 1000);
    ck_assert_int_eq(m[half], 2000);
    /* A second map for reading, over a part of the first. */
    cl_int *m2 = clEnqueueMapBuffer(c.queue, whole, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_int_eq(m2[half - 1], 1000);
    ck_assert_int_eq(m2[6 * align / sizeof v], (cl_int)(6 * align / sizeof v));
    cl_uint count;
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    ck_assert(count == 1 || lenient());
    m[0] = 77;
    OK(clEnqueueUnmapMemObject(c.queue, whole, m2, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(c.queue, a, m, 0, NULL, NULL));
    OK(clFinish(c.queue));
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 0);
    IS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(c.queue, a, &err, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, whole, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    ck_assert_int_eq(v, 77);
    /* Invalidated: everything of the region is written anew. */
    m = clEnqueueMapBuffer(c.queue, b, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, align, 0, NULL, NULL, &err);
    OK(err);
    OK(clFinish(c.queue));
    for (size_t i = 0; i < align / sizeof v; i++)
        m[i] = (cl_int)i;
    OK(clEnqueueUnmapMemObject(c.queue, b, m, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, whole, CL_TRUE, high.origin + align - sizeof v, sizeof v, &v, 0, NULL, NULL));
    ck_assert_int_eq(v, (cl_int)(align / sizeof v) - 1);
    OK(clReleaseMemObject(whole)); /* the parts keep it */
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    ck_assert_int_eq(v, 77);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

START_TEST(host_pointers_keep_their_meaning)
{
    struct cl c = open_cl(0);
    cl_int *host = aligned_alloc(4096, BYTES), *copy = malloc(BYTES), err;
    void *asked;
    memset(host, 1, BYTES);
    for (int i = 0; i < N; i++)
        copy[i] = 3 + i;
    cl_mem use = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, host);
    cl_mem copied = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, copy);
    cl_mem both = buffer_of(&c, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, BYTES, copy);
    memset(copy, 0, BYTES);
    holds(&c, copied, 3);
    holds(&c, both, 3);
    OK(clGetMemObjectInfo(use, CL_MEM_HOST_PTR, sizeof asked, &asked, NULL));
    ck_assert_ptr_eq(asked, host);
    OK(clGetMemObjectInfo(copied, CL_MEM_HOST_PTR, sizeof asked, &asked, NULL));
    ck_assert_ptr_null(asked);
    set_to(&c, use, 11);
    cl_int *m = clEnqueueMapBuffer(c.queue, use, CL_TRUE, CL_MAP_READ, 64, 256, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_ptr_eq(m, host + 16);
    ck_assert_int_eq(m[0], 27);
    OK(clEnqueueUnmapMemObject(c.queue, use, m, 0, NULL, NULL));
    /* Devices that work in the host's memory show it without a map, and programs rely on it. */
    set_to(&c, use, 500);
    OK(clFinish(c.queue));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(host[i], 500 + i);
    set_to(&c, use, 900);
    cl_event e;
    OK(clEnqueueMarker(c.queue, &e));
    OK(clWaitForEvents(1, &e));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(host[i], 900 + i);
    ck_assert_ptr_null(clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, BYTES, NULL, &err));
    IS(CL_INVALID_HOST_PTR, err);
    ck_assert_ptr_null(clCreateBuffer(c.context, 0, BYTES, host, &err));
    IS(CL_INVALID_HOST_PTR, err);
    ck_assert_ptr_null(clCreateBuffer(c.context, 0, 0, NULL, &err));
    IS(CL_INVALID_BUFFER_SIZE, err);
    ck_assert_ptr_null(clCreateBuffer(c.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, BYTES, NULL, &err));
    IS(CL_INVALID_VALUE, err);
    clReleaseEvent(e);
    OK(clReleaseMemObject(use));
    OK(clReleaseMemObject(copied));
    OK(clReleaseMemObject(both));
    close_cl(&c);
    free(host);
    free(copy);
}
END_TEST

START_TEST(rects_and_fills_land_where_they_should)
{
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    enum { ROW = 64, WIDE = 16 };
    cl_uchar got[BYTES];
    const size_t from[3] = {8, 2, 1}, to[3] = {4, 5, 0}, region[3] = {WIDE, 3, 2}, zero[3] = {0, 0, 0},
                 none[3] = {0, 1, 1};
    set_to(&c, a, 0);
    cl_uchar fill = 0xee;
    OK(clEnqueueFillBuffer(c.queue, b, &fill, 1, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(c.queue, a, b, from, to, region, ROW, ROW * 8, ROW, ROW * 16, 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(c.queue, b, CL_TRUE, to, zero, region, ROW, ROW * 16, 0, 0, got, 0, NULL, NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < WIDE / 4; x++) {
                cl_int v;
                memcpy(&v, got + (z * 3 + y) * WIDE + x * 4, sizeof v);
                ck_assert_int_eq(v, (cl_int)(((z + 1) * ROW * 8 + (y + 2) * ROW + 8) / 4 + x));
            }
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    ck_assert_uint_eq(got[3], 0xee);
    ck_assert_uint_eq(got[5 * ROW + 4 + WIDE], 0xee);
    if (!lenient())
        IS(CL_INVALID_VALUE, clEnqueueCopyBufferRect(c.queue, a, b, from, to, none, ROW, 0, ROW, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueCopyBufferRect(c.queue, a, b, from, to, region, 8, 0, ROW, 0, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP,
       clEnqueueCopyBufferRect(c.queue, a, a, zero, zero, region, ROW, ROW * 8, ROW, ROW * 8, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(c.queue, a, a, 0, 8, 16, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(c.queue, b, &fill, 3, 0, 9, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(c.queue, b, got, 4, 2, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(c.queue, b, NULL, 1, 0, 8, 0, NULL, NULL));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

struct seen {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int at[4], order[8], n, freed;
    pthread_t app;
    bool on_app, queried;
};

static void see(struct seen *s, int what)
{
    pthread_mutex_lock(&s->lock);
    if (s->n < 8)
        s->order[s->n++] = what;
    s->on_app |= pthread_equal(pthread_self(), s->app);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void await(struct seen *s, int n)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    pthread_mutex_lock(&s->lock);
    while (s->n < n && !pthread_cond_timedwait(&s->changed, &s->lock, &until))
        ;
    pthread_mutex_unlock(&s->lock);
    ck_assert_int_ge(s->n, n);
}

static void CL_CALLBACK on_status(cl_event e, cl_int status, void *data)
{
    cl_int now = 99;
    struct seen *s = data;
    s->queried |=
        clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL) == CL_SUCCESS && now <= status;
    see(s, status);
}

static void CL_CALLBACK on_free(cl_mem m, void *data)
{
    (void)m;
    see(data, 10);
}

static void CL_CALLBACK on_free_too(cl_mem m, void *data)
{
    (void)m;
    see(data, 11);
}

static void CL_CALLBACK on_built(cl_program p, void *data)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, "set", &err); /* a callback may call OpenCL */
    if (err == CL_SUCCESS)
        clReleaseKernel(k);
    see(data, err == CL_SUCCESS ? 20 : -20);
}

START_TEST(callbacks_come_at_every_status_in_order)
{
    struct cl c = open_cl(0);
    struct seen s = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .app = pthread_self()};
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int v = 4;
    cl_event e;
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    run(&c, k, &e);
    OK(clSetEventCallback(e, CL_SUBMITTED, on_status, &s));
    OK(clSetEventCallback(e, CL_RUNNING, on_status, &s));
    OK(clSetEventCallback(e, CL_COMPLETE, on_status, &s));
    IS(CL_INVALID_VALUE, clSetEventCallback(e, CL_QUEUED, on_status, &s));
    IS(CL_INVALID_VALUE, clSetEventCallback(e, CL_COMPLETE, NULL, &s));
    OK(clFlush(c.queue));
    await(&s, 3);
    ck_assert(s.queried);
    int seen = 0;
    for (int i = 0; i < 3; i++)
        seen |= 1 << s.order[i];
    ck_assert_int_eq(seen, 1 << CL_SUBMITTED | 1 << CL_RUNNING | 1 << CL_COMPLETE);
    OK(clReleaseEvent(e));
    OK(clReleaseKernel(k));
    s.n = 0;
    OK(clSetMemObjectDestructorCallback(a, on_free, &s));
    OK(clSetMemObjectDestructorCallback(a, on_free_too, &s));
    OK(clFinish(c.queue));
    OK(clReleaseMemObject(a));
    await(&s, 2);
    ck_assert_int_eq(s.order[0], 11); /* the newest first */
    ck_assert_int_eq(s.order[1], 10);
    s.n = 0;
    const char *text = source;
    cl_int err;
    cl_program p = clCreateProgramWithSource(c.context, 1, &text, NULL, &err);
    OK(err);
    IS(CL_INVALID_VALUE, clBuildProgram(p, 1, &c.device, "", NULL, &s));
    OK(clBuildProgram(p, 1, &c.device, "", on_built, &s));
    await(&s, 1);
    ck_assert_int_eq(s.order[0], 20);
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

static cl_ulong stamp(cl_event e, cl_profiling_info what)
{
    cl_ulong t = 0;
    OK(clGetEventProfilingInfo(e, what, sizeof t, &t, NULL));
    return t;
}

START_TEST(times_of_an_in_order_queue_do_not_cross)
{
    struct cl c = open_cl(CL_QUEUE_PROFILING_ENABLE);
    enum { COMMANDS = 60 };
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_event e[COMMANDS];
    cl_int v = 1, zero = 0, *host = malloc(BYTES);
    cl_kernel k = kernel_of(c.program, "set");
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    for (int i = 0; i < COMMANDS; i++)
        if (i % 4 == 0)
            run(&c, k, &e[i]);
        else if (i % 4 == 1)
            OK(clEnqueueCopyBuffer(c.queue, a, b, 0, 0, BYTES, 0, NULL, &e[i]));
        else if (i % 4 == 2)
            OK(clEnqueueReadBuffer(c.queue, b, i % 8 == 2, 0, BYTES, host, 0, NULL, &e[i]));
        else
            OK(clEnqueueFillBuffer(c.queue, b, &zero, sizeof zero, 0, BYTES, 0, NULL, &e[i]));
    OK(clFinish(c.queue));
    cl_ulong end = 0;
    for (int i = 0; i < COMMANDS; i++) {
        cl_ulong queued = stamp(e[i], CL_PROFILING_COMMAND_QUEUED), submit = stamp(e[i], CL_PROFILING_COMMAND_SUBMIT),
                 start = stamp(e[i], CL_PROFILING_COMMAND_START);
        ck_assert_uint_le(queued, submit);
        ck_assert_uint_le(submit, start);
        ck_assert_msg(end <= start, "command %d starts %llu ns before the end of the one before it", i,
                      (unsigned long long)(end - start));
        end = stamp(e[i], CL_PROFILING_COMMAND_END);
        ck_assert_uint_le(start, end);
        /* The answer does not change. */
        ck_assert_uint_eq(start, stamp(e[i], CL_PROFILING_COMMAND_START));
        OK(clReleaseEvent(e[i]));
    }
    free(host);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

START_TEST(shared_virtual_memory_is_one_memory)
{
    struct cl c = open_cl(0);
    cl_device_svm_capabilities can = 0;
    if (clGetDeviceInfo(c.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL) == CL_SUCCESS &&
        (can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) {
        cl_int *a = clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0),
               *b = clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0);
        cl_int v = 8;
        ck_assert(a && b);
        cl_kernel k = kernel_of(c.program, "set");
        OK(clSetKernelArgSVMPointer(k, 0, a));
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        run(&c, k, NULL);
        OK(clEnqueueSVMMemcpy(c.queue, CL_FALSE, b, a, BYTES, 0, NULL, NULL));
        OK(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, b, BYTES, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(b[i], 8 + i);
        OK(clEnqueueSVMUnmap(c.queue, b, 0, NULL, NULL));
        OK(clEnqueueSVMMemFill(c.queue, b, &v, sizeof v, BYTES, 0, NULL, NULL));
        OK(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL));
        ck_assert_int_eq(b[N - 1], 8);
        OK(clEnqueueSVMUnmap(c.queue, b, 0, NULL, NULL));
        void *gone[] = {a};
        OK(clEnqueueSVMFree(c.queue, 1, gone, NULL, NULL, 0, NULL, NULL));
        OK(clFinish(c.queue));
        OK(clReleaseKernel(k));
        clSVMFree(c.context, b);
        clSVMFree(c.context, NULL);
    }
    close_cl(&c);
}
END_TEST

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

START_TEST(local_memory_and_what_is_wrong_with_it)
{
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "lds");
    const size_t n = N, local = LOCAL;
    set_to(&c, a, 0);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 0, NULL));
    OK(clSetKernelArg(k, 1, LOCAL * sizeof(cl_int), NULL));
    OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
    cl_int got[LOCAL];
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, sizeof got, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < LOCAL; i++)
        ck_assert_int_eq(got[i], 2 * LOCAL - 1 - i);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform", kernels_in_program_come_all_at_once, a_cloned_kernel_has_the_arguments_and_then_its_own,
             programs_compiled_with_headers_are_linked, a_binary_given_out_can_be_loaded,
             native_kernels_get_memory_for_their_objects, overlapping_sub_buffers_and_maps_are_one_memory,
             host_pointers_keep_their_meaning, rects_and_fills_land_where_they_should,
             callbacks_come_at_every_status_in_order, times_of_an_in_order_queue_do_not_cross,
             shared_virtual_memory_is_one_memory, images_of_every_type_keep_their_texels,
             kernels_read_and_write_images_through_samplers, local_memory_and_what_is_wrong_with_it)
