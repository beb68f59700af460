/* A user of Debian's clFFT: batched complex transforms forward (against the definition) and back. Prints "result=OK".
 */
#include <clFFT.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1024, BATCH = 64 };

static void need(int ok, const char *what)
{
    if (ok)
        return;
    printf("clfft_sample result=FAILED: %s\n", what);
    exit(1);
}

/* A few values of the transform of row ROW by the definition. */
static void check_forward(const float *in, const float *out, size_t row)
{
    const float *x = in + 2 * LENGTH * row, *y = out + 2 * LENGTH * row;
    for (size_t k = 0; k < LENGTH; k += 211) {
        double re = 0, im = 0;
        for (size_t i = 0; i < LENGTH; i++) {
            double angle = -2 * M_PI * (double)(i * k % LENGTH) / LENGTH;
            re += (double)x[2 * i] * cos(angle) - (double)x[2 * i + 1] * sin(angle);
            im += (double)x[2 * i] * sin(angle) + (double)x[2 * i + 1] * cos(angle);
        }
        need(fabs(re - (double)y[2 * k]) < 1e-2 && fabs(im - (double)y[2 * k + 1]) < 1e-2, "the forward transform");
    }
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    size_t length = LENGTH, n = (size_t)2 * LENGTH * BATCH;
    float *in = calloc(n, sizeof *in), *out = calloc(n, sizeof *out);
    unsigned seed = 1;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
    need(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "a platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "a device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    need(e == CL_SUCCESS, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    need(e == CL_SUCCESS, "clCreateCommandQueue");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *in, in, &e);
    need(e == CL_SUCCESS, "clCreateBuffer");

    clfftSetupData setup = {clfftVersionMajor, clfftVersionMinor, clfftVersionPatch, 0};
    clfftPlanHandle plan;
    need(clfftSetup(&setup) == CLFFT_SUCCESS, "clfftSetup");
    need(clfftCreateDefaultPlan(&plan, context, CLFFT_1D, &length) == CLFFT_SUCCESS, "clfftCreateDefaultPlan");
    need(clfftSetPlanPrecision(plan, CLFFT_SINGLE) == CLFFT_SUCCESS, "precision");
    need(clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED) == CLFFT_SUCCESS, "layout");
    need(clfftSetResultLocation(plan, CLFFT_INPLACE) == CLFFT_SUCCESS, "place");
    need(clfftSetPlanBatchSize(plan, BATCH) == CLFFT_SUCCESS, "batch");
    need(clfftBakePlan(plan, 1, &queue, NULL, NULL) == CLFFT_SUCCESS, "clfftBakePlan");

    need(clfftEnqueueTransform(plan, CLFFT_FORWARD, 1, &queue, 0, NULL, NULL, &buffer, NULL, NULL) == CLFFT_SUCCESS,
         "forward");
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * sizeof *out, out, 0, NULL, NULL) == CL_SUCCESS, "read");
    for (size_t row = 0; row < BATCH; row += 9)
        check_forward(in, out, row);
    need(clfftEnqueueTransform(plan, CLFFT_BACKWARD, 1, &queue, 0, NULL, NULL, &buffer, NULL, NULL) == CLFFT_SUCCESS,
         "backward");
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * sizeof *out, out, 0, NULL, NULL) == CL_SUCCESS, "read");
    for (size_t i = 0; i < n; i++)
        need(fabs((double)(out[i] - in[i])) < 1e-4, "there and back");

    clfftDestroyPlan(&plan);
    clfftTeardown();
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(in), free(out);
    puts("clfft_sample result=OK");
    return 0;
}
