/* device/opencl: a missing loader, missing entries, names of codes. What needs a loader is in tests/stub. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/opencl/real.h"
#include "tests/unit/main.h"

START_TEST(no_loader_is_an_error_and_no_crash)
{
    yk_log_set_level(YK_LOG_ERROR);
    setenv("YOKE_REAL_LIBOPENCL", "/nonexistent/libOpenCL.so.1", 1);
    ck_assert_ptr_null(yk_cl_real());
    ck_assert_ptr_null(yk_cl_guarded());
    ck_assert_ptr_null(yk_cl_real());
    ck_assert_int_eq(yk_driver_depth, 0);
}
END_TEST

START_TEST(a_library_without_opencl_is_no_loader)
{
    setenv("YOKE_REAL_LIBOPENCL", "libm.so.6", 1);
    ck_assert_ptr_null(yk_cl_real());
}
END_TEST

static int opened;

static void *counting_open(const char *path, int flags)
{
    (void)path;
    (void)flags;
    opened++;
    /* As a loader whose constructor calls OpenCL would. */
    cl_int err = 0;
    ck_assert_ptr_nonnull(yk_cl_real());
    ck_assert_ptr_null(yk_cl_real()->CreateContext(NULL, 0, NULL, NULL, NULL, &err));
    ck_assert_int_eq(err, CL_INVALID_OPERATION);
    ck_assert_int_eq(yk_driver_depth, 1);
    return NULL;
}

START_TEST(the_loader_is_opened_once_and_may_call_back)
{
    yk_cl_set_dlopen(counting_open);
    ck_assert_ptr_null(yk_cl_real());
    ck_assert_ptr_null(yk_cl_guarded());
    ck_assert_int_eq(opened, 1);
}
END_TEST

/* As loaders do, in the environment itself. */
static void cut(const char *name)
{
    *strchr(getenv(name), ':') = 0;
}

START_TEST(lists_that_a_loader_has_cut_are_put_back)
{
    setenv("YOKE_REAL_LIBOPENCL", "libm.so.6", 1);
    static char drivers[] = "OCL_ICD_FILENAMES=libfirst.so:libsecond.so:libthird.so", layers[] = "OPENCL_LAYERS=a:b";
    putenv(drivers);
    putenv(layers);
    (void)yk_cl_real();
    cut("OCL_ICD_FILENAMES");
    cut("OPENCL_LAYERS");
    setenv("OPENCL_LAYERS", "a", 1); /* the app wants it so */
    yk_cl_mend_environment();
    ck_assert_str_eq(getenv("OCL_ICD_FILENAMES"), "libfirst.so:libsecond.so:libthird.so");
    ck_assert_str_eq(getenv("OPENCL_LAYERS"), "a");
    yk_cl_mend_environment();
    unsetenv("OCL_ICD_FILENAMES");
    yk_cl_mend_environment();
    ck_assert_ptr_null(getenv("OCL_ICD_FILENAMES"));
}
END_TEST

START_TEST(missing_entries_refuse)
{
    const struct yk_cl *cl = yk_cl_missing();
    void *const *entry = (void *const *)(const void *)cl;
    for (size_t i = 0; i < sizeof *cl / sizeof *entry; i++)
        ck_assert_ptr_nonnull(entry[i]);
    cl_int err = 0;
    ck_assert_int_eq(cl->Finish(NULL), CL_INVALID_OPERATION);
    ck_assert_int_eq(cl->UnloadCompiler(), CL_INVALID_OPERATION);
    ck_assert_ptr_null(cl->CreateBuffer(NULL, 0, 1, NULL, &err));
    ck_assert_int_eq(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(cl->CreateBuffer(NULL, 0, 1, NULL, NULL));
    ck_assert_ptr_null(cl->SVMAlloc(NULL, 0, 1, 0));
    cl->SVMFree(NULL, NULL);
}
END_TEST

START_TEST(codes_have_names)
{
    ck_assert_str_eq(yk_cl_error_name(0), "CL_SUCCESS");
    ck_assert_str_eq(yk_cl_error_name(-4), "CL_MEM_OBJECT_ALLOCATION_FAILURE");
    ck_assert_str_eq(yk_cl_error_name(-72), "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
    ck_assert_str_eq(yk_cl_error_name(1), "unknown error");
}
END_TEST

YK_TEST_MAIN("real", no_loader_is_an_error_and_no_crash, a_library_without_opencl_is_no_loader,
             the_loader_is_opened_once_and_may_call_back, lists_that_a_loader_has_cut_are_put_back,
             missing_entries_refuse, codes_have_names)
