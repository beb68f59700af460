/* Many threads: thousands that launch, and a few that call everything at once on the same objects. */
#include <pthread.h>
#include <stdbool.h>
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

enum { N = 128, QUEUES = 16, LAUNCHES = 10, MOST = 4000 };

static struct shim s;
static cl_command_queue queue[QUEUES];
static pthread_barrier_t all_there;

static bool few(void)
{
    return SANITIZED || getenv("YOKE_TEST_FEW"); /* valgrind has threads take turns, and bears some hundred */
}

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

/* A kernel and a buffer of its own, one of the shared queues; each launch adds the thread's number. */
static void *ten_launches(void *arg)
{
    cl_int number = (cl_int)(intptr_t)arg, out[N], err;
    cl_command_queue q = queue[number % QUEUES];
    cl_kernel fill = clCreateKernel(s.program, "fill", &err), add = clCreateKernel(s.program, "add", &err);
    cl_mem a = clCreateBuffer(s.context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    cl_mem sum = clCreateBuffer(s.context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    size_t global = N, local = 32;
    pthread_barrier_wait(&all_there);
    err |= clSetKernelArg(fill, 0, sizeof a, &a) | clSetKernelArg(fill, 1, sizeof number, &number);
    err |= clEnqueueNDRangeKernel(q, fill, 1, NULL, &global, &local, 0, NULL, NULL);
    err |= clSetKernelArg(fill, 0, sizeof sum, &sum);
    err |= clEnqueueNDRangeKernel(q, fill, 1, NULL, &global, &local, 0, NULL, NULL);
    err |= clSetKernelArg(add, 0, sizeof a, &a) | clSetKernelArg(add, 1, sizeof sum, &sum);
    for (int i = 2; i < LAUNCHES; i++)
        err |= clEnqueueNDRangeKernel(q, add, 1, NULL, &global, &local, 0, NULL, NULL);
    err |= clEnqueueReadBuffer(q, sum, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < N; i++)
        err |= out[i] != (LAUNCHES - 1) * (number + i);
    err |= clReleaseKernel(fill) | clReleaseKernel(add) | clReleaseMemObject(a) | clReleaseMemObject(sum);
    return (void *)(intptr_t)err;
}

START_TEST(thousands_of_threads_with_ten_launches_each)
{
    static pthread_t t[MOST];
    const bool split = getenv("YOKE_FORCE_SPLIT") && !getenv("YOKE_NIGHTLY"); /* a split takes a millisecond here */
    const int n = few() || split ? 200 : MOST;
    pthread_attr_t small;
    cl_int err;
    shim_open(&s, 0);
    for (int i = 0; i < QUEUES; i++)
        queue[i] = clCreateCommandQueue(s.context, s.device, i % 2 ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
    pthread_barrier_init(&all_there, NULL, (unsigned)n);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (intptr_t i = 0; i < n; i++)
        ck_assert_int_eq(pthread_create(&t[i], &small, ten_launches, (void *)i), 0);
    for (int i = 0; i < n; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_msg(!wrong, "thread %d", i);
    }
    for (int i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(queue[i]));
    shim_close(&s);
}
END_TEST

/* What the mill's threads share. */
static cl_mem shared[3];
static cl_kernel kernel;
static cl_event event;
static int due;

static void CL_CALLBACK count_event(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    __atomic_sub_fetch(&due, 1, __ATOMIC_RELEASE);
}

static void CL_CALLBACK count_mem(cl_mem m, void *data)
{
    (void)m, (void)data;
    __atomic_sub_fetch(&due, 1, __ATOMIC_RELEASE);
}

static void CL_CALLBACK count_build(cl_program p, void *data)
{
    (void)p, (void)data;
    __atomic_sub_fetch(&due, 1, __ATOMIC_RELEASE);
}

static void expect_call(void)
{
    __atomic_add_fetch(&due, 1, __ATOMIC_RELAXED);
}

static cl_int queries(cl_uint what)
{
    char text[4096];
    size_t n;
    cl_int err = 0;
    switch (what % 9) {
    case 0:
        return clGetPlatformInfo(s.platform, CL_PLATFORM_NAME, sizeof text, text, &n);
    case 1:
        return clGetDeviceInfo(s.device, CL_DEVICE_NAME, sizeof text, text, &n);
    case 2:
        return clGetContextInfo(s.context, CL_CONTEXT_DEVICES, sizeof text, text, &n);
    case 3:
        return clGetCommandQueueInfo(queue[0], CL_QUEUE_PROPERTIES, sizeof text, text, &n);
    case 4:
        return clGetMemObjectInfo(shared[0], CL_MEM_SIZE, sizeof text, text, &n);
    case 5:
        return clGetProgramInfo(s.program, CL_PROGRAM_NUM_KERNELS, sizeof text, text, &n);
    case 6:
        return clGetProgramBuildInfo(s.program, s.device, CL_PROGRAM_BUILD_STATUS, sizeof text, text, &n);
    case 7:
        err = clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof text, text, &n);
        err |= clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, &n);
        return err | clGetKernelWorkGroupInfo(kernel, s.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof text, text, &n);
    default:
        return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof text, text, &n);
    }
}

static cl_int references(void)
{
    cl_int err = clRetainContext(s.context) | clRetainCommandQueue(queue[0]) | clRetainMemObject(shared[0]);
    err |= clRetainProgram(s.program) | clRetainKernel(kernel) | clRetainEvent(event) | clRetainDevice(s.device);
    err |= clReleaseContext(s.context) | clReleaseCommandQueue(queue[0]) | clReleaseMemObject(shared[0]);
    return err | clReleaseProgram(s.program) | clReleaseKernel(kernel) | clReleaseEvent(event) |
           clReleaseDevice(s.device);
}

static cl_int objects(void)
{
    cl_int err, e2, e3, v[4] = {0};
    cl_buffer_region half = {0, 2 * N};
    cl_mem sub = clCreateSubBuffer(shared[1], 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
    cl_mem m = clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, sizeof v, v, &e2);
    cl_kernel k = clCreateKernel(s.program, "iota", &e3);
    err |= e2 | e3;
    expect_call();
    err |= clSetMemObjectDestructorCallback(m, count_mem, NULL);
    err |= clSetKernelArg(k, 0, sizeof sub, &sub);
    return err | clReleaseKernel(k) | clReleaseMemObject(sub) | clReleaseMemObject(m);
}

static cl_int programs(void)
{
    static const char *text = "kernel void nothing(void) {}";
    cl_int err;
    cl_program p = clCreateProgramWithSource(s.context, 1, &text, NULL, &err);
    expect_call();
    err |= clBuildProgram(p, 1, &s.device, "", count_build, NULL);
    return err | clReleaseProgram(p);
}

static cl_int queues(unsigned me)
{
    cl_int err, v = 3;
    cl_command_queue q = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    err |= clEnqueueFillBuffer(q, shared[2], &v, sizeof v, 64 * me, 64, 0, NULL, NULL);
    return err | clEnqueueBarrierWithWaitList(q, 0, NULL, NULL) | clFlush(q) | clFinish(q) | clReleaseCommandQueue(q);
}

static cl_int events(cl_command_queue q, unsigned me)
{
    cl_int err, v = 5;
    cl_event gate = clCreateUserEvent(s.context, &err), e = NULL, m = NULL;
    err |= clEnqueueFillBuffer(q, shared[2], &v, sizeof v, 1024 + 64 * me, 64, 1, &gate, &e);
    err |= clEnqueueMarkerWithWaitList(q, 1, &e, &m);
    expect_call();
    err |= clSetEventCallback(e, CL_COMPLETE, count_event, NULL);
    err |= clSetUserEventStatus(gate, CL_COMPLETE);
    return err | clWaitForEvents(1, &m) | clReleaseEvent(gate) | clReleaseEvent(e) | clReleaseEvent(m);
}

/* Each thread has bytes of its own in the shared buffers. */
static cl_int bytes(cl_command_queue q, unsigned me, cl_int v)
{
    enum { MINE = 64 };
    const size_t at = 1024 + me * MINE, zero[3] = {0, 0, 0}, origin[3] = {at, 0, 0}, region[3] = {MINE, 1, 1};
    cl_int out[MINE / 4], err, wrong = 0;
    err = clEnqueueFillBuffer(q, shared[0], &v, sizeof v, at, MINE, 0, NULL, NULL);
    err |= clEnqueueCopyBuffer(q, shared[0], shared[1], at, at, MINE, 0, NULL, NULL);
    err |= clEnqueueReadBufferRect(q, shared[1], CL_TRUE, origin, zero, region, 0, 0, 0, 0, out, 0, NULL, NULL);
    for (int i = 0; i < MINE / 4; i++)
        wrong |= out[i] != v;
    cl_int e2;
    cl_int *p = clEnqueueMapBuffer(q, shared[1], CL_TRUE, CL_MAP_READ, at, MINE, 0, NULL, NULL, &e2);
    for (int i = 0; i < MINE / 4; i++)
        wrong |= !p || p[i] != v;
    err |= e2 | (p ? clEnqueueUnmapMemObject(q, shared[1], p, 0, NULL, NULL) : 1);
    err |= clEnqueueWriteBuffer(q, shared[0], CL_FALSE, at, MINE, out, 0, NULL, NULL);
    return err | clEnqueueMigrateMemObjects(q, 1, &shared[0], 0, 0, NULL, NULL) | clFinish(q) | wrong;
}

static cl_int launches(cl_command_queue q)
{
    size_t global = 4 * N, local = 32;
    cl_int err = clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, &local, 0, NULL, NULL), e2;
    cl_kernel copy = clCloneKernel(kernel, &e2);
    return err | e2 | clReleaseKernel(copy);
}

static void *mill(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    uint64_t seed = me + 1;
    cl_int err = 0;
    for (int i = 0; i < (few() ? 60 : 300); i++) {
        cl_command_queue q = queue[random_below(&seed, 4)];
        uint32_t what = random_below(&seed, 100), r = random_below(&seed, 1000);
        err |= what < 30   ? queries(r)
               : what < 45 ? references()
               : what < 55 ? objects()
               : what < 58 ? programs()
               : what < 62 ? queues(me)
               : what < 72 ? events(q, me)
               : what < 88 ? bytes(q, me, (cl_int)(r * 16 + me))
                           : launches(queue[0]); /* one after the other: they write the same bytes */
    }
    return (void *)(intptr_t)err;
}

START_TEST(everything_at_once_on_the_same_objects)
{
    enum { THREADS = 12 };
    pthread_t t[THREADS];
    cl_int err, v = 0;
    shim_open(&s, 0);
    for (int i = 0; i < 4; i++)
        queue[i] = clCreateCommandQueue(s.context, s.device, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &err);
    for (int i = 0; i < 3; i++)
        shared[i] = shim_buffer(&s, 4096);
    kernel = shim_kernel(&s, "iota");
    cl_mem target = shim_buffer(&s, 16 * N);
    shim_set(kernel, 0, target);
    OK(clEnqueueFillBuffer(queue[0], shared[0], &v, sizeof v, 0, 64, 0, NULL, &event));
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, mill, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_msg(!wrong, "thread %d: %ld", i, (long)wrong);
    }
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(target));
    for (int i = 0; i < 3; i++)
        OK(clReleaseMemObject(shared[i]));
    for (int i = 0; i < 4; i++)
        OK(clReleaseCommandQueue(queue[i]));
    shim_close(&s);
    for (int i = 0; i < 5000 && __atomic_load_n(&due, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    ck_assert_int_eq(__atomic_load_n(&due, __ATOMIC_ACQUIRE), 0);
}
END_TEST

YK_TEST_MAIN("threads", thousands_of_threads_with_ten_launches_each, everything_at_once_on_the_same_objects)
