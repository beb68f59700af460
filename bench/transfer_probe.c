#include "bench/transfer_probe.h"
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/median.h"

enum { MOST = 2048, MAPPED = 256 << 20 };

static cl_context context;
static cl_device_id device;

static void must(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "transfer: %s: error %d\n", what, err);
    exit(1);
}

static void open_device(unsigned which)
{
    cl_platform_id platform[16];
    cl_uint np = 0, seen = 0;
    cl_int err;
    must(clGetPlatformIDs(16, platform, &np), "clGetPlatformIDs");
    for (cl_uint i = 0; i < np && i < 16 && !device; i++) {
        cl_device_id d[32];
        cl_uint n = 0;
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 32, d, &n) != CL_SUCCESS)
            continue;
        if (which - seen < n)
            device = d[which - seen];
        seen += n;
    }
    if (!device) {
        fprintf(stderr, "transfer: there is no device %u\n", which);
        exit(1);
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    must(err, "clCreateContext");
}

static cl_command_queue new_queue(void)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);
    must(err, "clCreateCommandQueue");
    return q;
}

static cl_mem new_buffer(cl_mem_flags flags, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(context, flags, bytes, NULL, &err);
    must(err, "clCreateBuffer");
    return m;
}

static void move(cl_command_queue q, cl_mem m, bool in, void *p, size_t bytes)
{
    if (in)
        must(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, bytes, p, 0, NULL, NULL), "clEnqueueWriteBuffer");
    else
        must(clEnqueueReadBuffer(q, m, CL_TRUE, 0, bytes, p, 0, NULL, NULL), "clEnqueueReadBuffer");
}

/* The first transfer each way apart: whoever needs time to get ready takes it there. */
static void rates(cl_command_queue q, cl_mem m, void *p, size_t bytes, int repeat, const char *what)
{
    for (int in = 1; in >= 0; in--) {
        double s[64] = {0};
        for (int i = 0; i <= repeat; i++) {
            uint64_t from = yk_now_ns();
            move(q, m, in, p, bytes);
            s[i] = (double)(yk_now_ns() - from) * 1e-9;
        }
        const char *way = in ? "write" : "read";
        printf("%s%s_first %g\n", way, what, (double)bytes / s[0] * 1e-9);
        printf("%s%s %g\n", way, what, (double)bytes / median(s + 1, (size_t)repeat) * 1e-9);
    }
}

static void large(size_t bytes, int repeat)
{
    unsigned char *p = malloc(bytes), *back = malloc(bytes);
    cl_command_queue q = new_queue();
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, bytes);
    for (size_t i = 0; i < bytes; i += 61)
        p[i] = (unsigned char)(i * 7);
    memset(back, 1, bytes);
    move(q, m, true, back, bytes < 4096 ? bytes : 4096); /* drivers make memory when it is first touched */
    rates(q, m, p, bytes, repeat, "");
    move(q, m, false, back, bytes);
    if (memcmp(p, back, bytes)) {
        fprintf(stderr, "transfer: wrong bytes\n");
        exit(1);
    }
}

static void *map_pinned(cl_command_queue q, size_t bytes)
{
    cl_int err;
    cl_mem host = new_buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
    void *p = clEnqueueMapBuffer(q, host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &err);
    must(err, "clEnqueueMapBuffer");
    return p;
}

static void pinned(size_t bytes, int repeat)
{
    cl_command_queue q = new_queue();
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, bytes);
    void *p = map_pinned(q, bytes);
    memset(p, 5, bytes);
    move(q, m, true, p, bytes);
    rates(q, m, p, bytes, repeat, "_pinned");
}

struct stream {
    cl_command_queue queue;
    cl_mem mem;
    void *host;
    size_t bytes;
    bool in;
    int n;
};

static void *flow(void *arg)
{
    struct stream *s = arg;
    for (int i = 0; i < s->n; i++)
        move(s->queue, s->mem, s->in, s->host, s->bytes);
    return NULL;
}

/* The same, all given to the driver at once: NVIDIA's lets blocking transfers of two threads take turns. */
static void flow_pinned(struct stream *s, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < s[k].n; i++)
            must(s[k].in ? clEnqueueWriteBuffer(s[k].queue, s[k].mem, CL_FALSE, 0, s[k].bytes, s[k].host, 0, NULL, NULL)
                         : clEnqueueReadBuffer(s[k].queue, s[k].mem, CL_FALSE, 0, s[k].bytes, s[k].host, 0, NULL, NULL),
                 "a transfer");
    for (int k = 0; k < n; k++)
        must(clFlush(s[k].queue), "clFlush");
    for (int k = 0; k < n; k++)
        must(clFinish(s[k].queue), "clFinish");
}

static void both_pinned(size_t bytes, int repeat)
{
    struct stream s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = (struct stream){new_queue(), new_buffer(CL_MEM_READ_WRITE, bytes), NULL, bytes, i == 0, 1};
        s[i].host = map_pinned(s[i].queue, bytes);
        memset(s[i].host, i, bytes);
        flow_pinned(&s[i], 1);
        s[i].n = repeat;
    }
    uint64_t from = yk_now_ns();
    flow_pinned(s, 2);
    printf("both_pinned %g\n", 2 * (double)bytes * repeat / (double)(yk_now_ns() - from));
}

/* Buffers that are made with contents, until a command has used them; and rows that are apart in the buffer. */
static void made(size_t bytes, int repeat)
{
    enum { ROW = 32 << 10, APART = 64 };
    unsigned char *p = malloc(bytes), byte;
    double s[64] = {0};
    cl_command_queue q = new_queue();
    cl_int err;
    memset(p, 3, bytes);
    for (int i = 0; i < repeat; i++) {
        uint64_t from = yk_now_ns();
        cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, p, &err);
        must(err, "clCreateBuffer");
        move(q, m, false, &byte, 1);
        s[i] = (double)(yk_now_ns() - from) * 1e-9;
        must(clReleaseMemObject(m), "clReleaseMemObject");
    }
    printf("made %g\n", (double)bytes / median(s, (size_t)repeat) * 1e-9);
    size_t rows = bytes / (ROW + APART), zero[3] = {0}, region[3] = {ROW, rows, 1};
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, bytes);
    move(q, m, true, p, bytes);
    for (int i = 0; i < repeat && rows; i++) {
        uint64_t from = yk_now_ns();
        must(clEnqueueWriteBufferRect(q, m, CL_TRUE, zero, zero, region, ROW + APART, 0, ROW, 0, p, 0, NULL, NULL),
             "clEnqueueWriteBufferRect");
        s[i] = (double)(yk_now_ns() - from) * 1e-9;
    }
    if (rows)
        printf("rows %g\n", (double)(rows * ROW) / median(s, (size_t)repeat) * 1e-9);
}

static void expect(const unsigned char *p, size_t bytes, unsigned char what)
{
    for (size_t i = 0; i < bytes; i += 997)
        if (p[i] != what) {
            fprintf(stderr, "transfer: wrong bytes\n");
            exit(1);
        }
}

/* M, whose bytes are all LAST, mapped for reading, from the call until the queue is empty again. Seconds. */
static double map_and_unmap(cl_command_queue q, cl_mem m, size_t bytes, unsigned char last)
{
    cl_int err;
    uint64_t from = yk_now_ns();
    unsigned char *p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &err);
    must(err, "clEnqueueMapBuffer");
    uint64_t ns = yk_now_ns() - from;
    expect(p, bytes, last);
    from = yk_now_ns();
    must(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    must(clFinish(q), "clFinish");
    return (double)(ns + yk_now_ns() - from) * 1e-9;
}

static void filled(cl_command_queue q, cl_mem m, size_t bytes, unsigned char with)
{
    must(clEnqueueFillBuffer(q, m, &with, 1, 0, bytes, 0, NULL, NULL), "clEnqueueFillBuffer");
    must(clFinish(q), "clFinish");
}

/* What a device has written, mapped: of new buffers, with their release, and again. Then buffers over the program's
 * memory, until a command has used them, with their release. */
static void mapped(size_t bytes, int repeat)
{
    double s[64] = {0}, again[64] = {0};
    cl_command_queue q = new_queue();
    cl_int err;
    for (int i = 0; i < repeat; i++) {
        unsigned char k = (unsigned char)(2 * i);
        cl_mem m = new_buffer(CL_MEM_READ_WRITE, bytes);
        filled(q, m, bytes, k);
        s[i] = map_and_unmap(q, m, bytes, k);
        filled(q, m, bytes, ++k);
        again[i] = map_and_unmap(q, m, bytes, k);
        uint64_t from = yk_now_ns();
        must(clReleaseMemObject(m), "clReleaseMemObject");
        s[i] += (double)(yk_now_ns() - from) * 1e-9;
    }
    printf("mapped_first %g\n", (double)bytes / median(s, (size_t)repeat) * 1e-9);
    printf("mapped %g\n", (double)bytes / median(again, (size_t)repeat) * 1e-9);
    unsigned char *p = aligned_alloc(4096, bytes + 4096 - bytes % 4096), byte;
    for (int i = 0; i < repeat; i++) {
        memset(p, i, bytes);
        uint64_t from = yk_now_ns();
        cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, p, &err);
        must(err, "clCreateBuffer");
        cl_mem other = new_buffer(CL_MEM_READ_WRITE, bytes);
        must(clEnqueueCopyBuffer(q, m, other, 0, 0, bytes, 0, NULL, NULL), "clEnqueueCopyBuffer");
        move(q, other, false, &byte, 1);
        expect(&byte, 1, (unsigned char)i);
        must(clReleaseMemObject(m), "clReleaseMemObject");
        s[i] = (double)(yk_now_ns() - from) * 1e-9;
        must(clReleaseMemObject(other), "clReleaseMemObject");
    }
    free(p);
    printf("host_ptr %g\n", (double)bytes / median(s, (size_t)repeat) * 1e-9);
}

/* One thread and queue for each direction: one alone, the other, both. As many before them, so that whoever needs some
 * to get ready has had them. */
static void both(size_t bytes, int repeat)
{
    struct stream s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = (struct stream){new_queue(), new_buffer(CL_MEM_READ_WRITE, bytes), malloc(bytes), bytes, i == 0, repeat};
        memset(s[i].host, i, bytes);
        flow(&s[i]);
    }
    double alone = 0;
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        uint64_t from = yk_now_ns();
        if (i == 2 && pthread_create(&t, NULL, flow, &s[0]))
            exit(1);
        flow(&s[i == 2 ? 1 : i]);
        if (i == 2)
            pthread_join(t, NULL);
        double gbs = (double)bytes * repeat / (double)(yk_now_ns() - from);
        if (i < 2)
            alone += gbs / 2;
        else
            printf("both %g\none %g\n", 2 * gbs, alone);
    }
}

static void small(int repeat)
{
    static unsigned char p[65536];
    cl_command_queue q = new_queue();
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, sizeof p);
    for (size_t n = 64; n <= sizeof p; n *= 4)
        for (int in = 1; in >= 0; in--) {
            double us[MOST];
            int k = repeat * 100 < MOST ? repeat * 100 : MOST;
            for (int i = 0; i < 50; i++)
                move(q, m, in, p, n);
            for (int i = 0; i < k; i++) {
                uint64_t from = yk_now_ns();
                move(q, m, in, p, n);
                us[i] = (double)(yk_now_ns() - from) * 1e-3;
            }
            printf("%s_%zu %g\n", in ? "write" : "read", n, median(us, (size_t)k));
        }
}

int transfer_probe(const char *kind, unsigned which, size_t bytes, int repeat)
{
    open_device(which);
    if (!strcmp(kind, "large"))
        large(bytes, repeat);
    else if (!strcmp(kind, "pinned"))
        pinned(bytes, repeat);
    else if (!strcmp(kind, "both"))
        both(bytes, repeat);
    else if (!strcmp(kind, "both_pinned"))
        both_pinned(bytes, repeat);
    else if (!strcmp(kind, "made"))
        made(bytes, repeat);
    else if (!strcmp(kind, "mapped"))
        mapped(bytes < MAPPED ? bytes : MAPPED, repeat < 5 ? repeat : 5);
    else if (!strcmp(kind, "small"))
        small(repeat);
    else
        return 2;
    return fflush(stdout) ? 1 : 0;
}
