/* The stub itself: is it an OpenCL that tests may stand on? Its devices, entry points, programs and kernels. */
#include <dlfcn.h>
#include <stdint.h>
#include "device/opencl/real.h"
#include "tests/stub/rig.h"
#include "tests/unit/main.h"

static struct rig r;

START_TEST(devices_are_what_was_asked_for)
{
    const struct yk_cl *cl = rig_load("cpu,gpu:64M|accelerator:host", NULL);
    cl_platform_id p[3];
    cl_device_id d[3];
    cl_uint n;
    rig_ok(cl->GetPlatformIDs(3, p, &n));
    ck_assert_uint_eq(n, 2);
    rig_ok(cl->GetDeviceIDs(p[0], CL_DEVICE_TYPE_ALL, 3, d, &n));
    ck_assert_uint_eq(n, 2);
    cl_ulong bytes;
    cl_bool unified;
    rig_ok(cl->GetDeviceInfo(d[1], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_eq(bytes, 64 << 20);
    rig_ok(cl->GetDeviceInfo(d[1], CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    ck_assert(!unified);
    ck_assert_int_eq(cl->GetDeviceIDs(p[1], CL_DEVICE_TYPE_GPU, 3, d, &n), CL_DEVICE_NOT_FOUND);
    rig_ok(cl->GetDeviceIDs(p[1], CL_DEVICE_TYPE_DEFAULT, 3, d, &n));
    rig_ok(cl->GetDeviceInfo(d[0], CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    ck_assert(unified);
    ck_assert_ptr_nonnull(*(void **)d[0]); /* a loader would find its table there */
}
END_TEST

START_TEST(no_platform_is_the_loaders_error)
{
    const struct yk_cl *cl = rig_load("none", NULL);
    cl_uint n = 9;
    ck_assert_int_eq(cl->GetPlatformIDs(0, NULL, &n), -1001);
    ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(every_entry_is_there_and_refuses_what_it_cannot)
{
    const struct yk_cl *cl = rig_load("cpu", NULL);
    const struct yk_cl *real = yk_cl_real(), *missing = yk_cl_missing();
    for (size_t i = 0; i < sizeof *real / sizeof(void *); i++)
        ck_assert_msg(((void *const *)(const void *)real)[i] != ((void *const *)(const void *)missing)[i], "entry %zu",
                      i);
    rig_open(&r, cl, 0);
    cl_int rc = 0;
    ck_assert_ptr_null(cl->CreatePipe(r.context[0], 0, 4, 4, NULL, &rc));
    ck_assert_int_eq(rc, CL_INVALID_OPERATION);
    ck_assert_ptr_null(cl->SVMAlloc(r.context[0], 0, 16, 0));
    ck_assert_int_eq(cl->Finish(NULL), CL_INVALID_COMMAND_QUEUE);
    ck_assert_int_eq(cl->ReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    ck_assert_int_eq(cl->RetainContext(NULL), CL_INVALID_CONTEXT);
    rig_close(&r);
}
END_TEST

static int depth_seen;

static void CL_CALLBACK built(cl_program p, void *user)
{
    (void)p;
    (void)user;
    depth_seen = yk_driver_depth;
}

START_TEST(guarded_calls_raise_the_depth)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    ck_assert_int_eq(yk_driver_depth, 0);
    const char *text = rig_source;
    cl_int rc;
    cl_program p = r.cl->CreateProgramWithSource(r.context[0], 1, &text, NULL, &rc);
    rig_ok(r.cl->BuildProgram(p, 0, NULL, NULL, built, NULL));
    ck_assert_int_eq(depth_seen, 1);
    ck_assert_int_eq(yk_driver_depth, 0);
    r.cl->SVMFree(r.context[0], NULL);
    ck_assert_int_eq(yk_driver_depth, 0);
    rig_ok(r.cl->ReleaseProgram(p));
    rig_close(&r);
}
END_TEST

START_TEST(programs_say_what_they_hold)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    char names[256];
    rig_ok(r.cl->GetProgramInfo(r.program[0], CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_str_eq(names, "vadd;iota;scale_inplace;ids;group_sum;nothing");
    cl_kernel k = rig_kernel(&r, 0, "scale_inplace");
    cl_uint n;
    rig_ok(r.cl->GetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
    ck_assert_uint_eq(n, 2);
    rig_ok(r.cl->GetKernelArgInfo(k, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof names, names, NULL));
    ck_assert_str_eq(names, "float");
    double wrong = 1;
    ck_assert_int_eq(r.cl->SetKernelArg(k, 1, sizeof wrong, &wrong), CL_INVALID_ARG_SIZE);
    rig_ok(r.cl->ReleaseKernel(k));

    const char *bad = "#error no such luck\nkernel void iota(global uint *o) {}";
    cl_int rc;
    cl_program p = r.cl->CreateProgramWithSource(r.context[0], 1, &bad, NULL, &rc);
    ck_assert_int_eq(r.cl->BuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    rig_ok(r.cl->GetProgramBuildInfo(p, r.device[0], CL_PROGRAM_BUILD_LOG, sizeof names, names, NULL));
    ck_assert_ptr_nonnull(strstr(names, "no such luck"));
    ck_assert_ptr_null(r.cl->CreateKernel(p, "iota", &rc));
    ck_assert_int_eq(rc, CL_INVALID_PROGRAM_EXECUTABLE);
    rig_ok(r.cl->ReleaseProgram(p));

    /* Out as a binary, in again. */
    size_t size;
    rig_ok(r.cl->GetProgramInfo(r.program[0], CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    rig_ok(r.cl->GetProgramInfo(r.program[0], CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    p = r.cl->CreateProgramWithBinary(r.context[0], 1, r.device, &size, (const unsigned char *[]){binary}, NULL, &rc);
    rig_ok(rc);
    rig_ok(r.cl->BuildProgram(p, 0, NULL, NULL, NULL, NULL));
    k = r.cl->CreateKernel(p, "iota", &rc);
    rig_ok(rc);
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseProgram(p));
    free(binary);
    rig_close(&r);
}
END_TEST

START_TEST(the_kernels_of_a_program_are_made_all_or_none)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    void *stub = dlopen(YK_STUB_PATH, RTLD_LAZY | RTLD_NOLOAD);
    long (*live)(void) = (long (*)(void))dlsym(stub, "stub_live");
    const char *text = "kernel void nothing(void) {}\nkernel void vadd(global float *a) {}\n"; /* vadd takes three */
    cl_kernel k[2];
    cl_uint n;
    cl_int rc;
    cl_program p = r.cl->CreateProgramWithSource(r.context[0], 1, &text, NULL, &rc);
    rig_ok(rc);
    rig_ok(r.cl->BuildProgram(p, 0, NULL, NULL, NULL, NULL));
    long before = live();
    ck_assert_int_eq(r.cl->CreateKernelsInProgram(p, 2, k, &n), CL_INVALID_KERNEL_DEFINITION);
    ck_assert_int_eq(live(), before);
    rig_ok(r.cl->ReleaseProgram(p));
    rig_ok(r.cl->CreateKernelsInProgram(r.program[0], 0, NULL, &n));
    ck_assert_uint_eq(n, 6);
    dlclose(stub);
    rig_close(&r);
}
END_TEST

START_TEST(kernels_compute_on_both_kinds_of_memory)
{
    rig_open(&r, rig_load("cpu,gpu", NULL), 0);
    for (unsigned d = 0; d < r.n; d++) {
        float a[256], b[256], c[256];
        for (int i = 0; i < 256; i++)
            a[i] = (float)i, b[i] = (float)(2 * i);
        cl_mem ma = rig_buffer(&r, d, sizeof a), mb = rig_buffer(&r, d, sizeof b), mc = rig_buffer(&r, d, sizeof c);
        cl_kernel k = rig_kernel(&r, d, "vadd");
        rig_ok(r.cl->EnqueueWriteBuffer(r.queue[d], ma, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL));
        rig_ok(r.cl->EnqueueWriteBuffer(r.queue[d], mb, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
        rig_ok(r.cl->SetKernelArg(k, 0, sizeof ma, &ma));
        rig_ok(r.cl->SetKernelArg(k, 1, sizeof mb, &mb));
        ck_assert_int_eq(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){256}, NULL, 0, NULL, NULL),
                         CL_INVALID_KERNEL_ARGS);
        rig_ok(r.cl->SetKernelArg(k, 2, sizeof mc, &mc));
        ck_assert_int_eq(
            r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){256}, (size_t[]){7}, 0, NULL, NULL),
            CL_INVALID_WORK_GROUP_SIZE);
        /* In two boxes, the second by offset. */
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){64}, (size_t[]){16}, 0, NULL, NULL));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, (size_t[]){64}, (size_t[]){192}, NULL, 0, NULL, NULL));
        rig_ok(r.cl->EnqueueReadBuffer(r.queue[d], mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
        for (int i = 0; i < 256; i++)
            ck_assert_float_eq(c[i], (float)(3 * i));
        rig_ok(r.cl->ReleaseKernel(k));
        rig_ok(r.cl->ReleaseMemObject(ma));
        rig_ok(r.cl->ReleaseMemObject(mb));
        rig_ok(r.cl->ReleaseMemObject(mc));
    }
    rig_close(&r);
}
END_TEST

START_TEST(ids_are_those_of_opencl)
{
    rig_open(&r, rig_load("gpu", NULL), 0);
    uint32_t out[4 * 2 * 2][8];
    cl_mem m = rig_buffer(&r, 0, sizeof out);
    cl_kernel k = rig_kernel(&r, 0, "ids");
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof m, &m));
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 3, (size_t[]){10, 20, 30}, (size_t[]){4, 2, 2},
                                      (size_t[]){2, 1, 2}, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    const uint32_t last[8] = {13, 21, 31, 1, 1, 1, 0, 2};
    ck_assert_mem_eq(out[15], last, sizeof last);
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseMemObject(m));
    rig_close(&r);
}
END_TEST

START_TEST(group_kernels_have_local_memory)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    uint32_t in[64], out[4];
    for (uint32_t i = 0; i < 64; i++)
        in[i] = i;
    cl_mem mi = rig_buffer(&r, 0, sizeof in), mo = rig_buffer(&r, 0, sizeof out);
    cl_kernel k = rig_kernel(&r, 0, "group_sum");
    rig_ok(r.cl->EnqueueWriteBuffer(r.queue[0], mi, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof mi, &mi));
    rig_ok(r.cl->SetKernelArg(k, 1, sizeof mo, &mo));
    ck_assert_int_eq(r.cl->SetKernelArg(k, 2, 64, in), CL_INVALID_ARG_VALUE);
    rig_ok(r.cl->SetKernelArg(k, 2, 64, NULL));
    ck_assert_int_eq(r.cl->SetKernelArg(k, 3, 64, NULL), CL_INVALID_ARG_INDEX);
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){64}, (size_t[]){16}, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], mo, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    ck_assert_uint_eq(out[3], (48 + 63) * 16 / 2);
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseMemObject(mi));
    rig_ok(r.cl->ReleaseMemObject(mo));
    rig_close(&r);
}
END_TEST

YK_TEST_MAIN("stub", devices_are_what_was_asked_for, no_platform_is_the_loaders_error,
             every_entry_is_there_and_refuses_what_it_cannot, guarded_calls_raise_the_depth,
             programs_say_what_they_hold, the_kernels_of_a_program_are_made_all_or_none,
             kernels_compute_on_both_kinds_of_memory, ids_are_those_of_opencl, group_kernels_have_local_memory)
