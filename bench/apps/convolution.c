/* An out-of-order queue (where the device has one) ordered by events alone: clear the rim, write each channel into its
 * middle as a rectangle, launch, read. A three-dimensional range. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "convolution.cl.h"

#define CHANNELS 3
#define RADIUS   3
#define FILTER   (2 * RADIUS + 1)

static const struct app_spec spec = {
    .name = "convolution",
    .what = "7 x 7 filter over a square image of 3 channels",
    .unit = "rows",
    .sizes = {{"small", 64}, {"table2", 1024}, {"table2x16", 4096}},
    .min = 16,
    .max = 16384,
    .multiple = 16,
    .repeat = 1,
    .repeat_unit = "launches",
};

static void check(struct app *app, const float *image, const float filter[FILTER * FILTER], const float *got)
{
    size_t n = app->size, count = CHANNELS * n * n, step = app_check_step(app, count, 4000000);
    for (size_t i = 0; i < count; i += step) {
        size_t channel = i / (n * n), y = i / n % n, x = i % n;
        double sum = 0, magnitude = 1;
        for (size_t fy = 0; fy < FILTER; fy++) {
            for (size_t fx = 0; fx < FILTER; fx++) {
                size_t sy = y + fy - RADIUS, sx = x + fx - RADIUS; /* wraps around below 0: beyond n too */
                if (sy < n && sx < n) {
                    double product = (double)filter[fy * FILTER + fx] * (double)image[(channel * n + sy) * n + sx];
                    sum += product;
                    magnitude += fabs(product);
                }
            }
        }
        if (!app_near(got[i], sum, 1e-5 * magnitude)) {
            app_wrong(app, i, got[i], sum);
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, wide = n + 2 * RADIUS, bytes = CHANNELS * n * n * sizeof(float);
    float *image = app_alloc(bytes), *out = app_alloc(bytes), filter[FILTER * FILTER];
    uint64_t seed = 18;
    for (size_t i = 0; i < CHANNELS * n * n; i++) {
        image[i] = app_random_float(&seed) * 255;
    }
    for (size_t i = 0; i < FILTER * FILTER; i++) {
        filter[i] = app_random_float(&seed) - 0.3f;
    }

    cl_command_queue_properties any_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue queue = app_queue(&app, app_queue_can(&app, any_order) ? any_order : 0);
    cl_program program = app_build(&app, kernels, "-D RADIUS=3");
    cl_kernel convolve = app_kernel(program, "convolve");
    size_t padded_bytes = CHANNELS * wide * wide * sizeof(float);
    cl_mem padded = app_buffer(&app, CL_MEM_READ_ONLY, padded_bytes, NULL);
    cl_mem result = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_mem weights = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(filter), filter);
    APP_ARG(convolve, 0, padded);
    APP_ARG(convolve, 1, result);
    APP_ARG(convolve, 2, weights);

    const float zero = 0;
    cl_event cleared, written[CHANNELS], read;
    app_clock_start(&app);
    app_check(clEnqueueFillBuffer(queue, padded, &zero, sizeof(zero), 0, padded_bytes, 0, NULL, &cleared),
              "clEnqueueFillBuffer");
    for (size_t c = 0; c < CHANNELS; c++) {
        size_t to[3] = {RADIUS * sizeof(float), RADIUS, c}, from[3] = {0, 0, c}, region[3] = {n * sizeof(float), n, 1};
        app_check(clEnqueueWriteBufferRect(queue, padded, CL_FALSE, to, from, region, wide * sizeof(float),
                                           wide * wide * sizeof(float), n * sizeof(float), n * n * sizeof(float), image,
                                           1, &cleared, &written[c]),
                  "clEnqueueWriteBufferRect");
    }
    size_t global[3] = {n, n, CHANNELS}, local[3] = {16, 16, 1};
    cl_event before = NULL, done = NULL;
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueNDRangeKernel(queue, convolve, 3, NULL, global, local, k ? 1 : CHANNELS,
                                         k ? &before : written, &done),
                  "clEnqueueNDRangeKernel");
        if (before) {
            clReleaseEvent(before);
        }
        before = done;
    }
    app_check(clEnqueueReadBuffer(queue, result, CL_FALSE, 0, bytes, out, 1, &done, &read), "clEnqueueReadBuffer");
    app_check(clWaitForEvents(1, &read), "clWaitForEvents");
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, image, filter, out);
    }
    clReleaseEvent(cleared);
    for (int c = 0; c < CHANNELS; c++) {
        clReleaseEvent(written[c]);
    }
    clReleaseEvent(done);
    clReleaseEvent(read);
    clReleaseMemObject(padded);
    clReleaseMemObject(result);
    clReleaseMemObject(weights);
    clReleaseKernel(convolve);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(image);
    free(out);
    return status;
}
