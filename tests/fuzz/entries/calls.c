/* One random call each, with arguments good and bad. */
#include <string.h>
#include "tests/fuzz/entries/objects.h"

static cl_uint wait_list(cl_event *list)
{
    cl_uint n = below(3) ? 0 : 1 + below(3);
    for (cl_uint i = 0; i < n; i++)
        list[i] = any(EVENT);
    return n;
}

void create(void)
{
    cl_int err;
    const char *text = source;
    cl_buffer_region region = {edge(), below(2) ? BYTES / 2 : edge()};
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_READ_WRITE,
                                         CL_MEM_USE_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_WRITE_ONLY,
                                         CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         1 << 30};
    cl_mem_flags f = flags[below(sizeof flags / sizeof *flags)];
    f &= orderly ? ~(cl_mem_flags)CL_MEM_USE_HOST_PTR : ~(cl_mem_flags)0;
    bool with_host = below(10) ? f & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) : below(2);
    switch (below(7)) {
    case 0:
        put(QUEUE, clCreateCommandQueue(any(CONTEXT), below(20) ? device : NULL, below(4), &err));
        break;
    case 1:
    case 2:
        put(MEM, clCreateBuffer(any(CONTEXT), f, below(10) ? BYTES : 0, with_host ? host : NULL, &err));
        break;
    case 3:
        /* Half a buffer at least, so that kernels stay inside. */
        if (region.size >= BYTES / 2 && !orderly)
            put(MEM, clCreateSubBuffer(any(MEM), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
        break;
    case 4:
        if (below(4) == 0)
            put(PROGRAM, clCreateProgramWithSource(any(CONTEXT), 1, &text, NULL, &err));
        break;
    case 5:
        clBuildProgram(any(PROGRAM), 1, &device, below(2) ? "" : NULL, NULL, NULL);
        break;
    default:
        put(KERNEL, clCreateKernel(any(PROGRAM), names[below(NAMES)], &err));
    }
}

void set_argument(void)
{
    void *m = object[MEM][below(EACH)];
    cl_int v = (cl_int)below(1000);
    cl_kernel k = any(KERNEL);
    if (below(3))
        clSetKernelArg(k, below(4), sizeof m, m ? &m : NULL);
    else
        clSetKernelArg(k, below(4), below(10) ? sizeof v : below(8), below(10) ? &v : NULL);
}

/* A slot with a buffer that kernels may have all of; NULL: that one has none. */
static cl_mem buffer(void)
{
    size_t size = 0;
    cl_mem m = object[MEM][below(EACH)];
    return m && clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS && size >= BYTES / 2 ? m
                                                                                                                : NULL;
}

cl_kernel arranged(void)
{
    static const struct {
        const char *name;
        unsigned buffers;
        bool value;
    } form[] = {{"vadd", 3, false},     {"iota", 1, false},   {"scale_inplace", 1, true}, {"copy", 2, false},
                {"fill", 1, true},      {"add", 2, false},    {"whole_ids", 1, false},    {"set_flag", 2, false},
                {"count_up", 1, false}, {"nothing", 0, false}};
    char name[64] = "";
    cl_kernel k = any(KERNEL);
    cl_int v = (cl_int)below(1000);
    if (below(5) == 0 || clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) != CL_SUCCESS)
        return k;
    for (unsigned f = 0; f < sizeof form / sizeof *form; f++)
        for (unsigned i = 0; !strcmp(name, form[f].name) && i < form[f].buffers + form[f].value; i++) {
            cl_mem m = i < form[f].buffers ? buffer() : NULL;
            if (i >= form[f].buffers)
                clSetKernelArg(k, i, sizeof v, &v);
            else if (m)
                clSetKernelArg(k, i, sizeof m, &m);
        }
    return k;
}

void launch(void)
{
    static const size_t few[] = {0, 1, 7, 32, 64, 100, 128, 256}, some[] = {1, 2, 8, 16, 3};
    cl_event wait[4], e = NULL;
    cl_uint n = wait_list(wait), dims = orderly ? 1 : below(20) ? 1 + below(3) : below(5);
    size_t global[4], local[4], offset[4];
    for (int i = 0; i < 4; i++) {
        global[i] = dims > 1 ? few[below(4)] : few[below(8)];
        local[i] = some[below(5)];
        if (global[i] % local[i] && below(4))
            local[i] = 1;
        offset[i] = below(4) * 128;
    }
    cl_int err =
        clEnqueueNDRangeKernel(any(QUEUE), arranged(), dims, below(3) ? NULL : offset, below(30) ? global : NULL,
                               below(3) ? local : NULL, n, n ? wait : NULL, below(2) ? &e : NULL);
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS)
        put(EVENT, e);
}

void transfer(void)
{
    cl_event wait[4], e = NULL, *out = below(2) ? &e : NULL;
    cl_uint n = wait_list(wait);
    cl_bool blocking = below(3) == 0;
    const cl_event *w = n ? wait : NULL;
    cl_command_queue q = any(QUEUE);
    cl_mem m = any(MEM), to = any(MEM);
    size_t origin[3] = {edge(), below(3), below(2)}, zero[3] = {0, 0, 0}, region[3] = {1 + below(64), 1 + below(8), 1};
    size_t offset, size, there, there_size;
    cl_int err;
    part_of(m, &offset, &size);
    part_of(to, &there, &there_size);
    if (below(8))
        size = size < there_size ? size : there_size;
    if (blocking)
        open_gates();
    switch (below(8)) {
    case 0:
        err = clEnqueueReadBuffer(q, m, blocking, offset, size, below(20) ? host : NULL, n, w, out);
        break;
    case 1:
        err = clEnqueueWriteBuffer(q, m, blocking, offset, size, host, n, w, out);
        break;
    case 2:
        err = clEnqueueCopyBuffer(q, m, to, offset, there, size, n, w, out);
        break;
    case 3:
        err = clEnqueueFillBuffer(q, m, host, (size_t)1 << below(8), offset, size, n, w, out);
        break;
    case 4:
        err = clEnqueueReadBufferRect(q, m, blocking, origin, zero, region, below(2) ? 0 : edge(), 0, 0, 0, host, n, w,
                                      out);
        break;
    case 5:
        err = clEnqueueWriteBufferRect(q, m, blocking, origin, zero, region, below(2) ? 0 : edge(), 0, 0, 0, host, n, w,
                                       out);
        break;
    case 6:
        err = clEnqueueCopyBufferRect(q, m, to, origin, zero, region, 0, 0, 0, 0, n, w, out);
        break;
    default:
        err = clEnqueueMigrateMemObjects(q, 1, &m, below(4), n, w, out);
    }
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS)
        put(EVENT, e);
}

static void mapped_now(unsigned i)
{
    finish_all();
    clWaitForEvents(1, &mapped[i].done);
}

void map(void)
{
    cl_event wait[4], e = NULL;
    cl_uint n = wait_list(wait), i = below(EACH);
    cl_int err;
    cl_bool blocking = below(2);
    if (blocking)
        open_gates();
    if (mapped[i].p) {
        mapped_now(i); /* unmapping what is not mapped yet would be the program's fault */
        err = clEnqueueUnmapMemObject(any(QUEUE), mapped[i].mem, mapped[i].p, n, n ? wait : NULL, &e);
        if (err == CL_SUCCESS) {
            mapped[i].p = NULL;
            clReleaseEvent(mapped[i].done);
            put(EVENT, e);
        }
        return;
    }
    cl_mem m = any(MEM);
    size_t offset, size;
    part_of(m, &offset, &size);
    mapped[i].mem = m;
    mapped[i].p = clEnqueueMapBuffer(any(QUEUE), m, blocking, below(8), offset, size, n, n ? wait : NULL, &e, &err);
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS) {
        clRetainEvent(e);
        mapped[i].done = e;
        put(EVENT, e);
    }
}

void unmap_all(void)
{
    for (int i = 0; i < EACH; i++)
        if (mapped[i].p) {
            mapped_now(i);
            clEnqueueUnmapMemObject(object[QUEUE][0], mapped[i].mem, mapped[i].p, 0, NULL, NULL);
            clReleaseEvent(mapped[i].done);
        }
}

void synchronise(void)
{
    cl_event wait[4], e = NULL;
    cl_uint n = wait_list(wait);
    cl_int err = 1;
    switch (below(7)) {
    case 0:
        open_gates();
        clFinish(any(QUEUE));
        return;
    case 1:
        clFlush(any(QUEUE));
        return;
    case 2:
        err = clEnqueueMarkerWithWaitList(any(QUEUE), n, n ? wait : NULL, &e);
        break;
    case 3:
        err = clEnqueueBarrierWithWaitList(any(QUEUE), n, n ? wait : NULL, &e);
        break;
    case 4:
        make_gate();
        return;
    case 5:
        open_gates();
        return;
    default: {
        cl_int status;
        clGetEventInfo(any(EVENT), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        return;
    }
    }
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS)
        put(EVENT, e);
}

void query(void)
{
    unsigned char text[256];
    size_t n, room = below(2) ? sizeof text : below(16);
    void *to = below(4) ? text : NULL;
    switch (below(7)) {
    case 0:
        clGetContextInfo(any(CONTEXT), CL_CONTEXT_REFERENCE_COUNT + below(6), room, to, &n);
        break;
    case 1:
        clGetCommandQueueInfo(any(QUEUE), CL_QUEUE_CONTEXT + below(8), room, to, &n);
        break;
    case 2:
        clGetMemObjectInfo(any(MEM), CL_MEM_TYPE + below(12), room, to, &n);
        break;
    case 3:
        clGetProgramInfo(any(PROGRAM), CL_PROGRAM_REFERENCE_COUNT + below(5), room, to, &n);
        break;
    case 4:
        clGetKernelInfo(any(KERNEL), CL_KERNEL_FUNCTION_NAME + below(7), room, to, &n);
        break;
    case 5:
        clGetEventProfilingInfo(any(EVENT), CL_PROFILING_COMMAND_QUEUED + below(6), room, to, &n);
        break;
    default:
        clGetDeviceInfo(below(10) ? device : NULL, CL_DEVICE_TYPE + below(120), room, to, &n);
    }
}
