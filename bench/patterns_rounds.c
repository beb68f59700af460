#include "bench/patterns_rounds.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/patterns_launches.h"
#include "bench/patterns_program.h"

enum { PIECES = 16 };

static void write_read(unsigned i)
{
    patterns_write();
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_read(w.out, 0, BYTES);
    patterns_look(w.to, 0, ITEMS, i);
}

/* The memory that results come to was given to a buffer before: nothing but zeros, never written. */
static void zeros_first(unsigned i)
{
    unsigned *zeros = calloc(1, BYTES);
    if (!zeros)
        exit(1);
    patterns_check(clEnqueueWriteBuffer(w.queue, w.out, CL_TRUE, 0, BYTES, zeros, 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
    patterns_write();
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_check(clEnqueueReadBuffer(w.queue, w.out, CL_TRUE, 0, BYTES, zeros, 0, NULL, NULL), "clEnqueueReadBuffer");
    patterns_look(zeros, 0, ITEMS, i);
    free(zeros);
}

static void not_blocking(unsigned i)
{
    cl_event event;
    patterns_check(clEnqueueWriteBuffer(w.queue, w.in, CL_FALSE, 0, BYTES, w.from, 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_check(clEnqueueReadBuffer(w.queue, w.out, CL_FALSE, 0, BYTES, w.to, 0, NULL, &event),
                   "clEnqueueReadBuffer");
    patterns_check(clFlush(w.queue), "clFlush");
    patterns_check(clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
    patterns_look(w.to, 0, ITEMS, i);
}

static void mapped(unsigned i)
{
    void *at = patterns_map(w.in, CL_MAP_WRITE_INVALIDATE_REGION);
    memcpy(at, w.from, BYTES);
    patterns_unmap(w.in, at);
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    at = patterns_map(w.out, CL_MAP_READ);
    patterns_look(at, 0, ITEMS, i);
    patterns_unmap(w.out, at);
    patterns_check(clFinish(w.queue), "clFinish");
}

/* Both buffers over the program's memory. */
static void host_memory(unsigned i)
{
    static cl_mem a, b;
    a = a ? a : patterns_buffer(CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, BYTES, w.from);
    b = b ? b : patterns_buffer(CL_MEM_USE_HOST_PTR | CL_MEM_WRITE_ONLY, BYTES, w.to);
    patterns_unmap(a, patterns_map(a, CL_MAP_WRITE));
    patterns_launch(w.queue, w.step, a, b, i, ITEMS, 0, NULL, NULL);
    void *at = patterns_map(b, CL_MAP_READ);
    patterns_look(at, 0, ITEMS, i);
    patterns_unmap(b, at);
    patterns_check(clFinish(w.queue), "clFinish");
}

static void new_buffers(unsigned i)
{
    cl_mem a = patterns_buffer(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, BYTES, w.from),
           b = patterns_buffer(CL_MEM_WRITE_ONLY, BYTES, NULL);
    patterns_launch(w.queue, w.step, a, b, i, ITEMS, 0, NULL, NULL);
    patterns_read(b, 0, BYTES);
    patterns_look(w.to, 0, ITEMS, i);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void fill_and_copy(unsigned i)
{
    static cl_mem third;
    unsigned zero = 0;
    third = third ? third : patterns_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    patterns_write();
    patterns_check(clEnqueueFillBuffer(w.queue, w.out, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL),
                   "clEnqueueFillBuffer");
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_check(clEnqueueCopyBuffer(w.queue, w.out, third, 0, 0, BYTES, 0, NULL, NULL), "clEnqueueCopyBuffer");
    patterns_read(third, 0, BYTES);
    patterns_look(w.to, 0, ITEMS, i);
}

/* The left and the right half of all rows, each by itself. */
static void rectangles(unsigned i)
{
    const size_t region[] = {WIDTH * 2, WIDTH, 1}, pitch = WIDTH * 4;
    for (size_t x = 0; x <= region[0]; x += region[0]) {
        const size_t origin[] = {x, 0, 0};
        patterns_check(clEnqueueWriteBufferRect(w.queue, w.in, CL_TRUE, origin, origin, region, pitch, 0, pitch, 0,
                                                w.from, 0, NULL, NULL),
                       "clEnqueueWriteBufferRect");
    }
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    for (size_t x = 0; x <= region[0]; x += region[0]) {
        const size_t origin[] = {x, 0, 0};
        patterns_check(clEnqueueReadBufferRect(w.queue, w.out, CL_TRUE, origin, origin, region, pitch, 0, pitch, 0,
                                               w.to, 0, NULL, NULL),
                       "clEnqueueReadBufferRect");
    }
    patterns_look(w.to, 0, ITEMS, i);
}

/* N sub-buffers of each buffer, and a launch from one to the other for each. */
static void in_pieces(unsigned i, unsigned n)
{
    enum { MOST = 64 };
    cl_mem a[MOST], b[MOST];
    cl_int err;
    patterns_write();
    for (unsigned p = 0; p < n; p++) {
        cl_buffer_region r = {(size_t)p * (BYTES / n), BYTES / n};
        a[p] = clCreateSubBuffer(w.in, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
        patterns_check(err, "clCreateSubBuffer");
        b[p] = clCreateSubBuffer(w.out, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
        patterns_check(err, "clCreateSubBuffer");
        patterns_launch(w.queue, w.step, a[p], b[p], i, ITEMS / n, 0, NULL, NULL);
    }
    patterns_read(w.out, 0, BYTES);
    patterns_look(w.to, 0, ITEMS, i);
    for (unsigned p = 0; p < n; p++) {
        clReleaseMemObject(a[p]);
        clReleaseMemObject(b[p]);
    }
}

static void sub_buffers(unsigned i)
{
    in_pieces(i, PIECES);
}

static void short_launches(unsigned i)
{
    in_pieces(i, 64);
}

/* One buffer written by a first queue, read by a launch of a second, whose result the first reads. */
static void two_queues(unsigned i)
{
    cl_event written, done;
    patterns_check(clEnqueueWriteBuffer(w.queue, w.in, CL_FALSE, 0, BYTES, w.from, 0, NULL, &written),
                   "clEnqueueWriteBuffer");
    patterns_check(clFlush(w.queue), "clFlush");
    patterns_launch(w.second, w.step, w.in, w.out, i, ITEMS, 1, &written, &done);
    patterns_check(clFlush(w.second), "clFlush");
    patterns_check(clEnqueueReadBuffer(w.queue, w.out, CL_TRUE, 0, BYTES, w.to, 1, &done, NULL), "clEnqueueReadBuffer");
    clReleaseEvent(written);
    clReleaseEvent(done);
    patterns_look(w.to, 0, ITEMS, i);
}

static void out_of_order(unsigned i)
{
    static cl_command_queue free_order;
    static cl_mem a[PIECES], b[PIECES];
    cl_event done[PIECES];
    cl_int err = CL_SUCCESS;
    if (!free_order)
        free_order = clCreateCommandQueue(w.context, w.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    if (err == CL_INVALID_QUEUE_PROPERTIES)
        patterns_none("no queues out of order");
    patterns_check(err, "clCreateCommandQueue");
    for (unsigned p = 0; p < PIECES; p++) {
        size_t bytes = BYTES / PIECES, at = p * bytes;
        a[p] = a[p] ? a[p] : patterns_buffer(CL_MEM_READ_ONLY, bytes, NULL);
        b[p] = b[p] ? b[p] : patterns_buffer(CL_MEM_WRITE_ONLY, bytes, NULL);
        cl_event in_place, launched;
        patterns_check(
            clEnqueueWriteBuffer(free_order, a[p], CL_FALSE, 0, bytes, (char *)w.from + at, 0, NULL, &in_place),
            "clEnqueueWriteBuffer");
        patterns_launch(free_order, w.step, a[p], b[p], i, ITEMS / PIECES, 1, &in_place, &launched);
        patterns_check(
            clEnqueueReadBuffer(free_order, b[p], CL_FALSE, 0, bytes, (char *)w.to + at, 1, &launched, &done[p]),
            "clEnqueueReadBuffer");
        clReleaseEvent(in_place);
        clReleaseEvent(launched);
    }
    patterns_check(clFlush(free_order), "clFlush");
    patterns_check(clWaitForEvents(PIECES, done), "clWaitForEvents");
    for (unsigned p = 0; p < PIECES; p++)
        clReleaseEvent(done[p]);
    patterns_look(w.to, 0, ITEMS, i);
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
    patterns_write();
    patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_check(clEnqueueReadBuffer(w.queue, w.out, CL_FALSE, 0, BYTES, w.to, 0, NULL, &event),
                   "clEnqueueReadBuffer");
    patterns_check(clSetEventCallback(event, CL_COMPLETE, count_call, NULL), "clSetEventCallback");
    patterns_check(clFinish(w.queue), "clFinish");
    while (called == before)
        ;
    clReleaseEvent(event);
    patterns_look(w.to, 0, ITEMS, i);
}

static void image(unsigned i)
{
    static cl_mem picture;
    const size_t origin[3] = {0}, region[] = {WIDTH, WIDTH, 1};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = WIDTH};
    cl_int err = CL_SUCCESS;
    if (!w.sample)
        patterns_none("no images");
    if (!picture)
        picture = clCreateImage(w.context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
    if (err == CL_IMAGE_FORMAT_NOT_SUPPORTED || err == CL_INVALID_OPERATION)
        patterns_none("no such images");
    patterns_check(err, "clCreateImage");
    patterns_check(clEnqueueWriteImage(w.queue, picture, CL_TRUE, origin, region, 0, 0, w.from, 0, NULL, NULL),
                   "clEnqueueWriteImage");
    patterns_launch(w.queue, w.sample, picture, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_read(w.out, 0, BYTES);
    patterns_look(w.to, 0, ITEMS, i);
}

static void shared_memory(unsigned i)
{
    static unsigned *a, *b;
    cl_device_svm_capabilities can = 0;
    const size_t items = ITEMS, group = GROUP;
    if (!a) {
        clGetDeviceInfo(w.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL);
        if (!(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
            patterns_none("no shared virtual memory");
        a = clSVMAlloc(w.context, CL_MEM_READ_WRITE, BYTES, 0);
        b = clSVMAlloc(w.context, CL_MEM_READ_WRITE, BYTES, 0);
        patterns_check(a && b ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "clSVMAlloc");
    }
    patterns_check(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_WRITE, a, BYTES, 0, NULL, NULL), "clEnqueueSVMMap");
    memcpy(a, w.from, BYTES);
    patterns_check(clEnqueueSVMUnmap(w.queue, a, 0, NULL, NULL), "clEnqueueSVMUnmap");
    patterns_check(clSetKernelArgSVMPointer(w.step, 0, a), "clSetKernelArgSVMPointer");
    patterns_check(clSetKernelArgSVMPointer(w.step, 1, b), "clSetKernelArgSVMPointer");
    patterns_check(clSetKernelArg(w.step, 2, sizeof i, &i), "clSetKernelArg");
    patterns_check(clEnqueueNDRangeKernel(w.queue, w.step, 1, NULL, &items, &group, 0, NULL, NULL),
                   "clEnqueueNDRangeKernel");
    patterns_check(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL), "clEnqueueSVMMap");
    patterns_look(b, 0, ITEMS, i);
    patterns_check(clEnqueueSVMUnmap(w.queue, b, 0, NULL, NULL), "clEnqueueSVMUnmap");
    patterns_check(clFinish(w.queue), "clFinish");
}

const struct patterns_pattern patterns[] = {
    {"write_read", "write, launch, read", write_read},
    {"zeros_first", "results into memory that a buffer's zeros came from", zeros_first},
    {"not_blocking", "the same without waiting, then for the last event", not_blocking},
    {"mapped", "input and results through maps", mapped},
    {"host_memory", "buffers over the program's memory", host_memory},
    {"new_buffers", "buffers made with their content, and released", new_buffers},
    {"flag_each", "20 launches, a word read after each", patterns_flag_each},
    {"fill_and_copy", "a fill before the launch, a copy after it", fill_and_copy},
    {"rectangles", "halves of rows, by rectangles", rectangles},
    {"sub_buffers", "16 sub-buffers, a launch each", sub_buffers},
    {"short_launches", "64 of them, half a millisecond each", short_launches},
    {"range_again", "20 launches that loop over the range again and again", patterns_range_again},
    {"two_queues", "write, launch and read on two queues, by events", two_queues},
    {"out_of_order", "16 times write, launch, read out of order", out_of_order},
    {"callback", "told by a callback", callback},
    {"image", "an image sampled", image},
    {"shared_memory", "coarse-grained shared virtual memory", shared_memory},
    {"two_threads", "two threads with queues of their own", patterns_two_threads},
    {"small_launches", "1,000 launches of a work-group", patterns_small_launches},
    {"many_callbacks", "1,000 of them, a callback for each", patterns_many_callbacks},
    {"one_group_each", "20 launches of a work-group, a millisecond each", patterns_one_group_each},
    {"one_group_chain", "the same, each of the last one's result", patterns_one_group_chain},
    {"new_program", "a program built for each launch", patterns_new_program},
};
const unsigned patterns_n = sizeof patterns / sizeof *patterns;
