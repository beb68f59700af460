/* Programs and kernels in the corners of the specification that programs stand on: parts that are linked, clones,
 * binaries, native kernels, local memory, odd sizes. */
#include "tests/shim/conform.h"

START_TEST(kernels_in_program_come_all_at_once)
{
    struct cl c = open_cl(0);
    cl_kernel k[4];
    cl_uint n = 0;
    OK(clCreateKernelsInProgram(c.program, 0, NULL, &n));
    ck_assert_uint_eq(n, 3);
    IS(CL_INVALID_VALUE, clCreateKernelsInProgram(c.program, 2, k, &n));
    OK(clCreateKernelsInProgram(c.program, 4, k, &n));
    ck_assert_uint_eq(n, 3);
    int seen = 0;
    for (cl_uint i = 0; i < n; i++) {
        char name[16];
        cl_program of;
        OK(clGetKernelInfo(k[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        OK(clGetKernelInfo(k[i], CL_KERNEL_PROGRAM, sizeof of, &of, NULL));
        ck_assert_ptr_eq(of, c.program);
        seen |= !strcmp(name, "add") ? 1 : !strcmp(name, "set") ? 2 : !strcmp(name, "lds") ? 4 : 8;
        OK(clReleaseKernel(k[i]));
    }
    ck_assert_int_eq(seen, 7);
    close_cl(&c);
}
END_TEST

START_TEST(a_cloned_kernel_has_the_arguments_and_then_its_own)
{
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int err, v = 5;
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    cl_kernel clone = clCloneKernel(k, &err);
    if (err == CL_SUCCESS) {
        cl_uint refs;
        OK(clGetKernelInfo(clone, CL_KERNEL_REFERENCE_COUNT, sizeof refs, &refs, NULL));
        ck_assert_uint_eq(refs, 1);
        v = 9;
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        run(&c, clone, NULL);
        ck_assert_int_eq(counted_from(&c, a, 5), N);
        run(&c, k, NULL);
        ck_assert_int_eq(counted_from(&c, a, 9), N);
        OK(clReleaseKernel(clone));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

START_TEST(programs_compiled_with_headers_are_linked)
{
    struct cl c = open_cl(0);
    const char *header = "#define TWICE(x) (2 * (x))\n", *names[] = {"folder/twice.h"};
    const char *part = "int offset(int i) { return i + 7; }\n";
    const char *main_part =
        "#include \"folder/twice.h\"\nint offset(int i);\n"
        "kernel void go(global int *a) { int i = get_global_id(0); a[i] = offset(TWICE(i)) - i; }\n";
    cl_int err;
    cl_program h = clCreateProgramWithSource(c.context, 1, &header, NULL, &err);
    OK(err);
    cl_program p[2] = {clCreateProgramWithSource(c.context, 1, &main_part, NULL, &err),
                       clCreateProgramWithSource(c.context, 1, &part, NULL, &err)};
    OK(err);
    if (!lenient())
        IS(CL_INVALID_VALUE, clCompileProgram(p[0], 0, NULL, "", 1, NULL, NULL, NULL, NULL));
    if (!lenient())
        IS(CL_INVALID_VALUE, clCompileProgram(p[0], 1, NULL, "", 0, NULL, NULL, NULL, NULL));
    OK(clCompileProgram(p[0], 1, &c.device, "", 1, &h, names, NULL, NULL));
    OK(clCompileProgram(p[1], lenient(), lenient() ? &c.device : NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(c.context, 1, &c.device, "", 2, p, NULL, NULL, &err);
    OK(err);
    cl_kernel k = kernel_of(linked, "go");
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    run(&c, k, NULL);
    ck_assert_int_eq(counted_from(&c, a, 7), N);
    cl_program library = clLinkProgram(c.context, 0, NULL, "-create-library", 1, &p[1], NULL, NULL, &err);
    if (err == CL_SUCCESS) {
        cl_program_binary_type type;
        OK(clGetProgramBuildInfo(library, c.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
        OK(clReleaseProgram(library));
    }
    ck_assert_ptr_null(clLinkProgram(c.context, 1, &c.device, "", 0, NULL, NULL, NULL, &err));
    IS(CL_INVALID_VALUE, err);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(p[0]));
    OK(clReleaseProgram(p[1]));
    OK(clReleaseProgram(h));
    close_cl(&c);
}
END_TEST

START_TEST(a_binary_given_out_can_be_loaded)
{
    struct cl c = open_cl(0);
    size_t size = 0, n = 0;
    OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, &n));
    ck_assert_uint_eq(n, sizeof size);
    ck_assert_uint_gt(size, 0);
    unsigned char *bytes = calloc(size + 16, 1), *none = NULL;
    memset(bytes + size, 0x5a, 16);
    OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARIES, 0, NULL, &n));
    ck_assert_uint_eq(n, sizeof bytes);
    if (!lenient())
        OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARIES, sizeof none, &none, NULL)); /* skipped */
    OK(clGetProgramInfo(c.program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    for (int i = 0; i < 16; i++)
        ck_assert_uint_eq(bytes[size + (size_t)i], 0x5a);
    cl_int err, status = 77;
    const unsigned char *given = bytes;
    cl_program p = clCreateProgramWithBinary(c.context, 1, &c.device, &size, &given, &status, &err);
    OK(err);
    OK(status);
    OK(clBuildProgram(p, 1, &c.device, NULL, NULL, NULL));
    size_t again = 0;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof again, &again, NULL));
    ck_assert_uint_gt(again, 0);
    cl_program whole = c.program;
    c.program = p;
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    set_to(&c, a, 3);
    ck_assert_int_eq(counted_from(&c, a, 3), N);
    c.program = whole;
    size_t zero = 0;
    ck_assert_ptr_null(clCreateProgramWithBinary(c.context, 1, &c.device, &zero, &given, &status, &err));
    IS(CL_INVALID_VALUE, err);
    ck_assert(status == CL_INVALID_VALUE || lenient());
    OK(clReleaseMemObject(a));
    OK(clReleaseProgram(p));
    free(bytes);
    close_cl(&c);
}
END_TEST

static int native_runs;

static void CL_CALLBACK store_native(void *arg)
{
    native_runs++;
    struct {
        cl_int *to;
        cl_int v;
    } *args = arg;
    for (int i = 0; i < N; i++)
        args->to[i] = args->v + i;
}

START_TEST(native_kernels_get_memory_for_their_objects)
{
    struct cl c = open_cl(0);
    cl_device_exec_capabilities can;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
    struct {
        cl_mem to;
        cl_int v;
    } args = {buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), 21};
    const void *at = &args.to;
    if (can & CL_EXEC_NATIVE_KERNEL) {
        set_to(&c, args.to, 1);
        OK(clEnqueueNativeKernel(c.queue, store_native, &args, sizeof args, 1, &args.to, &at, 0, NULL, NULL));
        ck_assert_int_eq(counted_from(&c, args.to, 21), N);
        IS(CL_INVALID_VALUE, clEnqueueNativeKernel(c.queue, NULL, &args, sizeof args, 0, NULL, NULL, 0, NULL, NULL));
        IS(CL_INVALID_VALUE, clEnqueueNativeKernel(c.queue, store_native, NULL, 8, 0, NULL, NULL, 0, NULL, NULL));
    } else {
        puts("skipped: no native kernels; they are refused");
        IS(CL_INVALID_OPERATION,
           clEnqueueNativeKernel(c.queue, store_native, &args, sizeof args, 1, &args.to, &at, 0, NULL, NULL));
    }
    OK(clFinish(c.queue));
    ck_assert_int_eq(native_runs, can & CL_EXEC_NATIVE_KERNEL ? 1 : 0); /* and none of what was refused */
    OK(clReleaseMemObject(args.to));
    close_cl(&c);
}
END_TEST

START_TEST(local_memory_and_what_is_wrong_with_it)
{
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "lds");
    const size_t n = N, local = LOCAL;
    set_to(&c, a, 0);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 0, NULL));
    OK(clSetKernelArg(k, 1, LOCAL * sizeof(cl_int), NULL));
    OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
    cl_int got[LOCAL];
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, sizeof got, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < LOCAL; i++)
        ck_assert_int_eq(got[i], 2 * LOCAL - 1 - i);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

/* NULL is a buffer argument's value like any other; what the kernel does with it stands in a condition. */
START_TEST(an_argument_may_be_no_buffer)
{
    struct cl c = open_cl(0);
    static const char text[] = "kernel void either(global const int *in, global int *out, global int *also) {\n"
                               "  size_t i = get_global_id(0); out[i] = in ? in[i] + 1 : 70 + (int)get_group_id(0); if "
                               "(also) also[i] = 2; }\n";
    cl_program p = build(&c, text);
    cl_kernel k = kernel_of(p, "either");
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_mem none = NULL;
    for (int with = 0; with < 4; with++) {
        set_to(&c, a, 5);
        set_to(&c, b, 0);
        OK(clSetKernelArg(k, 0, sizeof none, with & 1 ? &a : &none));
        OK(clSetKernelArg(k, 1, sizeof b, &b));
        OK(clSetKernelArg(k, 2, sizeof none, with & 2 ? &a : &none));
        const size_t n = N, local = LOCAL;
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
        cl_int got[N];
        OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i], with & 1 ? 6 + i : 70 + i / LOCAL);
        OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i], with & 2 ? 2 : 5 + i);
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

/* Values that come once more, that nobody launched with, and buffers where others were before. */
START_TEST(a_launch_has_the_last_value_of_each_argument)
{
    struct cl c = open_cl(0);
    cl_kernel k = kernel_of(c.program, "set"), clone;
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    static const cl_int v[] = {5, 5, 6, 5};
    cl_int err;
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        const cl_int other = 100;
        OK(clSetKernelArg(k, 1, sizeof other, &other));
        OK(clSetKernelArg(k, 1, sizeof v[i], &v[i]));
        OK(clSetKernelArg(k, 0, sizeof a, &a));
        run(&c, k, NULL);
        run(&c, k, NULL);
        ck_assert_int_eq(counted_from(&c, a, v[i]), N);
        set_to(&c, a, 0);
        run(&c, k, NULL);
        ck_assert_int_eq(counted_from(&c, a, v[i]), N);
    }
    const cl_int last = 8, later = 9;
    OK(clSetKernelArg(k, 1, sizeof last, &last));
    clone = clCloneKernel(k, &err); /* of what no launch has seen */
    OK(clSetKernelArg(k, 1, sizeof later, &later));
    if (err == CL_SUCCESS) {
        run(&c, clone, NULL);
        ck_assert_int_eq(counted_from(&c, a, 8), N);
        OK(clReleaseKernel(clone));
    }
    run(&c, k, NULL);
    ck_assert_int_eq(counted_from(&c, a, 9), N);
    for (int i = 0; i < 20; i++) {
        OK(clReleaseMemObject(a));
        a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL); /* often at the same place */
        OK(clSetKernelArg(k, 0, sizeof a, &a));
        run(&c, k, NULL);
        ck_assert_int_eq(counted_from(&c, a, 9), N);
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_code", kernels_in_program_come_all_at_once, a_cloned_kernel_has_the_arguments_and_then_its_own,
             programs_compiled_with_headers_are_linked, a_binary_given_out_can_be_loaded,
             native_kernels_get_memory_for_their_objects, local_memory_and_what_is_wrong_with_it,
             an_argument_may_be_no_buffer, a_launch_has_the_last_value_of_each_argument)
