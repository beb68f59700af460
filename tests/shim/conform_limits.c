/* Kernels at the device's limits: as many arguments, as large ones, as much local memory, as large groups and ranges as
 * it says it takes, and ranges of nothing. */
#include <stdio.h>
#include "tests/shim/conform.h"

static size_t info_size(struct cl *c, cl_device_info what)
{
    size_t v = 0;
    OK(clGetDeviceInfo(c->device, what, sizeof v, &v, NULL));
    return v;
}

static cl_kernel kernel_from(struct cl *c, const char *text, const char *name)
{
    cl_program p = build(c, text);
    cl_kernel k = kernel_of(p, name);
    OK(clReleaseProgram(p)); /* the kernel keeps it */
    return k;
}

static void launch(struct cl *c, cl_kernel k, size_t n, size_t local)
{
    OK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
}

/* As many ints as the parameters may have bytes for, beside one buffer. */
START_TEST(as_many_arguments_as_fit)
{
    struct cl c = open_cl(0);
    size_t most = (info_size(&c, CL_DEVICE_MAX_PARAMETER_SIZE) - sizeof(cl_mem)) / sizeof(cl_long);
    if (most > 1024)
        most = 1024;
    char *text = malloc(64 * most + 256), *at = text;
    at += sprintf(at, "kernel void sum(global long *out");
    for (size_t i = 0; i < most; i++)
        at += sprintf(at, ", long a%zu", i);
    at += sprintf(at, ") { out[get_global_id(0)] = get_global_id(0)");
    for (size_t i = 0; i < most; i++)
        at += sprintf(at, " + a%zu", i);
    sprintf(at, "; }\n");
    cl_kernel k = kernel_from(&c, text, "sum");
    cl_uint nargs;
    OK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof nargs, &nargs, NULL));
    ck_assert_uint_eq(nargs, most + 1);
    cl_mem out = buffer_of(&c, CL_MEM_READ_WRITE, N * sizeof(cl_long), NULL);
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    cl_long sum = 0, *got = malloc(N * sizeof *got);
    for (size_t i = 0; i < most; i++) {
        cl_long v = (cl_long)(i * i) - 77;
        sum += v;
        OK(clSetKernelArg(k, (cl_uint)i + 1, sizeof v, &v));
    }
    launch(&c, k, N, LOCAL);
    OK(clEnqueueReadBuffer(c.queue, out, CL_TRUE, 0, N * sizeof *got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i], sum + i);
    free(got);
    free(text);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

/* Buffers, each its own; among them constant ones, as many as there may be. */
START_TEST(many_buffers)
{
    struct cl c = open_cl(0);
    enum { BUFFERS = 64, MOST_CONSTANT = 8 };
    cl_uint constants = info_uint(&c, CL_DEVICE_MAX_CONSTANT_ARGS);
    if (constants > MOST_CONSTANT)
        constants = MOST_CONSTANT;
    char text[8192], *at = text;
    at += sprintf(at, "kernel void blend(global int *out");
    for (int i = 0; i < BUFFERS; i++)
        at += sprintf(at, ", %s int *a%d", i < (int)constants ? "constant" : "global const", i);
    at += sprintf(at, ") { size_t i = get_global_id(0); out[i] = 0");
    for (int i = 0; i < BUFFERS; i++)
        at += sprintf(at, " + %d * a%d[i]", i + 1, i);
    sprintf(at, "; }\n");
    cl_kernel k = kernel_from(&c, text, "blend");
    cl_mem out = buffer_of(&c, CL_MEM_WRITE_ONLY, BYTES, NULL), in[BUFFERS];
    cl_int *host = malloc(BYTES);
    cl_long slope = 0, base = 0;
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    for (int b = 0; b < BUFFERS; b++) {
        for (int i = 0; i < N; i++)
            host[i] = b + i;
        in[b] = buffer_of(&c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES, host);
        OK(clSetKernelArg(k, (cl_uint)b + 1, sizeof in[b], &in[b]));
        slope += b + 1;
        base += (b + 1) * b;
    }
    launch(&c, k, N, LOCAL);
    OK(clEnqueueReadBuffer(c.queue, out, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(host[i], base + slope * i);
    for (int b = 0; b < BUFFERS; b++)
        OK(clReleaseMemObject(in[b]));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    free(host);
    close_cl(&c);
}
END_TEST

START_TEST(a_structure_as_large_as_the_parameters)
{
    struct cl c = open_cl(0);
    size_t ints = (info_size(&c, CL_DEVICE_MAX_PARAMETER_SIZE) - 2 * sizeof(cl_mem)) / sizeof(cl_int);
    char text[512];
    if (ints > 1000)
        ints = 1000;
    sprintf(
        text,
        "struct large { int v[%zu]; };\n"
        "kernel void pick(global int *out, struct large s) { out[get_global_id(0)] = s.v[get_global_id(0) %% %zu]; }\n",
        ints, ints);
    cl_kernel k = kernel_from(&c, text, "pick");
    cl_int *v = malloc(ints * sizeof *v), *got = malloc(BYTES);
    cl_mem out = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    OK(clSetKernelArg(k, 0, sizeof out, &out));
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < ints; i++)
            v[i] = (cl_int)i * 3 + round;
        OK(clSetKernelArg(k, 1, ints * sizeof *v, v));
        memset(v, 0xff, ints * sizeof *v); /* taken at the call */
        launch(&c, k, N, LOCAL);
        OK(clEnqueueReadBuffer(c.queue, out, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i], (i % (int)ints) * 3 + round);
    }
    free(v);
    free(got);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(all_of_the_local_memory)
{
    struct cl c = open_cl(0);
    cl_ulong bytes = 0;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    if (bytes > 1 << 20)
        bytes = 1 << 20;
    cl_kernel k = kernel_of(c.program, "lds");
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, (size_t)bytes, NULL));
    set_to(&c, a, 0);
    launch(&c, k, N, LOCAL);
    cl_int got[LOCAL];
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < LOCAL; i++)
        ck_assert_int_eq(got[i], LOCAL - 1 - i);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(the_largest_groups)
{
    struct cl c = open_cl(0);
    size_t most = 0, items[3];
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, 4 * 65536, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int v = 6, *got = malloc(4 * 65536);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    OK(clGetKernelWorkGroupInfo(k, c.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    OK(clGetDeviceInfo(c.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL));
    if (most > items[0])
        most = items[0];
    if (most > 16384)
        most = 16384;
    launch(&c, k, 4 * most, most);
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, 4 * 4 * most, got, 0, NULL, NULL));
    for (size_t i = 0; i < 4 * most; i++)
        ck_assert_int_eq(got[i], (cl_int)i + v);
    launch(&c, k, 65536, 1);
    OK(clFinish(c.queue));
    free(got);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(a_range_of_nothing_is_done_in_its_turn)
{
    struct cl c = open_cl(0);
    char version[128];
    OK(clGetDeviceInfo(c.device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    if (strncmp(version, "OpenCL 1.", 9) && strncmp(version, "OpenCL 2.0", 10)) {
        cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
        cl_kernel k = kernel_of(c.program, "set");
        cl_int err, v = 9, status;
        const size_t none[3] = {0, 0, 0}, flat[3] = {N, 0, 1}, local[3] = {LOCAL, 1, 1};
        cl_event e[6], gate = clCreateUserEvent(c.context, &err);
        set_to(&c, a, 4);
        OK(clSetKernelArg(k, 0, sizeof a, &a));
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, none, NULL, 0, NULL, &e[0]));
        OK(clEnqueueNDRangeKernel(c.queue, k, 3, NULL, none, local, 0, NULL, &e[1]));
        OK(clEnqueueNDRangeKernel(c.queue, k, 2, NULL, flat, local, 1, &gate, &e[2]));
        OK(clEnqueueNDRangeKernel(c.queue, k, 3, NULL, flat, NULL, 1, &e[2], &e[3]));
        OK(clEnqueueMarkerWithWaitList(c.queue, 1, &e[3], &e[4]));
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, NULL, NULL, 0, NULL, &e[5]));
        OK(clWaitForEvents(2, e));
        OK(clGetEventInfo(e[2], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        ck_assert_int_gt(status, CL_COMPLETE);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(6, e));
        cl_command_type type;
        OK(clGetEventInfo(e[2], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, CL_COMMAND_NDRANGE_KERNEL);
        ck_assert_int_eq(counted_from(&c, a, 4), N);
        for (int i = 0; i < 6; i++)
            OK(clReleaseEvent(e[i]));
        OK(clReleaseEvent(gate));
        OK(clReleaseMemObject(a));
        OK(clReleaseKernel(k));
    }
    close_cl(&c);
}
END_TEST

START_TEST(a_large_allocation_is_filled_summed_and_given_back)
{
    struct cl c = open_cl(0);
    const char *text = "kernel void fill(global uint *a) { size_t i = get_global_id(0); a[i] = (uint)i * 3u; }\n"
                       "kernel void sum(global const uint *a, global uint *s, ulong n) {\n"
                       "  uint t = 0; for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) t += a[i];\n"
                       "  s[get_global_id(0)] = t; }\n";
    cl_ulong n = 16 << 20;
    size_t items = n, sums = 1024, local = LOCAL;
    cl_kernel fill = kernel_from(&c, text, "fill"), sum = kernel_from(&c, text, "sum");
    for (int round = 0; round < 2; round++) {
        cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, n * 4, NULL), s = buffer_of(&c, CL_MEM_READ_WRITE, sums * 4, NULL);
        OK(clSetKernelArg(fill, 0, sizeof a, &a));
        OK(clSetKernelArg(sum, 0, sizeof a, &a));
        OK(clSetKernelArg(sum, 1, sizeof s, &s));
        OK(clSetKernelArg(sum, 2, sizeof n, &n));
        OK(clEnqueueNDRangeKernel(c.queue, fill, 1, NULL, &items, &local, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(c.queue, sum, 1, NULL, &sums, &local, 0, NULL, NULL));
        cl_uint got[1024], total = 0, want = 0;
        OK(clEnqueueReadBuffer(c.queue, s, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (size_t i = 0; i < sums; i++)
            total += got[i];
        for (cl_ulong i = 0; i < n; i++)
            want += (cl_uint)i * 3u;
        ck_assert_uint_eq(total, want);
        OK(clReleaseMemObject(a));
        OK(clReleaseMemObject(s));
    }
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(sum));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_limits", as_many_arguments_as_fit, many_buffers, a_structure_as_large_as_the_parameters,
             all_of_the_local_memory, the_largest_groups, a_range_of_nothing_is_done_in_its_turn,
             a_large_allocation_is_filled_summed_and_given_back)
