/* Sequences of entry points, at random, over the stub: good arguments, NULL, live handles of the wrong kind, sizes at
 * the edges. Nothing may crash or hang, and when all is released no real object is left. Each sequence is a process of
 * its own; a bad one can be run again by its number.
 *
 *     fuzz_entries SECONDS [FIRST]     as many sequences as fit, from number FIRST (default 1)
 *     fuzz_entries = NUMBER            that one, in this process */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 120, EACH = 8, BYTES = 8192, LIMIT_S = 20 };
enum kind { CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, KINDS };

static const char source[] = "kernel void vadd(global const float *a, global const float *b, global float *c) {}\n"
                             "kernel void iota(global uint *out) {}\n"
                             "kernel void scale_inplace(global float *a, float f) {}\n"
                             "kernel void copy(global const uint *in, global uint *out) {}\n"
                             "kernel void fill(global int *a, int v) {}\n"
                             "kernel void add(global const int *a, global int *b) {}\n"
                             "kernel void whole_ids(global uint *a) {}\n"
                             "kernel void set_flag(global const uint *in, global uint *flag) {}\n"
                             "kernel void count_up(global uint *n) {}\n"
                             "kernel void nothing(void) {}\n";

static uint64_t state;
static cl_platform_id platform;
static cl_device_id device;
static void *object[KINDS][EACH];
static cl_event gate[EACH]; /* user events whose status is not set: also among the events */
static struct {
    void *p;
    cl_mem mem;
    cl_event done; /* of the mapping, held: its queue may be released meanwhile */
} mapped[EACH];
static unsigned char host[BYTES] __attribute__((aligned(4096)));
static long ok_calls, *shared_ok;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* An object, mostly of KIND, NULL, or one of another kind. */
static void *any(enum kind kind)
{
    uint32_t r = below(40);
    if (r == 0)
        return NULL;
    return object[r == 1 ? (enum kind)below(KINDS) : kind][below(EACH)];
}

static size_t edge(void)
{
    static const size_t sizes[] = {0,
                                   1,
                                   3,
                                   4,
                                   64,
                                   100,
                                   128,
                                   255,
                                   256,
                                   1024,
                                   4096,
                                   4097,
                                   8000,
                                   8191,
                                   8192,
                                   1 << 20,
                                   SIZE_MAX,
                                   SIZE_MAX - 64,
                                   SIZE_MAX / 2 + 1};
    return below(3) ? (size_t)below(BYTES / 128) * 64 : sizes[below(sizeof sizes / sizeof *sizes)];
}

static void release(enum kind kind, void *o)
{
    if (!o)
        return;
    switch (kind) {
    case CONTEXT:
        clReleaseContext(o);
        break;
    case QUEUE:
        clReleaseCommandQueue(o);
        break;
    case MEM:
        clReleaseMemObject(o);
        break;
    case PROGRAM:
        clReleaseProgram(o);
        break;
    case KERNEL:
        clReleaseKernel(o);
        break;
    default:
        clReleaseEvent(o);
    }
}

static void drop_maps_of(cl_mem m)
{
    for (int i = 0; i < EACH; i++)
        if (mapped[i].mem == m && mapped[i].p) {
            mapped[i].p = NULL;
            clReleaseEvent(mapped[i].done);
        }
}

/* Put a new object into a slot; kernels do not retain their arguments, so memory is let go of only with its kernels. */
static void put(enum kind kind, void *o)
{
    unsigned i = below(EACH);
    if (!o)
        return;
    if (kind == MEM)
        for (unsigned k = 0; object[MEM][i] && k < EACH; k++) {
            release(KERNEL, object[KERNEL][k]);
            object[KERNEL][k] = NULL;
        }
    if (kind == MEM)
        drop_maps_of(object[MEM][i]);
    release(kind, object[kind][i]);
    object[kind][i] = o;
}

/* Before anything that waits: what it may wait for is set and handed to its device, as the specification asks of
 * programs. */
static void open_gates(void)
{
    for (int i = 0; i < EACH; i++)
        if (gate[i]) {
            clSetUserEventStatus(gate[i], below(4) ? CL_COMPLETE : -(cl_int)(1 + below(60)));
            clReleaseEvent(gate[i]);
            gate[i] = NULL;
        }
    for (int i = 0; i < EACH; i++)
        if (object[QUEUE][i])
            clFlush(object[QUEUE][i]);
}

static void finish_all(void)
{
    open_gates();
    for (int i = 0; i < EACH; i++)
        if (object[QUEUE][i])
            clFinish(object[QUEUE][i]);
}

static cl_uint wait_list(cl_event *list)
{
    cl_uint n = below(3) ? 0 : 1 + below(3);
    for (cl_uint i = 0; i < n; i++)
        list[i] = any(EVENT);
    return n;
}

static void create(void)
{
    cl_int err;
    const char *text = source;
    static const char *const names[] = {"vadd", "iota",      "scale_inplace", "copy",     "fill",    "add",  "fill",
                                        "copy", "whole_ids", "set_flag",      "count_up", "nothing", "none", ""};
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
        if (region.size >= BYTES / 2)
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
        put(KERNEL, clCreateKernel(any(PROGRAM), names[below(sizeof names / sizeof *names)], &err));
    }
}

static void set_argument(void)
{
    void *m = object[MEM][below(EACH)];
    cl_int v = (cl_int)below(1000);
    cl_kernel k = any(KERNEL);
    if (below(3))
        clSetKernelArg(k, below(4), sizeof m, m ? &m : NULL);
    else
        clSetKernelArg(k, below(4), below(10) ? sizeof v : below(8), below(10) ? &v : NULL);
}

static void launch(void)
{
    static const size_t few[] = {0, 1, 7, 32, 64, 100, 128, 256}, some[] = {1, 2, 8, 16, 3};
    cl_event wait[4], e = NULL;
    cl_uint n = wait_list(wait), dims = below(20) ? 1 + below(3) : below(5);
    size_t global[4], local[4], offset[4];
    for (int i = 0; i < 4; i++) {
        global[i] = dims > 1 ? few[below(4)] : few[below(8)];
        local[i] = some[below(5)];
        offset[i] = below(4) * 128;
    }
    cl_int err =
        clEnqueueNDRangeKernel(any(QUEUE), any(KERNEL), dims, below(3) ? NULL : offset, below(30) ? global : NULL,
                               below(3) ? local : NULL, n, n ? wait : NULL, below(2) ? &e : NULL);
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS)
        put(EVENT, e);
}

static void transfer(void)
{
    cl_event wait[4], e = NULL, *out = below(2) ? &e : NULL;
    cl_uint n = wait_list(wait);
    cl_bool blocking = below(3) == 0;
    const cl_event *w = n ? wait : NULL;
    cl_command_queue q = any(QUEUE);
    cl_mem m = any(MEM), to = any(MEM);
    size_t origin[3] = {edge(), below(3), below(2)}, zero[3] = {0, 0, 0}, region[3] = {1 + below(64), 1 + below(8), 1};
    cl_int err;
    if (blocking)
        open_gates();
    switch (below(8)) {
    case 0:
        err = clEnqueueReadBuffer(q, m, blocking, edge(), edge(), below(20) ? host : NULL, n, w, out);
        break;
    case 1:
        err = clEnqueueWriteBuffer(q, m, blocking, edge(), edge(), host, n, w, out);
        break;
    case 2:
        err = clEnqueueCopyBuffer(q, m, to, edge(), edge(), edge(), n, w, out);
        break;
    case 3:
        err = clEnqueueFillBuffer(q, m, host, (size_t)1 << below(9), edge(), edge(), n, w, out);
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

static void map(void)
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
    mapped[i].mem = m;
    mapped[i].p = clEnqueueMapBuffer(any(QUEUE), m, blocking, below(8), edge(), edge(), n, n ? wait : NULL, &e, &err);
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS) {
        clRetainEvent(e);
        mapped[i].done = e;
        put(EVENT, e);
    }
}

static void synchronise(void)
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
    case 4: {
        unsigned i = below(EACH);
        cl_context c = any(CONTEXT);
        if (gate[i])
            return;
        gate[i] = clCreateUserEvent(c, &err);
        if (gate[i] && clRetainEvent(gate[i]) == CL_SUCCESS)
            put(EVENT, gate[i]);
        return;
    }
    case 5:
        open_gates();
        return;
    default: {
        cl_int status;
        clGetEventInfo(any(EVENT), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        return;
    }
    }
    if (err == CL_SUCCESS)
        put(EVENT, e);
}

static void query(void)
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

static void sequence(uint64_t number)
{
    cl_int err;
    static const char *const devices[] = {"cpu", "gpu,gpu", "cpu,gpu", "cpu,cpu", "gpu,cpu,accelerator"};
    state = number * 0x9e3779b97f4a7c15u;
    setenv("YOKE_STUB_DEVICES", devices[below(5)], 1);
    if (below(4))
        setenv("YOKE_FORCE_SPLIT", "1", 1);
    setenv("YOKE_STRATEGY", below(2) ? "even" : "linear", 1);
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    for (int i = 0; i < 2; i++) {
        object[CONTEXT][i] = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        const char *text = source;
        object[PROGRAM][i] = clCreateProgramWithSource(object[CONTEXT][i], 1, &text, NULL, &err);
        clBuildProgram(object[PROGRAM][i], 1, &device, "", NULL, NULL);
        object[QUEUE][2 * i] = clCreateCommandQueue(object[CONTEXT][i], device, 0, &err);
        object[QUEUE][2 * i + 1] = clCreateCommandQueue(
            object[CONTEXT][i], device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, &err);
    }
    for (int i = 1; i < EACH; i++) /* nearly all in one context, or few calls would fit together */
        if (!object[CONTEXT][i] && clRetainContext(object[CONTEXT][0]) == CL_SUCCESS)
            object[CONTEXT][i] = object[CONTEXT][0];
    for (int i = 0; i < EACH; i++)
        object[MEM][i] = clCreateBuffer(object[CONTEXT][0], 0, BYTES, NULL, &err);
    for (int i = 0; i < CALLS; i++) {
        static void (*const step[])(void) = {create,   set_argument, set_argument, launch, launch, launch,
                                             transfer, transfer,     synchronise,  query,  map};
        step[below(sizeof step / sizeof *step)]();
    }
    finish_all();
    for (int i = 0; i < EACH; i++)
        if (mapped[i].p) {
            mapped_now(i);
            clEnqueueUnmapMemObject(object[QUEUE][0], mapped[i].mem, mapped[i].p, 0, NULL, NULL);
            clReleaseEvent(mapped[i].done);
        }
    finish_all();
    for (int kind = KINDS - 1; kind >= 0; kind--)
        for (int i = 0; i < EACH; i++)
            release((enum kind)kind, object[kind][i]);
    void *stub = dlopen(YK_STUB_PATH, RTLD_LAZY | RTLD_NOLOAD);
    long (*live)(void) = stub ? (long (*)(void))dlsym(stub, "stub_live") : NULL, left = live ? 1 : -1;
    for (int i = 0; i < 5000 && live && (left = live()); i++)
        usleep(1000);
    if (left) {
        fprintf(stderr, "sequence %llu: %ld real objects are left\n", (unsigned long long)number, left);
        exit(3);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_entries SECONDS [FIRST] | fuzz_entries = NUMBER\n");
        return 2;
    }
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    setenv("YOKE_TRANSFORM", YK_STUB_TRANSFORM, 0);
    setenv("YOKE_LOG", "error", 0);
    setenv("YOKE_NUMERICS", "any", 0);
    shared_ok = mmap(NULL, sizeof *shared_ok, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!strcmp(argv[1], "=") && argc > 2) {
        sequence(strtoull(argv[2], NULL, 10));
        return 0;
    }
    time_t end = time(NULL) + strtol(argv[1], NULL, 10);
    unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, n = first;
    unsigned bad = 0;
    for (; time(NULL) < end && bad < 10; n++) {
        int status;
        fflush(NULL);
        pid_t pid = fork();
        if (pid < 0) {
            perror("fork");
            return 2;
        }
        if (!pid) {
            alarm(LIMIT_S);
            sequence(n);
            __atomic_add_fetch(shared_ok, ok_calls, __ATOMIC_RELAXED);
            exit(0);
        }
        waitpid(pid, &status, 0);
        if (status) {
            bad++;
            fprintf(stderr, "sequence %llu: %s\n", n,
                    !WIFSIGNALED(status)          ? "ended badly"
                    : WTERMSIG(status) == SIGALRM ? "hung"
                                                  : strsignal(WTERMSIG(status)));
        }
    }
    printf("%llu sequences, %ld commands taken, %u bad\n", n - first, *shared_ok, bad);
    return bad || *shared_ok == 0;
}
