/* Rounds of two writes, a launch and a read, none of them blocking, and one finish. Much in, little out. */
#include "app.h"

#include <stdlib.h>

#include "scalar_product.cl.h"

#define LENGTH 1024

static const struct app_spec spec = {
    .name = "scalar_product",
    .what = "scalar products of pairs of vectors of 1,024 numbers",
    .unit = "pairs",
    .sizes = {{"small", 1024}, {"table2", 16384}, {"table2x16", 262144}},
    .min = 1,
    .max = 1u << 22,
    .multiple = 1,
    .repeat = 1,
    .repeat_unit = "rounds of writes, launch and read",
    .mode = "profile",
    .mode_help = "time the kernels by their events",
};

static void check(struct app *app, const float *a, const float *b, const float *got)
{
    size_t step = app_check_step(app, app->size, 65536);
    for (size_t i = 0; i < app->size; i += step) {
        double sum = 0, magnitude = 0;
        for (size_t k = i * LENGTH; k < (i + 1) * LENGTH; k++) {
            sum += (double)a[k] * (double)b[k];
            magnitude += (double)(a[k] * b[k] < 0 ? -a[k] * b[k] : a[k] * b[k]);
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
    size_t bytes = app.size * LENGTH * sizeof(float), out_bytes = app.size * sizeof(float);
    float *a = app_alloc(bytes), *b = app_alloc(bytes), *out = app_alloc(out_bytes);
    uint64_t seed = 21;
    for (size_t i = 0; i < app.size * LENGTH; i++) {
        a[i] = app_random_float(&seed) - 0.5f;
        b[i] = app_random_float(&seed);
    }

    cl_command_queue queue = app_queue(&app, app.mode ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel kernel = app_kernel(program, "scalar_product");
    cl_mem da = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem db = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem result = app_buffer(&app, CL_MEM_WRITE_ONLY, out_bytes, NULL);
    size_t local = 128, global = app.size * local;
    cl_uint length = LENGTH;
    APP_ARG(kernel, 0, da);
    APP_ARG(kernel, 1, db);
    APP_ARG(kernel, 2, result);
    APP_ARG(kernel, 3, length);
    app_check(clSetKernelArg(kernel, 4, local * sizeof(float), NULL), "clSetKernelArg");

    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        cl_event launched = NULL;
        app_round_start(&app);
        app_check(clEnqueueWriteBuffer(queue, da, CL_FALSE, 0, bytes, a, 0, NULL, NULL), "clEnqueueWriteBuffer");
        app_check(clEnqueueWriteBuffer(queue, db, CL_FALSE, 0, bytes, b, 0, NULL, NULL), "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, app.mode ? &launched : NULL),
                  "clEnqueueNDRangeKernel");
        app_check(clEnqueueReadBuffer(queue, result, CL_FALSE, 0, out_bytes, out, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
        app_check(clFinish(queue), "clFinish");
        app_round_stop(&app);
        if (app.mode) {
            app_profile_add(&app, launched);
            clReleaseEvent(launched);
        }
    }
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, a, b, out);
    }
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, out_bytes);
    free(a);
    free(b);
    free(out);
    return status;
}
