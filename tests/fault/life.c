#include "tests/fault/life.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 512, BYTES = 4 * N };

static const char source[] = "kernel void copy(global const uint *in, global uint *out) {}\n"
                             "kernel void fill(global int *a, int v) {}\n"
                             "kernel void add(global const int *a, global int *b) {}\n"
                             "kernel void whole_ids(global uint *a) {}\n"
                             "kernel void vadd(global const float *a, global const float *b, global float *c) {}\n";

unsigned life_pause_ms;
static struct life *life;
static const cl_int *injected;

/* All objects of the program; NULL: not there. */
static struct {
    cl_context context;
    cl_command_queue queue, other;
    cl_program program;
    cl_kernel copy, fill, add, ids, vadd;
    cl_mem a, b, c, host, window;
    cl_event event;
} o;

static int32_t app_memory[N] __attribute__((aligned(4096)));

static bool one_of(cl_int code, const cl_int *list)
{
    for (; *list; list++)
        if (*list == code)
            return true;
    return false;
}

/* What the specification allows where nothing is wrong with the call itself. */
static bool allowed(const char *call, cl_int code)
{
    static const struct {
        const char *call; /* begins with this */
        cl_int code[6];
    } more[] = {{"clGetPlatformIDs", {-1001, 0}},
                {"clGetDeviceIDs", {CL_DEVICE_NOT_FOUND, 0}},
                {"clCreateContext", {CL_DEVICE_NOT_AVAILABLE, 0}},
                {"clCreateBuffer", {CL_MEM_OBJECT_ALLOCATION_FAILURE, 0}},
                {"clCreateSubBuffer", {CL_MEM_OBJECT_ALLOCATION_FAILURE, 0}},
                {"clBuildProgram", {CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE, 0}},
                {"clEnqueueMapBuffer", {CL_MAP_FAILURE, 0}},
                {"clEnqueue", {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 0}},
                {"clWaitForEvents", {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 0}}};
    if (code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY)
        return true;
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        if (!strncmp(call, more[i].call, strlen(more[i].call)) && one_of(code, more[i].code))
            return true;
    return code == injected[0] || code == injected[1];
}

/* The first error ends the program's work. */
static bool ok(const char *call, cl_int code)
{
    if (code == CL_SUCCESS)
        return true;
    snprintf(life->call, sizeof life->call, "%.*s", (int)strcspn(call, "("), call);
    life->code = code;
    life->end = code < 0 && allowed(call, code) ? LIFE_TOLD : LIFE_BAD_CODE;
    return false;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (!ok(#call, (call)))                                                                                        \
            return false;                                                                                              \
    } while (0)
#define MAKE(to, call)                                                                                                 \
    do {                                                                                                               \
        cl_int err = CL_SUCCESS;                                                                                       \
        (to) = call;                                                                                                   \
        if (!ok(#call, err))                                                                                           \
            return false;                                                                                              \
        if (!(to))                                                                                                     \
            return ok(#call, 1);                                                                                       \
    } while (0)

#define READ(from, to)                                                                                                 \
    do {                                                                                                               \
        usleep(life_pause_ms * 1000);                                                                                  \
        TRY(clEnqueueReadBuffer(o.queue, from, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));                                 \
    } while (0)

static bool same(const char *what, const int32_t *got, int32_t (*want)(int32_t i))
{
    for (int32_t i = 0; i < N; i++)
        if (got[i] != want(i)) {
            snprintf(life->call, sizeof life->call, "%s[%d]=%d, not %d", what, i, got[i], want(i));
            life->end = LIFE_WRONG;
            return false;
        }
    return true;
}

static bool set(cl_kernel k, cl_uint i, cl_mem m)
{
    TRY(clSetKernelArg(k, i, sizeof m, &m));
    return true;
}

static bool launch(cl_command_queue q, cl_kernel k, cl_event *e)
{
    size_t global = N, local = 32;
    TRY(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, e));
    return true;
}

static bool prepare(void)
{
    cl_platform_id platform;
    cl_device_id device;
    static const char *text = source;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    MAKE(o.context, clCreateContext(NULL, 1, &device, NULL, NULL, &err));
    MAKE(o.queue, clCreateCommandQueue(o.context, device, 0, &err));
    MAKE(o.other, clCreateCommandQueue(o.context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err));
    MAKE(o.program, clCreateProgramWithSource(o.context, 1, &text, NULL, &err));
    TRY(clBuildProgram(o.program, 1, &device, "", NULL, NULL));
    MAKE(o.copy, clCreateKernel(o.program, "copy", &err));
    MAKE(o.fill, clCreateKernel(o.program, "fill", &err));
    MAKE(o.add, clCreateKernel(o.program, "add", &err));
    MAKE(o.ids, clCreateKernel(o.program, "whole_ids", &err));
    MAKE(o.vadd, clCreateKernel(o.program, "vadd", &err));
    MAKE(o.a, clCreateBuffer(o.context, CL_MEM_READ_WRITE, BYTES, NULL, &err));
    MAKE(o.b, clCreateBuffer(o.context, CL_MEM_READ_WRITE, BYTES, NULL, &err));
    for (int i = 0; i < N; i++)
        app_memory[i] = 5 * i;
    MAKE(o.c, clCreateBuffer(o.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, app_memory, &err));
    MAKE(o.host, clCreateBuffer(o.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, app_memory, &err));
    cl_buffer_region region = {0, BYTES / 2};
    MAKE(o.window, clCreateSubBuffer(o.a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    return true;
}

static int32_t seven(int32_t i)
{
    return 7 + i;
}

static int32_t eighty(int32_t i)
{
    return i < N / 2 ? 80 + i : 7 + i;
}

static int32_t five(int32_t i)
{
    return 5 * i;
}

static int32_t hundred(int32_t i)
{
    return i < 16 ? 100 : eighty(i);
}

static int32_t sum(int32_t i)
{
    return hundred(i) + 2 * five(i);
}

/* Launches without events, then a blocking read; with an event that is waited for; a window; a variant. */
static bool compute(void)
{
    static int32_t out[N]; /* static: where a call fails, a transfer may still be under way */
    int32_t v = 7;
    if (!set(o.fill, 0, o.a))
        return false;
    TRY(clSetKernelArg(o.fill, 1, sizeof v, &v));
    if (!launch(o.queue, o.fill, NULL) || !set(o.copy, 0, o.a) || !set(o.copy, 1, o.b) ||
        !launch(o.queue, o.copy, NULL))
        return false;
    READ(o.b, out);
    if (!same("copy", out, seven))
        return false;
    v = 80;
    size_t half = N / 2, local = 32;
    if (!set(o.fill, 0, o.window))
        return false;
    TRY(clSetKernelArg(o.fill, 1, sizeof v, &v));
    TRY(clEnqueueNDRangeKernel(o.queue, o.fill, 1, NULL, &half, &local, 0, NULL, &o.event));
    TRY(clWaitForEvents(1, &o.event));
    cl_int status = 1;
    TRY(clGetEventInfo(o.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    if (status != CL_COMPLETE)
        return ok("clGetEventInfo", status < 0 ? CL_OUT_OF_RESOURCES : 1);
    TRY(clReleaseEvent(o.event));
    o.event = NULL;
    TRY(clFinish(o.queue));
    READ(o.a, out);
    return same("window", out, eighty);
}

/* Floats, a kernel that needs a variant, another queue, memory of the program's own, a copy, a fill, a rectangle, maps.
 */
static bool move(void)
{
    static int32_t out[N];
    static float three[N];
    const size_t zero[3] = {0, 0, 0}, region[3] = {64, 2, 1};
    if (!set(o.vadd, 0, o.c) || !set(o.vadd, 1, o.c) || !set(o.vadd, 2, o.b) || !launch(o.other, o.vadd, &o.event))
        return false;
    TRY(clFlush(o.other));
    TRY(clEnqueueReadBuffer(o.other, o.b, CL_FALSE, 0, BYTES, three, 1, &o.event, NULL));
    TRY(clFinish(o.other));
    TRY(clWaitForEvents(1, &o.event));
    TRY(clReleaseEvent(o.event));
    o.event = NULL;
    float twice;
    int32_t bits = five(100);
    memcpy(&twice, &bits, sizeof twice);
    twice += twice;
    if (memcmp(&twice, &three[100], sizeof twice)) {
        snprintf(life->call, sizeof life->call, "vadd");
        life->end = LIFE_WRONG;
        return false;
    }
    if (!set(o.ids, 0, o.b) || !launch(o.queue, o.ids, NULL))
        return false;
    READ(o.b, out);
    if ((uint32_t)out[33] != (1001u ^ 16u << 20 ^ (uint32_t)N << 8)) {
        snprintf(life->call, sizeof life->call, "ids[33]=%x", (unsigned)out[33]);
        life->end = LIFE_WRONG;
        return false;
    }
    int32_t hundreds = 100;
    TRY(clEnqueueFillBuffer(o.queue, o.a, &hundreds, sizeof hundreds, 0, 64, 0, NULL, NULL));
    TRY(clEnqueueCopyBuffer(o.queue, o.a, o.b, 0, 0, BYTES, 0, NULL, NULL));
    if (!set(o.copy, 0, o.b) || !set(o.copy, 1, o.host) || !launch(o.queue, o.copy, NULL))
        return false;
    void *p;
    MAKE(p, clEnqueueMapBuffer(o.queue, o.host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err));
    bool right = same("map", p, hundred);
    TRY(clEnqueueUnmapMemObject(o.queue, o.host, p, 0, NULL, NULL));
    if (!right)
        return false;
    memset(out, 0, sizeof out);
    TRY(clEnqueueReadBufferRect(o.queue, o.b, CL_TRUE, zero, zero, region, 0, 0, 0, 0, out, 0, NULL, NULL));
    if (out[31] != hundred(31) || out[32] || out[0] != 100) {
        snprintf(life->call, sizeof life->call, "rect: %d %d %d", out[0], out[31], out[32]);
        life->end = LIFE_WRONG;
        return false;
    }
    TRY(clEnqueueWriteBuffer(o.queue, o.b, CL_FALSE, 0, 64, out, 0, NULL, NULL));
    TRY(clFinish(o.queue));
    return true;
}

static bool overwrite(void)
{
    static int32_t out[N];
    if (!set(o.add, 0, o.c) || !set(o.add, 1, o.a) || !launch(o.queue, o.add, NULL) || !launch(o.queue, o.add, NULL))
        return false;
    READ(o.a, out);
    return same("add", out, sum);
}

#define DROP(what, x)                                                                                                  \
    if (x)                                                                                                             \
    clRelease##what(x)

static void release(void)
{
    DROP(Event, o.event);
    DROP(MemObject, o.window);
    DROP(MemObject, o.a);
    DROP(MemObject, o.b);
    DROP(MemObject, o.c);
    DROP(MemObject, o.host);
    DROP(Kernel, o.copy);
    DROP(Kernel, o.fill);
    DROP(Kernel, o.add);
    DROP(Kernel, o.ids);
    DROP(Kernel, o.vadd);
    DROP(Program, o.program);
    DROP(CommandQueue, o.queue);
    DROP(CommandQueue, o.other);
    DROP(Context, o.context);
}

/* A function of the stub, which is loaded by now, or never was. */
static void *of_stub(const char *name)
{
    void *stub = dlopen(YK_STUB_PATH, RTLD_LAZY | RTLD_NOLOAD), *fn = stub ? dlsym(stub, name) : NULL;
    if (stub)
        dlclose(stub);
    return fn;
}

void life_run(struct life *l, bool in_place, const cl_int codes[2])
{
    life = l;
    injected = codes;
    if (prepare() && compute() && move() && (!in_place || overwrite()))
        l->end = LIFE_RIGHT;
    release();
    long (*live)(void) = (long (*)(void))of_stub("stub_live");
    for (int i = 0; i < 2000 && live && (l->left = live()); i++) /* background work lets go */
        usleep(i < 100 ? 100 : 1000);
    if (l->left && (l->end == LIFE_RIGHT || l->end == LIFE_TOLD))
        l->end = LIFE_LEAK;
    unsigned (*fired)(void) = (unsigned (*)(void))of_stub("stub_fired");
    if (fired)
        l->fired = fired();
}
