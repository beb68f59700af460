/* A plain OpenCL program on Intel's CPU runtime, bare and under yoke in two parts: what differs there from PoCL. */
#include <CL/cl_ext.h>
#include "tests/shim/conform.h"

/* The runtime writes few bytes after a blocking write has returned; whatever is put together from shares must not be
 * overwritten by them. */
START_TEST(no_part_of_a_sum_is_lost)
{
    enum { SUMS = 16, TIMES = 60 };
    struct cl c = open_cl(0);
    cl_program p = build(&c, "kernel void sum(global int *to) { int i = get_global_id(0);"
                             " atomic_add(to + i % 16, i % 7 + 1); }");
    cl_kernel k = kernel_of(p, "sum");
    cl_int want[SUMS] = {0};
    for (int i = 0; i < N; i++)
        want[i % SUMS] += i % 7 + 1;
    for (int t = 0; t < TIMES; t++) {
        cl_int sums[SUMS] = {0};
        cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof sums, sums);
        OK(clSetKernelArg(k, 0, sizeof m, &m));
        run(&c, k, NULL);
        OK(clEnqueueReadBuffer(c.queue, m, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL));
        for (int i = 0; i < SUMS; i++)
            ck_assert_int_eq(sums[i], want[i]);
        OK(clReleaseMemObject(m));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

/* The runtime tells no time for when a marker was queued. */
START_TEST(times_stay_right_after_a_marker_was_asked_for_its)
{
    struct cl c = open_cl(CL_QUEUE_PROFILING_ENABLE);
    cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    const cl_ulong most = 30000000000u;
    for (int t = 0; t < 3; t++) {
        cl_event e[2];
        cl_ulong queued, submitted, end;
        set_to(&c, m, t);
        OK(clEnqueueMarkerWithWaitList(c.queue, 0, NULL, &e[0]));
        OK(clWaitForEvents(1, &e[0]));
        OK(clGetEventProfilingInfo(e[0], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        OK(clEnqueueCopyBuffer(c.queue, m, m, 0, BYTES / 2, BYTES / 2, 0, NULL, &e[1]));
        OK(clWaitForEvents(1, &e[1]));
        OK(clGetEventProfilingInfo(e[1], CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL));
        OK(clGetEventProfilingInfo(e[1], CL_PROFILING_COMMAND_SUBMIT, sizeof submitted, &submitted, NULL));
        OK(clGetEventProfilingInfo(e[1], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        ck_assert(queued <= submitted && submitted <= end);
        ck_assert_uint_lt(end - queued, most);
        OK(clReleaseEvent(e[0]));
        OK(clReleaseEvent(e[1]));
    }
    OK(clReleaseMemObject(m));
    close_cl(&c);
}
END_TEST

/* A range that is no multiple of the local size, in a program that is not of OpenCL C 2.0: refused at once, also where
 * launches before it are still to be carried out. */
START_TEST(ragged_ranges_are_refused_at_once)
{
    struct cl c = open_cl(0);
    const char text[] = "kernel void add(global int *to, int n) { int i = get_global_id(0);"
                        " for (int t = 0; t < n; t++) to[i] = to[i] * 3 + 1; }";
    cl_program p[2] = {build(&c, text), build_with(&c, text, "-cl-std=CL2.0")};
    cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    for (int v = 0; v < 2; v++) {
        cl_kernel k = kernel_of(p[v], "add");
        cl_int turns = 2000;
        size_t global = N / 2, local = 17;
        OK(clSetKernelArg(k, 0, sizeof m, &m));
        OK(clSetKernelArg(k, 1, sizeof turns, &turns));
        for (int t = 0; t < 5; t++) {
            run(&c, k, NULL);
            cl_int err = clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &global, &local, 0, NULL, NULL);
            ck_assert_int_eq(err, v ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE);
        }
        OK(clFinish(c.queue));
        OK(clReleaseKernel(k));
        OK(clReleaseProgram(p[v]));
    }
    OK(clReleaseMemObject(m));
    close_cl(&c);
}
END_TEST

typedef cl_int(CL_API_CALL *suggest_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);

/* cl_khr_suggested_local_work_size is there, and says something that can be launched. */
START_TEST(a_local_size_is_suggested)
{
    struct cl c = open_cl(0);
    char list[8192];
    cl_platform_id platform;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL));
    ck_assert_ptr_nonnull(strstr(list, "cl_khr_suggested_local_work_size"));
    OK(clGetDeviceInfo(c.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    ck_assert_ptr_nonnull(address);
    suggest_fn suggest;
    memcpy(&suggest, &address, sizeof suggest);
    cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int v = 2;
    const size_t global = N;
    size_t local = 0;
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    OK(suggest(c.queue, k, 1, NULL, &global, &local));
    ck_assert(local && !(N % local));
    OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    ck_assert_int_eq(counted_from(&c, m, 2), N);
    IS(CL_INVALID_COMMAND_QUEUE, suggest(NULL, k, 1, NULL, &global, &local));
    IS(CL_INVALID_KERNEL, suggest(c.queue, NULL, 1, NULL, &global, &local));
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("intel_program", no_part_of_a_sum_is_lost, ragged_ranges_are_refused_at_once,
             times_stay_right_after_a_marker_was_asked_for_its, a_local_size_is_suggested)
