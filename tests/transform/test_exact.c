/* Kernels without inexact operations give the same bytes on every device of this machine, whoever made it:
 * corpus/exact.cl. */
#include <CL/cl.h>
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"

enum { N = 4096, BYTES = N * 16, DEVICES = 16, KERNELS = 64 };

#define CL(call) ck_assert_msg((call) == CL_SUCCESS, "%s", #call)

/* Bits for a type: no NaN and no denormals, which are a device's own; zeros of both signs, infinities, halves. */
static void fill(void *at, const char *type, unsigned seed)
{
    for (size_t i = 0; i < BYTES / 4; i++) {
        uint32_t bits = (uint32_t)rand_r(&seed) << 16 ^ (uint32_t)rand_r(&seed);
        static const float odd[] = {0.0f, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 8388609.0f, 1e30f, 2147483648.0f};
        float f = bits % 5 == 0 ? odd[bits / 5 % 10] : (float)((int)bits >> (bits & 15)) / 64;
        if (strstr(type, "double"))
            ((double *)at)[i / 2] = (double)f * 1.1;
        else if (strstr(type, "float"))
            ((float *)at)[i] = f;
        else
            ((uint32_t *)at)[i] = bits;
    }
}

/* Run K on one device; its output is OUT. */
static void run(cl_context c, cl_command_queue q, cl_program p, const struct yk_facts_kernel *k, unsigned char *out)
{
    static unsigned char init[BYTES];
    size_t n = N;
    cl_int e;
    cl_mem m[3];
    cl_kernel kernel = clCreateKernel(p, k->name, &e);
    ck_assert_int_eq(e, CL_SUCCESS);
    for (unsigned i = 0; i < k->nargs; i++) {
        memset(init, 0, sizeof init);
        if (i)
            fill(init, k->arg[i].type, i);
        m[i] = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, BYTES, init, &e);
        ck_assert_int_eq(e, CL_SUCCESS);
        CL(clSetKernelArg(kernel, i, sizeof m[i], &m[i]));
    }
    CL(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(q, m[0], CL_TRUE, 0, BYTES, out, 0, NULL, NULL));
    for (unsigned i = 0; i < k->nargs; i++)
        clReleaseMemObject(m[i]);
    clReleaseKernel(kernel);
}

static unsigned devices(cl_device_id *d)
{
    cl_platform_id platforms[DEVICES];
    cl_uint np = 0, n = 0;
    CL(clGetPlatformIDs(DEVICES, platforms, &np));
    for (cl_uint i = 0; i < np; i++) {
        cl_uint one = 0;
        cl_int e = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &d[n], &one);
        fprintf(stderr, "platform %u: %d, %u devices\n", i, e, one);
        n += e == CL_SUCCESS && one;
    }
    return n;
}

static void run_all(cl_device_id d, const struct corpus_file *f, const struct yk_facts *facts,
                    unsigned char (*out)[BYTES])
{
    char name[128];
    cl_int e;
    CL(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL));
    fprintf(stderr, "device: %s\n", name);
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &e);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, &e);
    const char *text = f->text;
    cl_program p = clCreateProgramWithSource(c, 1, &text, &f->size, &e);
    CL(clBuildProgram(p, 1, &d, "", NULL, NULL));
    for (unsigned k = 0; k < facts->nkernels; k++)
        run(c, q, p, &facts->kernel[k], out[k]);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}

START_TEST(exact_kernels_give_the_same_bytes_everywhere)
{
    static unsigned char first[KERNELS][BYTES], other[KERNELS][BYTES];
    struct corpus_file f = {.path = "tests/transform/corpus/exact.cl", .options = ""};
    struct yk_facts facts;
    cl_device_id d[DEVICES];
    f.text = corpus_read(f.path, &f.size);
    corpus_facts(&f, &facts);
    ck_assert_uint_gt(facts.nkernels, 30);
    ck_assert_uint_le(facts.nkernels, KERNELS);
    for (unsigned k = 0; k < facts.nkernels; k++)
        ck_assert_msg(!facts.kernel[k].inexact, "%s is inexact", facts.kernel[k].name);
    unsigned n = devices(d), wrong = 0;
    ck_assert_uint_ge(n, 1);
    run_all(d[0], &f, &facts, first);
    for (unsigned i = 1; i < n; i++) {
        run_all(d[i], &f, &facts, other);
        for (unsigned k = 0; k < facts.nkernels; k++) {
            unsigned differ = 0;
            for (unsigned b = 0; b < BYTES; b += 4)
                differ += memcmp(&first[k][b], &other[k][b], 4) != 0;
            if (differ)
                fprintf(stderr, "%s: %u words differ on device %u\n", facts.kernel[k].name, differ, i);
            wrong += differ != 0;
        }
    }
    yk_facts_finish(&facts);
    free(f.text);
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

YK_TEST_MAIN("exact", exact_kernels_give_the_same_bytes_everywhere)
