/* Sub-devices of the device a program sees: cut in every way it offers, used in contexts and queues of their own,
 * beside each other and beside the whole device. A plain OpenCL program that knows nothing of yoke. A way that is not
 * offered must be refused. YOKE_TEST_CUT says whether the device must offer to be cut equally and by counts (1) or must
 * not (0): a way that got lost on the way would else be seen by nobody. */
#include <CL/cl.h>
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/main.h"

enum { N = 4096, MOST = 64 };

static const char source[] =
    "kernel void square(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] = a[i] * a[i]; }\n";

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

static cl_device_id whole_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    return device;
}

static cl_uint units(cl_device_id d)
{
    cl_uint n;
    OK(clGetDeviceInfo(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL));
    return n;
}

static bool offers(cl_device_id d, cl_device_partition_property way)
{
    cl_device_partition_property ways[16];
    size_t n;
    OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &n));
    for (size_t i = 0; i < n / sizeof *ways; i++)
        if (ways[i] == way)
            return true;
    return false;
}

static cl_uint cut(cl_device_id d, const cl_device_partition_property *how, cl_device_id *parts)
{
    cl_uint n = 0, m = 0;
    OK(clCreateSubDevices(d, how, 0, NULL, &n));
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_le(n, MOST);
    OK(clCreateSubDevices(d, how, n, parts, &m));
    ck_assert_uint_eq(n, m);
    return n;
}

/* N squares on device D of context C; are they right? */
static bool compute(cl_context c, cl_program p, cl_device_id d)
{
    cl_int err, *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
    cl_command_queue q = clCreateCommandQueue(c, d, CL_QUEUE_PROFILING_ENABLE, &err);
    OK(err);
    cl_device_id of;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, d);
    cl_kernel k = clCreateKernel(p, "square", &err);
    OK(err);
    size_t group;
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    for (int i = 0; i < N; i++)
        in[i] = i;
    cl_mem a = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, N * sizeof *in, in, &err);
    OK(err);
    cl_mem b = clCreateBuffer(c, CL_MEM_READ_WRITE, N * sizeof *in, NULL, &err);
    OK(err);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof b, &b));
    size_t n = N;
    cl_event e;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e));
    OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, N * sizeof *out, out, 1, &e, NULL));
    int right = 0;
    while (right < N && out[right] == right * right)
        right++;
    if (right < N)
        fprintf(stderr, "the square of %d is %d\n", right, out[right]);
    void *map = clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ, 0, N * sizeof *out, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_mem_eq(map, out, N * sizeof *out);
    OK(clEnqueueUnmapMemObject(q, b, map, 0, NULL, NULL));
    OK(clFinish(q));
    clReleaseEvent(e);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseKernel(k);
    OK(clReleaseCommandQueue(q));
    free(in);
    free(out);
    return right == N;
}

/* A context of DEVICES with a program built in it, used on each of them: on how many it computed what it should. */
static cl_uint use(cl_uint n, const cl_device_id *devices)
{
    cl_uint right = 0;
    cl_int err;
    const char *text = source;
    cl_context c = clCreateContext(NULL, n, devices, NULL, NULL, &err);
    OK(err);
    cl_uint have;
    cl_device_id list[MOST], made[MOST];
    OK(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof have, &have, NULL));
    ck_assert_uint_eq(have, n);
    OK(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof list, list, NULL));
    ck_assert_mem_eq(list, devices, n * sizeof *list);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, n, devices, "", NULL, NULL));
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof have, &have, NULL));
    ck_assert_uint_eq(have, n);
    OK(clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof made, made, NULL));
    for (cl_uint i = 0; i < n; i++) {
        bool there = false;
        for (cl_uint k = 0; k < n; k++)
            there |= made[k] == devices[i];
        ck_assert(there);
        cl_build_status status;
        OK(clGetProgramBuildInfo(p, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        ck_assert_int_eq(status, CL_BUILD_SUCCESS);
        right += compute(c, p, devices[i]);
    }
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
    return right;
}

static void check_part(cl_device_id part, cl_device_id parent)
{
    cl_device_id of;
    cl_uint refs;
    cl_platform_id mine, whole;
    OK(clGetDeviceInfo(part, CL_DEVICE_PARENT_DEVICE, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, parent);
    OK(clGetDeviceInfo(part, CL_DEVICE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 1);
    OK(clRetainDevice(part));
    OK(clGetDeviceInfo(part, CL_DEVICE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 2);
    OK(clReleaseDevice(part));
    OK(clGetDeviceInfo(part, CL_DEVICE_PLATFORM, sizeof mine, &mine, NULL));
    OK(clGetDeviceInfo(parent, CL_DEVICE_PLATFORM, sizeof whole, &whole, NULL));
    ck_assert_ptr_eq(mine, whole);
}

/* What cutting in a way that is not offered ends with, whether only the number is asked for or the parts. */
static cl_int refusal(cl_device_id whole, const cl_device_partition_property *how)
{
    cl_uint n = 77;
    cl_device_id parts[MOST];
    cl_int err = clCreateSubDevices(whole, how, 0, NULL, &n);
    ck_assert_int_eq(clCreateSubDevices(whole, how, MOST, parts, &n), err);
    puts("not offered, so refused");
    return err;
}

/* Whether it must be offered is not known with one processor; what it then says of itself must still be kept. */
static bool offers_as_it_must(cl_device_id whole, cl_device_partition_property way)
{
    const char *cut = getenv("YOKE_TEST_CUT");
    bool does = offers(whole, way);
    if (cut && (*cut == '0' || sysconf(_SC_NPROCESSORS_ONLN) > 1))
        ck_assert_int_eq(does, *cut == '1');
    else
        puts("skipped: whether it must be offered, with one processor");
    return does;
}

/* Into how many parts WHOLE was cut, all of which computed alone, together and beside it. */
static cl_uint cut_and_use(cl_device_id whole, const cl_device_partition_property *how)
{
    cl_device_id parts[MOST + 1];
    ck_assert_msg(units(whole) > 1, "a device of one compute unit offers to be cut");
    cl_uint n = cut(whole, how, parts);
    for (cl_uint i = 0; i < n; i++)
        check_part(parts[i], whole);
    ck_assert_uint_eq(use(1, parts), 1);
    ck_assert_uint_eq(use(n, parts), n);
    parts[n] = whole;
    ck_assert_uint_eq(use(n + 1, parts), n + 1);
    for (cl_uint i = 0; i < n; i++)
        OK(clReleaseDevice(parts[i]));
    return n;
}

START_TEST(equally)
{
    cl_device_id whole = whole_device();
    const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    if (offers_as_it_must(whole, how[0]))
        ck_assert_uint_eq(cut_and_use(whole, how), units(whole));
    else
        ck_assert_int_eq(refusal(whole, how), CL_INVALID_VALUE);
}
END_TEST

START_TEST(by_counts)
{
    cl_device_id whole = whole_device();
    const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    if (offers_as_it_must(whole, how[0]))
        ck_assert_uint_eq(cut_and_use(whole, how), 2);
    else
        ck_assert_int_eq(refusal(whole, how), CL_INVALID_VALUE);
}
END_TEST

START_TEST(by_affinity)
{
    cl_device_id whole = whole_device();
    cl_device_affinity_domain domain = 0;
    OK(clGetDeviceInfo(whole, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domain, &domain, NULL));
    const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    if (offers(whole, how[0]) && (domain & CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE))
        ck_assert_uint_gt(cut_and_use(whole, how), 0);
    else
        ck_assert_int_eq(refusal(whole, how), CL_INVALID_VALUE);
}
END_TEST

START_TEST(what_is_wrong)
{
    cl_device_id whole = whole_device(), parts[MOST];
    const cl_device_partition_property none[] = {CL_DEVICE_PARTITION_EQUALLY, 1 << 20, 0}, unknown[] = {77, 1, 0},
                                       one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint n;
    ck_assert_int_eq(clCreateSubDevices(NULL, one, 0, NULL, &n), CL_INVALID_DEVICE);
    ck_assert_int_eq(clCreateSubDevices(whole, NULL, 0, NULL, &n), CL_INVALID_VALUE);
    ck_assert_int_eq(clCreateSubDevices(whole, unknown, 0, NULL, &n), CL_INVALID_VALUE);
    ck_assert_int_ne(clCreateSubDevices(whole, none, 0, NULL, &n), CL_SUCCESS);
    OK(clRetainDevice(whole));
    OK(clReleaseDevice(whole));
    if (!offers(whole, CL_DEVICE_PARTITION_EQUALLY) || units(whole) < 2) {
        puts("skipped: what is wrong with parts, since the device is not cut");
        ck_assert_int_ne(clCreateSubDevices(whole, one, MOST, parts, &n), CL_SUCCESS);
        return;
    }
    n = cut(whole, one, parts);
    cl_int err;
    cl_context c = clCreateContext(NULL, 1, parts, NULL, NULL, &err);
    OK(err);
    ck_assert_ptr_null(clCreateCommandQueue(c, parts[1], 0, &err));
    ck_assert_int_eq(err, CL_INVALID_DEVICE);
    ck_assert_ptr_null(clCreateCommandQueue(c, whole, 0, &err));
    ck_assert_int_eq(err, CL_INVALID_DEVICE);
    /* The context keeps its device. */
    OK(clReleaseDevice(parts[0]));
    cl_command_queue q = clCreateCommandQueue(c, parts[0], 0, &err);
    OK(err);
    OK(clFinish(q));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    for (cl_uint i = 1; i < n; i++)
        OK(clReleaseDevice(parts[i]));
}
END_TEST

YK_TEST_MAIN("subdevices", equally, by_counts, by_affinity, what_is_wrong)
