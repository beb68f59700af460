/* A user of Debian's CLBlast: a few routines of each level, checked against plain C. Prints "result=OK". */
#include <clblast_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 192, N = 160, K = 128, LEN = 40000 };

static cl_context context;
static cl_command_queue queue;

static void need(int ok, const char *what)
{
    if (ok)
        return;
    printf("clblast_sample result=FAILED: %s\n", what);
    exit(1);
}

static cl_mem filled(size_t n, unsigned seed, float *host)
{
    cl_int e;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        host[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *host, host, &e);
    need(e == CL_SUCCESS, "clCreateBuffer");
    return m;
}

static void get(cl_mem m, size_t n, float *host)
{
    need(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, n * sizeof *host, host, 0, NULL, NULL) == CL_SUCCESS, "read");
}

static int close_to(double got, double want, double scale)
{
    return fabs(got - want) <= 1e-4 * (scale + fabs(want));
}

static void check_gemm(void)
{
    float *a = calloc(M * K, 4), *b = calloc(K * N, 4), *c = calloc(M * N, 4), *d = calloc(M * N, 4);
    cl_mem ma = filled(M * K, 1, a), mb = filled(K * N, 2, b), mc = filled(M * N, 3, c);
    need(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, M, N, K, 1.5f, ma, 0, K, mb, 0, N,
                      0.5f, mc, 0, N, &queue, NULL) == CLBlastSuccess,
         "Sgemm");
    get(mc, M * N, d);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += (double)a[i * K + k] * (double)b[k * N + j];
            need(close_to((double)d[i * N + j], 1.5 * sum + 0.5 * (double)c[i * N + j], 4), "Sgemm's values");
        }
    clReleaseMemObject(ma), clReleaseMemObject(mb), clReleaseMemObject(mc);
    free(a), free(b), free(c), free(d);
}

static void check_vectors(void)
{
    float *x = calloc(LEN, 4), *y = calloc(LEN, 4), *z = calloc(LEN, 4), dot;
    cl_mem mx = filled(LEN, 4, x), my = filled(LEN, 5, y);
    cl_mem mdot = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, NULL);
    double sum = 0;
    for (size_t i = 0; i < LEN; i++)
        sum += (double)x[i] * (double)y[i];
    need(CLBlastSdot(LEN, mdot, 0, mx, 0, 1, my, 0, 1, &queue, NULL) == CLBlastSuccess, "Sdot");
    get(mdot, 1, &dot);
    need(close_to((double)dot, sum, 100), "Sdot's value");
    need(CLBlastSaxpy(LEN, 2.25f, mx, 0, 1, my, 0, 1, &queue, NULL) == CLBlastSuccess, "Saxpy");
    get(my, LEN, z);
    for (size_t i = 0; i < LEN; i++)
        need(close_to((double)z[i], 2.25 * (double)x[i] + (double)y[i], 1), "Saxpy's values");
    clReleaseMemObject(mx), clReleaseMemObject(my), clReleaseMemObject(mdot);
    free(x), free(y), free(z);
}

static void check_transpose(void)
{
    float *a = calloc(M * N, 4), *b = calloc(M * N, 4);
    cl_mem ma = filled(M * N, 6, a), mb = filled(M * N, 7, b);
    need(CLBlastSomatcopy(CLBlastLayoutRowMajor, CLBlastTransposeYes, M, N, 1.0f, ma, 0, N, mb, 0, M, &queue, NULL) ==
             CLBlastSuccess,
         "Somatcopy");
    get(mb, M * N, b);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            need(b[j * M + i] == a[i * N + j], "Somatcopy's values");
    clReleaseMemObject(ma), clReleaseMemObject(mb);
    free(a), free(b);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    need(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "a platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "a device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    need(e == CL_SUCCESS, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &e);
    need(e == CL_SUCCESS, "clCreateCommandQueue");
    check_gemm();
    check_vectors();
    check_transpose();
    CLBlastClearCache();
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    puts("clblast_sample result=OK");
    return 0;
}
