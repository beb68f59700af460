/* Programs in every stage on their way from source to kernel, and a line for each thing they tell there: created,
 * compiled, linked to a library or an executable, given out as a binary and taken in again at each stage, broken, built
 * anew. A plain OpenCL program that knows nothing of yoke. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1024 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void tell(const char *name, cl_program p)
{
    cl_build_status status = 77;
    cl_program_binary_type type = 77;
    size_t options = 0, kernels = 77, names = 0, size = 0, source = 0;
    cl_uint devices = 77;
    char text[512] = "", list[256] = "";
    cl_int a = clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    cl_int b = clGetProgramBuildInfo(p, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
    cl_int c = clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, &options);
    cl_int d = clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL);
    cl_int e = clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof list, list, &names);
    cl_int f = clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    cl_int g = clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &source);
    cl_int h = clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL);
    printf("%s: status %d %d, type %d %u, options %d %zu \"%s\", kernels %d %zu, names %d %zu \"%s\", binary %d %s, "
           "source %d %zu, devices %d %u\n",
           name, a, status, b, type, c, options, text, d, d ? 0 : kernels, e, names, list, f, size ? "any" : "none", g,
           source, h, devices);
    fflush(stdout);
}

static cl_program made(const char *name, cl_program p, cl_int err)
{
    printf("%s made: %d %s\n", name, err, p ? "made" : "nothing");
    if (p)
        tell(name, p);
    return p;
}

static cl_program source_of(const char *name, const char *text)
{
    cl_int err = 77;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    return made(name, p, err);
}

/* Run every kernel of P: each is (global int *a). */
static void run(const char *name, cl_program p)
{
    cl_kernel k[8];
    cl_uint n = 0;
    cl_int err = p ? clCreateKernelsInProgram(p, 8, k, &n) : -1;
    unsigned sum = 0;
    for (cl_uint i = 0; err == CL_SUCCESS && i < n; i++) {
        cl_int *got = calloc(N, sizeof *got);
        const size_t global = N, local = 64;
        cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * sizeof *got, got, &err);
        clSetKernelArg(k[i], 0, sizeof a, &a);
        for (int round = 0; round < 2; round++)
            err |= clEnqueueNDRangeKernel(queue, k[i], 1, NULL, &global, &local, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(queue, a, CL_TRUE, 0, N * sizeof *got, got, 0, NULL, NULL);
        for (int j = 0; j < N; j++)
            sum += (unsigned)(got[j] * (j % 13 + 1));
        clReleaseMemObject(a);
        clReleaseKernel(k[i]);
        free(got);
    }
    printf("%s runs: %d, %u kernels, sum %u\n", name, err, n, sum);
    fflush(stdout);
}

/* P's binary as a program of its own. */
static cl_program again(const char *name, cl_program p)
{
    size_t size = 0;
    cl_int err = clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), status = 77;
    unsigned char *bytes = calloc(size + 1, 1);
    if (err == CL_SUCCESS)
        err = clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    const unsigned char *binary = bytes;
    cl_program q = NULL;
    if (err == CL_SUCCESS && size)
        q = clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &err);
    printf("%s taken in: %d, status %d\n", name, err, status);
    free(bytes);
    return made(name, q, err);
}

static int called;
static cl_build_status told;
static void CL_CALLBACK call(cl_program p, void *data)
{
    told = 77;
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof told, &told, NULL);
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

static void await(const char *name)
{
    for (int i = 0; i < 10000 && !__atomic_load_n(&called, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    printf("%s called: %d, status %d\n", name, __atomic_exchange_n(&called, 0, __ATOMIC_ACQ_REL), told);
}

static const char *const parts[] = {
    ("#include \"shared.h\"\nint step(int i);\n"
     "kernel void first(global int *a) { int i = get_global_id(0); a[i] += step(i) * FACTOR; }\n"),
    "int step(int i) { return i * 3 + 1; }\n",
    "kernel void second(global int *a) { a[get_global_id(0)] -= 5 + (int)get_group_id(0); }\n",
    "kernel void broken(global int *a) { a[0] = nowhere; }\n"};

static void compile_and_link(void)
{
    cl_int err = 77;
    const char *names[] = {"shared.h"};
    cl_program header = source_of("header", "#define FACTOR 7\n"), object[3], one;
    object[0] = source_of("object 0", parts[0]);
    object[1] = source_of("object 1", parts[1]);
    object[2] = source_of("object 2", parts[2]);
    printf("compile 0: %d\n", clCompileProgram(object[0], 1, &device, "", 1, &header, names, NULL, NULL));
    printf("compile 1: %d\n", clCompileProgram(object[1], 1, &device, "-cl-opt-disable", 0, NULL, NULL, call, &called));
    await("compile 1");
    printf("compile 2: %d\n", clCompileProgram(object[2], 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "compiled %d", i);
        tell(name, object[i]);
        printf("%s as kernels: %d\n", name, clCreateKernelsInProgram(object[i], 0, NULL, NULL));
    }
    one = clLinkProgram(context, 1, &device, "", 3, object, NULL, NULL, &err);
    run("linked", made("linked", one, err));
    cl_program loaded = again("linked again", one);
    if (loaded) {
        printf("linked again built: %d\n", clBuildProgram(loaded, 1, &device, "", NULL, NULL));
        tell("linked again built", loaded);
        run("linked again", loaded);
        clReleaseProgram(loaded);
    }
    cl_program library = clLinkProgram(context, 1, &device, "-create-library", 2, &object[1], NULL, NULL, &err);
    made("library", library, err);
    cl_program with[2] = {object[0], library}, reloaded[2];
    cl_program two = clLinkProgram(context, 1, &device, "", 2, with, call, &called, &err);
    await("link with library");
    run("with library", made("with library", two, err));
    reloaded[0] = again("object 0 again", object[0]);
    reloaded[1] = library ? again("library again", library) : NULL;
    if (reloaded[0] && reloaded[1]) {
        cl_program three = clLinkProgram(context, 1, &device, "", 2, reloaded, NULL, NULL, &err);
        run("of reloaded", made("of reloaded", three, err));
        if (three)
            clReleaseProgram(three);
    }
    err = 77;
    cl_program missing = clLinkProgram(context, 1, &device, "", 1, &object[0], NULL, NULL, &err);
    made("without its part", missing, err);
    err = 77; /* no program comes back, or a failed one: the function is called with it all the same */
    missing = clLinkProgram(context, 1, &device, "", 1, &object[0], call, &called, &err);
    await("link without its part");
    made("without its part, with a call", missing, err);
}

static void build_and_again(void)
{
    cl_program p = source_of("whole", parts[2]), bad = source_of("bad", parts[3]);
    printf("whole built: %d\n", clBuildProgram(p, 1, &device, "-DX=1 -w", NULL, NULL));
    tell("whole built", p);
    run("whole", p);
    printf("whole built anew: %d\n", clBuildProgram(p, 1, &device, "-cl-opt-disable", call, &called));
    tell("whole built anew", p);
    run("whole at once", p); /* as good as built, if the driver does not build behind the call */
    await("whole built anew");
    tell("whole built anew and told", p);
    run("whole anew", p);
    printf("whole built wrongly: %d\n", clBuildProgram(p, 1, &device, "-no-such-option", NULL, NULL));
    tell("whole built wrongly", p);
    printf("whole built rightly: %d\n", clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    tell("whole built rightly", p);
    run("whole rightly", p);
    cl_program loaded = again("whole again", p), twice;
    if (loaded) {
        printf("whole again built: %d\n", clBuildProgram(loaded, 1, &device, "", NULL, NULL));
        run("whole again", loaded);
        twice = again("whole twice", loaded);
        if (twice) {
            printf("whole twice built: %d\n", clBuildProgram(twice, 1, &device, "", NULL, NULL));
            run("whole twice", twice);
        }
    }
    printf("bad built: %d\n", clBuildProgram(bad, 1, &device, "", call, &called));
    tell("bad built", bad);
    await("bad built");
    tell("bad built and told", bad);
    printf("bad compiled: %d\n", clCompileProgram(bad, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    tell("bad compiled", bad);
}

/* Source in pieces: with lengths, without an end, with nothing between. */
static void pieces(void)
{
    const char *text[] = {"kernel void piece(glob???", "", "al int *a) { a[get_global_id(0)]", " = 4; }\n/* beyond"};
    const size_t lengths[] = {22, 0, 0, 9};
    cl_int err = 77;
    char *source = calloc(1, 512);
    size_t n = 0;
    cl_program p = clCreateProgramWithSource(context, 4, text, lengths, &err);
    made("pieces", p, err);
    err = clGetProgramInfo(p, CL_PROGRAM_SOURCE, 512, source, &n);
    printf("pieces source: %d %zu |%s|\n", err, n, source);
    printf("pieces built: %d\n", clBuildProgram(p, 1, &device, "", NULL, NULL));
    run("pieces", p);
    free(source);
}

int main(void)
{
    cl_platform_id platform;
    cl_int err;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    pieces();
    build_and_again();
    compile_and_link();
    return 0;
}
