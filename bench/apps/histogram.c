/* USE_HOST_PTR input; two kernels, the second reading what all work-groups of the first wrote; or global atomics into a
 * result cleared by clEnqueueFillBuffer. */
#include "app.h"

#include <stdlib.h>

#include "histogram.cl.h"

#define BINS      256
#define PER_GROUP 32768

static const struct app_spec spec = {
    .name = "histogram",
    .what = "256 bins of 8-bit numbers",
    .unit = "numbers",
    .sizes = {{"small", 262144}, {"table2", 16777216}, {"table2x16", 268435456}},
    .min = PER_GROUP,
    .max = 1u << 31,
    .multiple = PER_GROUP,
    .repeat = 1,
    .repeat_unit = "times the whole histogram",
    .mode = "atomics",
    .mode_help = "count with global atomics instead of a histogram per work-group",
};

static void launch(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local)
{
    app_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size;
    cl_uint groups = (cl_uint)(n / PER_GROUP), zero = 0;
    unsigned char *data = app_alloc(n);
    uint64_t seed = 3;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = app_random(&seed);
        data[i] = (unsigned char)((r & 255) * (r >> 8 & 255) >> 8); /* uneven: small numbers are common */
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel count = app_kernel(program, app.mode ? "count_atomic" : "count");
    cl_kernel merge = app_kernel(program, "merge");
    cl_mem in = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, n, data);
    cl_mem partial = app_buffer(&app, CL_MEM_READ_WRITE, (size_t)groups * BINS * sizeof(cl_uint), NULL);
    cl_mem out = app_buffer(&app, CL_MEM_READ_WRITE, BINS * sizeof(cl_uint), NULL);
    APP_ARG(count, 0, in);
    APP_ARG(merge, 0, partial);
    APP_ARG(merge, 1, out);
    APP_ARG(merge, 2, groups);

    cl_uint histogram[BINS];
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        if (app.mode) {
            app_check(clEnqueueFillBuffer(queue, out, &zero, sizeof(zero), 0, sizeof(histogram), 0, NULL, NULL),
                      "clEnqueueFillBuffer");
            APP_ARG(count, 1, out);
            launch(queue, count, n / 4, 256);
        } else {
            APP_ARG(count, 1, partial);
            launch(queue, count, (size_t)groups * 256, 256);
            launch(queue, merge, BINS, 32);
        }
    }
    app_check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(histogram), histogram, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    app_clock_stop(&app);

    if (app.verify) {
        cl_uint want[BINS] = {0};
        for (size_t i = 0; i < n; i++) {
            want[data[i]]++;
        }
        for (size_t b = 0; b < BINS; b++) {
            if (histogram[b] != want[b]) {
                app_wrong(&app, b, histogram[b], want[b]);
            }
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(partial);
    clReleaseMemObject(out);
    clReleaseKernel(count);
    clReleaseKernel(merge);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, histogram, sizeof(histogram));
    free(data);
    return status;
}
