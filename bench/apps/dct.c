/* Rounds of writes, a launch and a read without blocking; as much out as in, and a few constants that all need. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "dct.cl.h"

#define SIDE 8

static const struct app_spec spec = {
    .name = "dct",
    .what = "discrete cosine transform of the 8 x 8 blocks of a square image",
    .unit = "rows",
    .sizes = {{"small", 256}, {"table2", 4096}, {"table2x16", 16384}},
    .min = 32,
    .max = 32768,
    .multiple = 32,
    .repeat = 1,
    .repeat_unit = "rounds of writes, launch and read",
    .mode = "profile",
    .mode_help = "time the kernels by their events",
};

/* Row k: the k-th cosine over a block's side. */
static void make_basis(float basis[SIDE * SIDE])
{
    for (int k = 0; k < SIDE; k++) {
        for (int i = 0; i < SIDE; i++) {
            basis[k * SIDE + i] = (float)(sqrt(k ? 0.25 : 0.125) * cos(M_PI * (2 * i + 1) * k / (2 * SIDE)));
        }
    }
}

static void check(struct app *app, const float *image, const float basis[SIDE * SIDE], const float *got)
{
    size_t n = app->size, wide = n / SIDE, step = app_check_step(app, wide * wide, 20000);
    for (size_t b = 0; b < wide * wide; b += step) {
        const size_t at = b / wide * SIDE * n + b % wide * SIDE;
        double rows[SIDE][SIDE] = {{0}};
        for (size_t y = 0; y < SIDE; y++) {
            for (size_t x = 0; x < SIDE; x++) {
                for (size_t k = 0; k < SIDE; k++) {
                    rows[y][x] += (double)basis[x * SIDE + k] * (double)image[at + y * n + k];
                }
            }
        }
        for (size_t y = 0; y < SIDE; y++) {
            for (size_t x = 0; x < SIDE; x++) {
                double sum = 0;
                for (size_t k = 0; k < SIDE; k++) {
                    sum += (double)basis[y * SIDE + k] * rows[k][x];
                }
                if (!app_near(got[at + y * n + x], sum, 2e-3)) {
                    app_wrong(app, at + y * n + x, got[at + y * n + x], sum);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * n * sizeof(float);
    float *image = app_alloc(bytes), *out = app_alloc(bytes), basis[SIDE * SIDE];
    uint64_t seed = 23;
    make_basis(basis);
    for (size_t i = 0; i < n * n; i++) {
        image[i] = app_random_float(&seed) * 255;
    }

    cl_command_queue queue = app_queue(&app, app.mode ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel kernel = app_kernel(program, "dct");
    cl_mem in = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem result = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_mem cosines = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(basis), NULL);
    cl_uint width = (cl_uint)n;
    APP_ARG(kernel, 0, in);
    APP_ARG(kernel, 1, result);
    APP_ARG(kernel, 2, cosines);
    APP_ARG(kernel, 3, width);

    size_t global[2] = {n, n}, local[2] = {32, 8};
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        cl_event launched = NULL;
        app_round_start(&app);
        app_check(clEnqueueWriteBuffer(queue, cosines, CL_FALSE, 0, sizeof(basis), basis, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, bytes, image, 0, NULL, NULL), "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, app.mode ? &launched : NULL),
                  "clEnqueueNDRangeKernel");
        app_check(clEnqueueReadBuffer(queue, result, CL_FALSE, 0, bytes, out, 0, NULL, NULL), "clEnqueueReadBuffer");
        app_check(clFinish(queue), "clFinish");
        app_round_stop(&app);
        if (app.mode) {
            app_profile_add(&app, launched);
            clReleaseEvent(launched);
        }
    }
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, image, basis, out);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(result);
    clReleaseMemObject(cosines);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(image);
    free(out);
    return status;
}
