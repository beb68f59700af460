#include "bench/patterns_probe.h"
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

enum {
    WIDTH = 1024,
    ITEMS = WIDTH * WIDTH,
    BYTES = ITEMS * 4,
    PIECES = 16,
    STEPS = 20,
    MOST_ROUNDS = 4096,
    GROUP = 64
};

static cl_device_id device;
static cl_context context;
static cl_command_queue queue, second;
static cl_program program;
static cl_kernel step, other, sample;
static cl_mem in, out, flag;
static unsigned *from, *to;

static const char source[] =
    "uint churn(uint x, uint k) { for (int i = 0; i < 40; i++) x = x * 1664525u + k; return x; }\n"
    "kernel void change(global const uint *in, global uint *out, uint k)\n"
    "{ size_t i = get_global_id(0); out[i] = churn(in[i], k); }\n"
    "kernel void flagged(global const uint *in, global uint *out, uint k, global uint *flag)\n"
    "{ size_t i = get_global_id(0); out[i] = in[i] + k; if (i == 0) *flag = k; }\n"
    "kernel void from_image(read_only image2d_t in, global uint *out, uint k)\n"
    "{ const sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;\n"
    "  size_t i = get_global_id(0); out[i] = churn(read_imageui(in, s, (int2)(i % 1024, i / 1024)).x, k); }\n";

static unsigned mixed(unsigned x, unsigned k)
{
    for (int i = 0; i < 40; i++)
        x = x * 1664525u + k;
    return x;
}

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "patterns: %s: error %d\n", what, err);
    exit(1);
}

static void none(const char *why)
{
    printf("none %s\n", why);
    exit(0);
}

/* A few of N results at AT, of input FROM on. */
static void look(const unsigned *at, unsigned first, unsigned n, unsigned k)
{
    for (unsigned i = 0; i < n; i += n / 61 + 1)
        if (at[i] != mixed(from[first + i], k)) {
            fprintf(stderr, "patterns: item %u is %u, not %u\n", first + i, at[i], mixed(from[first + i], k));
            exit(1);
        }
}

static cl_mem make(cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(context, flags, bytes, host, &err);
    check(err, "clCreateBuffer");
    return m;
}

static void launch(cl_command_queue q, cl_kernel kernel, cl_mem a, cl_mem b, unsigned k, size_t items, cl_uint n,
                   const cl_event *wait, cl_event *event)
{
    static const size_t group = GROUP;
    check(clSetKernelArg(kernel, 0, sizeof a, &a), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof b, &b), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof k, &k), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, &group, n, wait, event), "clEnqueueNDRangeKernel");
}

static void read_to(cl_mem m, size_t at, size_t bytes)
{
    check(clEnqueueReadBuffer(queue, m, CL_TRUE, at, bytes, (char *)to + at, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static void write_in(void)
{
    check(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, BYTES, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

static void write_read(unsigned i)
{
    write_in();
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    read_to(out, 0, BYTES);
    look(to, 0, ITEMS, i);
}

/* The memory that results come to was given to a buffer before: nothing but zeros, never written. */
static void zeros_first(unsigned i)
{
    unsigned *zeros = calloc(1, BYTES);
    if (!zeros)
        exit(1);
    check(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, BYTES, zeros, 0, NULL, NULL), "clEnqueueWriteBuffer");
    write_in();
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, BYTES, zeros, 0, NULL, NULL), "clEnqueueReadBuffer");
    look(zeros, 0, ITEMS, i);
    free(zeros);
}

static void not_blocking(unsigned i)
{
    cl_event event;
    check(clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, BYTES, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    check(clEnqueueReadBuffer(queue, out, CL_FALSE, 0, BYTES, to, 0, NULL, &event), "clEnqueueReadBuffer");
    check(clFlush(queue), "clFlush");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
    look(to, 0, ITEMS, i);
}

static void *map(cl_mem m, cl_map_flags flags)
{
    cl_int err;
    void *at = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, 0, BYTES, 0, NULL, NULL, &err);
    check(err, "clEnqueueMapBuffer");
    return at;
}

static void unmap(cl_mem m, void *at)
{
    check(clEnqueueUnmapMemObject(queue, m, at, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void mapped(unsigned i)
{
    void *at = map(in, CL_MAP_WRITE_INVALIDATE_REGION);
    memcpy(at, from, BYTES);
    unmap(in, at);
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    at = map(out, CL_MAP_READ);
    look(at, 0, ITEMS, i);
    unmap(out, at);
    check(clFinish(queue), "clFinish");
}

/* Both buffers over the program's memory. */
static void host_memory(unsigned i)
{
    static cl_mem a, b;
    a = a ? a : make(CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, BYTES, from);
    b = b ? b : make(CL_MEM_USE_HOST_PTR | CL_MEM_WRITE_ONLY, BYTES, to);
    unmap(a, map(a, CL_MAP_WRITE));
    launch(queue, step, a, b, i, ITEMS, 0, NULL, NULL);
    void *at = map(b, CL_MAP_READ);
    look(at, 0, ITEMS, i);
    unmap(b, at);
    check(clFinish(queue), "clFinish");
}

static void new_buffers(unsigned i)
{
    cl_mem a = make(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, BYTES, from), b = make(CL_MEM_WRITE_ONLY, BYTES, NULL);
    launch(queue, step, a, b, i, ITEMS, 0, NULL, NULL);
    read_to(b, 0, BYTES);
    look(to, 0, ITEMS, i);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

/* Launches that go back and forth between two buffers, with a word read after each. */
static void flag_each(unsigned i)
{
    unsigned seen = 0, k = i + 1;
    write_in();
    check(clSetKernelArg(other, 3, sizeof flag, &flag), "clSetKernelArg");
    for (unsigned s = 0; s < STEPS; s++) {
        launch(queue, other, s % 2 ? out : in, s % 2 ? in : out, k, ITEMS, 0, NULL, NULL);
        check(clEnqueueReadBuffer(queue, flag, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL), "clEnqueueReadBuffer");
        if (seen != k)
            exit(1);
    }
    read_to(in, 0, BYTES);
    if (to[ITEMS - 1] != from[ITEMS - 1] + STEPS * k) {
        fprintf(stderr, "patterns: the last item is wrong\n");
        exit(1);
    }
}

static void fill_and_copy(unsigned i)
{
    static cl_mem third;
    unsigned zero = 0;
    third = third ? third : make(CL_MEM_READ_WRITE, BYTES, NULL);
    write_in();
    check(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL), "clEnqueueFillBuffer");
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    check(clEnqueueCopyBuffer(queue, out, third, 0, 0, BYTES, 0, NULL, NULL), "clEnqueueCopyBuffer");
    read_to(third, 0, BYTES);
    look(to, 0, ITEMS, i);
}

/* The left and the right half of all rows, each by itself. */
static void rectangles(unsigned i)
{
    const size_t region[] = {WIDTH * 2, WIDTH, 1}, pitch = WIDTH * 4;
    for (size_t x = 0; x <= region[0]; x += region[0]) {
        const size_t origin[] = {x, 0, 0};
        check(clEnqueueWriteBufferRect(queue, in, CL_TRUE, origin, origin, region, pitch, 0, pitch, 0, from, 0, NULL,
                                       NULL),
              "clEnqueueWriteBufferRect");
    }
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    for (size_t x = 0; x <= region[0]; x += region[0]) {
        const size_t origin[] = {x, 0, 0};
        check(
            clEnqueueReadBufferRect(queue, out, CL_TRUE, origin, origin, region, pitch, 0, pitch, 0, to, 0, NULL, NULL),
            "clEnqueueReadBufferRect");
    }
    look(to, 0, ITEMS, i);
}

static void sub_buffers(unsigned i)
{
    cl_mem a[PIECES], b[PIECES];
    cl_int err;
    write_in();
    for (unsigned p = 0; p < PIECES; p++) {
        cl_buffer_region r = {(size_t)p * (BYTES / PIECES), BYTES / PIECES};
        a[p] = clCreateSubBuffer(in, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
        check(err, "clCreateSubBuffer");
        b[p] = clCreateSubBuffer(out, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
        check(err, "clCreateSubBuffer");
        launch(queue, step, a[p], b[p], i, ITEMS / PIECES, 0, NULL, NULL);
    }
    read_to(out, 0, BYTES);
    look(to, 0, ITEMS, i);
    for (unsigned p = 0; p < PIECES; p++) {
        clReleaseMemObject(a[p]);
        clReleaseMemObject(b[p]);
    }
}

/* One buffer written by a first queue, read by a launch of a second, whose result the first reads. */
static void two_queues(unsigned i)
{
    cl_event written, done;
    check(clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, BYTES, from, 0, NULL, &written), "clEnqueueWriteBuffer");
    check(clFlush(queue), "clFlush");
    launch(second, step, in, out, i, ITEMS, 1, &written, &done);
    check(clFlush(second), "clFlush");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, BYTES, to, 1, &done, NULL), "clEnqueueReadBuffer");
    clReleaseEvent(written);
    clReleaseEvent(done);
    look(to, 0, ITEMS, i);
}

static void out_of_order(unsigned i)
{
    static cl_command_queue free_order;
    static cl_mem a[PIECES], b[PIECES];
    cl_event done[PIECES];
    cl_int err = CL_SUCCESS;
    if (!free_order)
        free_order = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    if (err == CL_INVALID_QUEUE_PROPERTIES)
        none("no queues out of order");
    check(err, "clCreateCommandQueue");
    for (unsigned p = 0; p < PIECES; p++) {
        size_t bytes = BYTES / PIECES, at = p * bytes;
        a[p] = a[p] ? a[p] : make(CL_MEM_READ_ONLY, bytes, NULL);
        b[p] = b[p] ? b[p] : make(CL_MEM_WRITE_ONLY, bytes, NULL);
        cl_event in_place, launched;
        check(clEnqueueWriteBuffer(free_order, a[p], CL_FALSE, 0, bytes, (char *)from + at, 0, NULL, &in_place),
              "clEnqueueWriteBuffer");
        launch(free_order, step, a[p], b[p], i, ITEMS / PIECES, 1, &in_place, &launched);
        check(clEnqueueReadBuffer(free_order, b[p], CL_FALSE, 0, bytes, (char *)to + at, 1, &launched, &done[p]),
              "clEnqueueReadBuffer");
        clReleaseEvent(in_place);
        clReleaseEvent(launched);
    }
    check(clFlush(free_order), "clFlush");
    check(clWaitForEvents(PIECES, done), "clWaitForEvents");
    for (unsigned p = 0; p < PIECES; p++)
        clReleaseEvent(done[p]);
    look(to, 0, ITEMS, i);
}

static atomic_uint called;

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *arg)
{
    (void)event, (void)status, (void)arg;
    called++;
}

/* The program is told of the end by a callback, which it polls for. */
static void callback(unsigned i)
{
    cl_event event;
    unsigned before = called;
    write_in();
    launch(queue, step, in, out, i, ITEMS, 0, NULL, NULL);
    check(clEnqueueReadBuffer(queue, out, CL_FALSE, 0, BYTES, to, 0, NULL, &event), "clEnqueueReadBuffer");
    check(clSetEventCallback(event, CL_COMPLETE, count_call, NULL), "clSetEventCallback");
    check(clFinish(queue), "clFinish");
    while (called == before)
        ;
    clReleaseEvent(event);
    look(to, 0, ITEMS, i);
}

static void image(unsigned i)
{
    static cl_mem picture;
    const size_t origin[3] = {0}, region[] = {WIDTH, WIDTH, 1};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = WIDTH};
    cl_int err = CL_SUCCESS;
    if (!sample)
        none("no images");
    if (!picture)
        picture = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
    if (err == CL_IMAGE_FORMAT_NOT_SUPPORTED || err == CL_INVALID_OPERATION)
        none("no such images");
    check(err, "clCreateImage");
    check(clEnqueueWriteImage(queue, picture, CL_TRUE, origin, region, 0, 0, from, 0, NULL, NULL),
          "clEnqueueWriteImage");
    launch(queue, sample, picture, out, i, ITEMS, 0, NULL, NULL);
    read_to(out, 0, BYTES);
    look(to, 0, ITEMS, i);
}

static void shared_memory(unsigned i)
{
    static unsigned *a, *b;
    cl_device_svm_capabilities can = 0;
    const size_t items = ITEMS, group = GROUP;
    if (!a) {
        clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL);
        if (!(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
            none("no shared virtual memory");
        a = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
        b = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
        check(a && b ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "clSVMAlloc");
    }
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, a, BYTES, 0, NULL, NULL), "clEnqueueSVMMap");
    memcpy(a, from, BYTES);
    check(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL), "clEnqueueSVMUnmap");
    check(clSetKernelArgSVMPointer(step, 0, a), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(step, 1, b), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(step, 2, sizeof i, &i), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, step, 1, NULL, &items, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL), "clEnqueueSVMMap");
    look(b, 0, ITEMS, i);
    check(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL), "clEnqueueSVMUnmap");
    check(clFinish(queue), "clFinish");
}

/* Each of two threads has a queue, a kernel and buffers of its own. */
struct half {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem a, b;
    unsigned first, k;
};

static void *do_half(void *arg)
{
    struct half *h = arg;
    size_t bytes = BYTES / 2;
    check(clEnqueueWriteBuffer(h->queue, h->a, CL_TRUE, 0, bytes, from + h->first, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    launch(h->queue, h->kernel, h->a, h->b, h->k, ITEMS / 2, 0, NULL, NULL);
    check(clEnqueueReadBuffer(h->queue, h->b, CL_TRUE, 0, bytes, to + h->first, 0, NULL, NULL), "clEnqueueReadBuffer");
    return NULL;
}

static void two_threads(unsigned i)
{
    static struct half half[2];
    pthread_t thread;
    cl_int err;
    for (unsigned h = 0; h < 2; h++) {
        if (!half[h].queue) {
            half[h] = (struct half){h ? second : queue,
                                    clCreateKernel(program, "change", &err),
                                    make(CL_MEM_READ_ONLY, BYTES / 2, NULL),
                                    make(CL_MEM_WRITE_ONLY, BYTES / 2, NULL),
                                    h * (ITEMS / 2),
                                    0};
            check(err, "clCreateKernel");
        }
        half[h].k = i;
    }
    if (pthread_create(&thread, NULL, do_half, &half[1]))
        exit(1);
    do_half(&half[0]);
    pthread_join(thread, NULL);
    look(to, 0, ITEMS, i);
}

/* One work-group each, none waited for. */
static void small_launches(unsigned i)
{
    enum { MANY = 1000 };
    write_in();
    for (unsigned s = 0; s < MANY; s++)
        launch(queue, step, in, out, i, GROUP, 0, NULL, NULL);
    read_to(out, 0, GROUP * 4);
    look(to, 0, GROUP, i);
}

static void new_program(unsigned i)
{
    char text[sizeof source + 32];
    const char *at = text;
    cl_int err;
    snprintf(text, sizeof text, "%s// %u\n", source, i);
    cl_program p = clCreateProgramWithSource(context, 1, &at, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(p, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(p, "change", &err);
    check(err, "clCreateKernel");
    write_in();
    launch(queue, kernel, in, out, i, ITEMS, 0, NULL, NULL);
    read_to(out, 0, BYTES);
    look(to, 0, ITEMS, i);
    clReleaseKernel(kernel);
    clReleaseProgram(p);
}

const struct patterns_pattern patterns[] = {
    {"write_read", "write, launch, read", write_read},
    {"zeros_first", "results into memory that a buffer's zeros came from", zeros_first},
    {"not_blocking", "the same without waiting, then for the last event", not_blocking},
    {"mapped", "input and results through maps", mapped},
    {"host_memory", "buffers over the program's memory", host_memory},
    {"new_buffers", "buffers made with their content, and released", new_buffers},
    {"flag_each", "20 launches, a word read after each", flag_each},
    {"fill_and_copy", "a fill before the launch, a copy after it", fill_and_copy},
    {"rectangles", "halves of rows, by rectangles", rectangles},
    {"sub_buffers", "16 sub-buffers, a launch each", sub_buffers},
    {"two_queues", "write, launch and read on two queues, by events", two_queues},
    {"out_of_order", "16 times write, launch, read out of order", out_of_order},
    {"callback", "told by a callback", callback},
    {"image", "an image sampled", image},
    {"shared_memory", "coarse-grained shared virtual memory", shared_memory},
    {"two_threads", "two threads with queues of their own", two_threads},
    {"small_launches", "1,000 launches of a work-group", small_launches},
    {"new_program", "a program built for each launch", new_program},
};
const unsigned patterns_n = sizeof patterns / sizeof *patterns;

static void find_device(unsigned number)
{
    cl_platform_id platform[16];
    cl_uint n = 0;
    check(clGetPlatformIDs(16, platform, &n), "clGetPlatformIDs");
    for (cl_uint p = 0; p < n && p < 16; p++) {
        cl_device_id id[16];
        cl_uint has = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 16, id, &has) != CL_SUCCESS)
            continue;
        if (number < has && number < 16) {
            device = id[number];
            return;
        }
        number -= number < has ? number : has;
    }
    fprintf(stderr, "patterns: there is no such device\n");
    exit(1);
}

static void set_up(unsigned number)
{
    const char *text = source;
    cl_int err;
    find_device(number);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    second = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    step = clCreateKernel(program, "change", &err);
    check(err, "clCreateKernel");
    other = clCreateKernel(program, "flagged", &err);
    check(err, "clCreateKernel");
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    sample = images ? clCreateKernel(program, "from_image", &err) : NULL;
    in = make(CL_MEM_READ_WRITE, BYTES, NULL);
    out = make(CL_MEM_READ_WRITE, BYTES, NULL);
    flag = make(CL_MEM_READ_WRITE, 4, NULL);
    from = aligned_alloc(4096, BYTES);
    to = aligned_alloc(4096, BYTES);
    if (!from || !to)
        exit(1);
    for (unsigned i = 0; i < ITEMS; i++)
        from[i] = i * 2654435761u;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int patterns_probe(const struct patterns_pattern *p, unsigned number, int ms)
{
    static double took[MOST_ROUNDS];
    unsigned n = 0;
    uint64_t start = yk_now_ns(), end = start + (uint64_t)ms * 1000000;
    set_up(number);
    while (n < 2 || (n < MOST_ROUNDS && yk_now_ns() < end)) {
        uint64_t began = yk_now_ns();
        p->round(n);
        took[n++] = (double)(yk_now_ns() - began) * 1e-6;
    }
    printf("first %.6f\n", took[0]);
    qsort(took + 1, n - 1, sizeof *took, by_value);
    printf("later %.6f\n", took[1 + (n - 1) / 2 - ((n - 1) % 2 == 0)]);
    return 0;
}
