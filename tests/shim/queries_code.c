/* queries.c's programs and kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/shim/queries.h"

static const struct range program_ranges[] = {{0x1160, 0x1165, false}, {0x1167, 0x1170, false}, {0}};
static const struct range build_ranges[] = {{0x1180, 0x1188, false}, {0}};
static const struct range kernel_ranges[] = {{0x1190, 0x119f, false}, {0}};
static const struct range group_ranges[] = {
    {0x11b0, 0x11bf, false}, {0x2033, 0x2036, false}, {0x4100, 0x410a, false}, {0}};

static const char source[] =
    "kernel void plain(global int *a, constant float *b, const global float4 *restrict c, int d, float8 e) {\n"
    "  size_t i = get_global_id(0); a[i] += d + (int)(b[i] + c[i].x + e.s3); }\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global int *a, local int *t) {\n"
    "  t[get_local_id(0)] = a[get_group_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[0]; }\n"
    "kernel __attribute__((work_group_size_hint(16, 1, 1))) __attribute__((vec_type_hint(float4)))\n"
    "void hinted(global const volatile int *a, global int *b) {\n"
    "  local int t[128]; t[get_local_id(0)] = a[get_num_groups(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  b[get_group_id(0)] = t[1]; }\n"
    "kernel void image(read_only image2d_t in, write_only image2d_t out, sampler_t s, global uint *sum) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(out, at, read_imageui(in, s, at)); atomic_inc(sum); }\n"
    "kernel void nothing(void) { }\n";

static cl_device_id on;
static cl_uint arg_index;
static size_t input[3] = {64, 1, 1}, input_size = sizeof input;

static cl_int of_program(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetProgramInfo(o, what, n, v, ret);
}

static cl_int of_build(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetProgramBuildInfo(o, on, what, n, v, ret);
}

static cl_int of_kernel(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetKernelInfo(o, what, n, v, ret);
}

static cl_int of_arg(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetKernelArgInfo(o, arg_index, what, n, v, ret);
}

static cl_int of_group(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetKernelWorkGroupInfo(o, on, what, n, v, ret);
}

static cl_int of_sub_group(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetKernelSubGroupInfo(o, on, what, input_size, input, n, v, ret);
}

static void ask_kernel(const char *name, cl_kernel k, cl_device_id device)
{
    name_handle(k, name);
    ask_all(name, of_kernel, k, kernel_ranges);
    char text[160];
    for (arg_index = 0; arg_index < 7; arg_index++) {
        snprintf(text, sizeof text, "%s arg%u", name, arg_index);
        ask_all(text, of_arg, k, kernel_ranges);
    }
    for (int i = 0; i < 2; i++) {
        on = i ? NULL : device;
        snprintf(text, sizeof text, "%s group%s", name, i ? " of the only device" : "");
        ask_all(text, of_group, k, group_ranges);
        snprintf(text, sizeof text, "%s subgroup%s", name, i ? " of the only device" : "");
        for (input_size = 0; input_size <= sizeof input; input_size += sizeof *input)
            ask_all(text, of_sub_group, k, group_ranges);
    }
    on = device;
    snprintf(text, sizeof text, "%s-clone", name);
    cl_int err = 77;
    cl_kernel clone = clCloneKernel(k, &err);
    say("%s made %d", text, err);
    if (clone) {
        name_handle(clone, text);
        ask_all(text, of_kernel, clone, kernel_ranges);
        clReleaseKernel(clone);
    }
}

/* The binaries themselves are the driver's, or yoke's container of them. */
static void ask_binaries(const char *name, cl_program p)
{
    size_t n = 77;
    unsigned char *none = NULL, *bytes = NULL;
    cl_int err = clGetProgramInfo(p, CL_PROGRAM_BINARIES, 0, NULL, &n);
    say("%s binaries %d %zu, less %d", name, err, n, clGetProgramInfo(p, CL_PROGRAM_BINARIES, 3, &none, NULL));
    err = clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
    if (err == CL_SUCCESS && n && (bytes = calloc(n, 1)))
        err = clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    say("%s binary given %d, any %d", name, err, bytes != NULL);
    free(bytes);
}

static void ask_program(const char *name, cl_program p, cl_device_id device, bool binaries)
{
    on = device;
    name_handle(p, name);
    ask_all(name, of_program, p, program_ranges);
    char text[128];
    snprintf(text, sizeof text, "%s build", name);
    ask_all(text, of_build, p, build_ranges);
    if (binaries)
        ask_binaries(name, p);
    cl_kernel k[16];
    cl_uint n = 0;
    cl_int err = clCreateKernelsInProgram(p, 16, k, &n);
    say("%s kernels %d %u", name, err, n);
    for (cl_uint i = 0; err == CL_SUCCESS && i < n; i++) {
        char function[64] = "";
        clGetKernelInfo(k[i], CL_KERNEL_FUNCTION_NAME, sizeof function, function, NULL);
        snprintf(text, sizeof text, "%s.%s", name, function);
        name_handle(k[i], text);
        clReleaseKernel(k[i]);
    }
    cl_kernel missing = clCreateKernel(p, "no_such_kernel", &err);
    say("%s without %d %d", name, err, missing != NULL);
}

static const char *const kernels[] = {"plain", "fixed", "hinted", "image", "nothing"};

static void ask_built(cl_context c, cl_device_id device, const char *name, const char *options, bool each)
{
    const char *parts[] = {"/* two strings */\n", source};
    cl_int err;
    cl_program p = clCreateProgramWithSource(c, 2, parts, NULL, &err);
    if (!p)
        return;
    err = clBuildProgram(p, 1, &device, options, NULL, NULL);
    say("%s built %d", name, err);
    ask_program(name, p, device, true);
    for (unsigned i = 0; each && i < sizeof kernels / sizeof *kernels; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s:%s", name, kernels[i]);
        cl_kernel k = clCreateKernel(p, kernels[i], &err);
        say("%s made %d", text, err);
        if (!k)
            continue;
        ask_kernel(text, k, device);
        say("%s build again %d", name, clBuildProgram(p, 1, &device, options, NULL, NULL));
        clReleaseKernel(k);
    }
    clReleaseProgram(p);
}

static cl_program from_source(cl_context c, const char *text)
{
    cl_int err;
    return clCreateProgramWithSource(c, 1, &text, NULL, &err);
}

static void ask_parts(cl_context c, cl_device_id device)
{
    cl_program a = from_source(c, "int twice(int i);\nkernel void go(global int *a) { a[0] = twice(a[0]); }\n");
    cl_program b = from_source(c, "int twice(int i) { return 2 * i; }\n");
    cl_int err = clCompileProgram(a, 1, &device, "-DX=1", 0, NULL, NULL, NULL, NULL);
    say("part compiled %d", err);
    ask_program("part", a, device, false);
    err = clCompileProgram(b, 1, &device, NULL, 0, NULL, NULL, NULL, NULL);
    cl_program both[] = {a, b};
    cl_program linked = clLinkProgram(c, 1, &device, "", 2, both, NULL, NULL, &err);
    say("linked made %d", err);
    if (linked) {
        ask_program("linked", linked, device, true);
        clReleaseProgram(linked);
    }
    cl_program library = clLinkProgram(c, 1, &device, "-create-library", 1, &b, NULL, NULL, &err);
    say("library made %d", err);
    if (library) {
        ask_program("library", library, device, false);
        clReleaseProgram(library);
    }
    clReleaseProgram(a);
    clReleaseProgram(b);
}

static void ask_loaded(cl_context c, cl_device_id device)
{
    cl_program p = from_source(c, source);
    size_t n = 0;
    cl_int err, status = 77;
    if (clBuildProgram(p, 1, &device, "-DLOADED=1", NULL, NULL) == CL_SUCCESS)
        clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
    unsigned char *bytes = malloc(n + 1);
    if (n && clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL) == CL_SUCCESS) {
        const unsigned char *given = bytes;
        cl_program q = clCreateProgramWithBinary(c, 1, &device, &n, &given, &status, &err);
        say("loaded made %d %d", err, status);
        if (q) {
            ask_program("loaded", q, device, true);
            say("loaded built %d", clBuildProgram(q, 1, &device, "-DAGAIN=1", NULL, NULL));
            ask_program("loaded and built", q, device, true);
            clReleaseProgram(q);
        }
    }
    free(bytes);
    clReleaseProgram(p);
}

void ask_of_code(cl_context c, cl_device_id device)
{
    cl_program p = from_source(c, source);
    ask_program("unbuilt", p, device, false);
    clReleaseProgram(p);
    ask_built(c, device, "built", NULL, false);
    ask_built(c, device, "options", " -cl-kernel-arg-info  -DA=1 -I. ", true);
    ask_built(c, device, "bad options", "-no-such-option", false);
    p = from_source(c, "kernel void bad(global int *a) { a[0] = no_such_thing; }\n");
    say("broken built %d", clBuildProgram(p, 1, &device, "-DB=2", NULL, NULL));
    ask_program("broken", p, device, false);
    clReleaseProgram(p);
    p = from_source(c, "kernel void warned(global int *a) { int unused; a[0] = 1; }\n");
    say("warned built %d", clBuildProgram(p, 1, &device, "-Wall", NULL, NULL));
    ask_program("warned", p, device, false);
    clReleaseProgram(p);
    ask_parts(c, device);
    ask_loaded(c, device);
    cl_int err = 77;
    p = clCreateProgramWithBuiltInKernels(c, 1, &device, "no.such.kernel", &err);
    say("built-in made %d", err);
    if (p)
        clReleaseProgram(p);
}
