/* Two queues of one device: one moves data, one computes; events order them across the queues. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "matrix_multiply.cl.h"

static const struct app_spec spec = {
    .name = "matrix_multiply",
    .what = "product of two square matrices in single precision",
    .unit = "rows",
    .sizes = {{"small", 128}, {"table2", 1024}, {"table2x16", 2592}},
    .min = 32,
    .max = 16384,
    .multiple = 32,
    .repeat = 1,
    .repeat_unit = "launches",
};

static void check(struct app *app, const float *a, const float *b, const float *c)
{
    size_t n = app->size, step = app_check_step(app, n * n, 100000000 / n + 1);
    for (size_t i = 0; i < n * n; i += step) {
        size_t y = i / n, x = i % n;
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < n; k++) {
            double product = (double)a[y * n + k] * (double)b[k * n + x];
            sum += product;
            magnitude += fabs(product);
        }
        if (!app_near(c[i], sum, 1e-5 * magnitude)) {
            app_wrong(app, i, c[i], sum);
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * n * sizeof(float);
    float *a = app_alloc(bytes), *b = app_alloc(bytes), *c = app_alloc(bytes);
    uint64_t seed = 9;
    for (size_t i = 0; i < n * n; i++) {
        a[i] = app_random_float(&seed) - 0.5f;
        b[i] = app_random_float(&seed) - 0.5f;
    }

    cl_command_queue move = app_queue(&app, 0), compute = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel multiply = app_kernel(program, "multiply");
    cl_mem da = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem db = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem dc = app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL);
    cl_uint n4 = (cl_uint)(n / 4);
    APP_ARG(multiply, 0, da);
    APP_ARG(multiply, 1, db);
    APP_ARG(multiply, 2, dc);
    APP_ARG(multiply, 3, n4);

    cl_event written[2], done, read;
    size_t global[2] = {n / 4, n / 4}, local[2] = {8, 8};
    app_clock_start(&app);
    app_check(clEnqueueWriteBuffer(move, da, CL_FALSE, 0, bytes, a, 0, NULL, &written[0]), "clEnqueueWriteBuffer");
    app_check(clEnqueueWriteBuffer(move, db, CL_FALSE, 0, bytes, b, 0, NULL, &written[1]), "clEnqueueWriteBuffer");
    app_check(clFlush(move), "clFlush");
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueNDRangeKernel(compute, multiply, 2, NULL, global, local, k ? 0 : 2, k ? NULL : written,
                                         k + 1 == app.repeat ? &done : NULL),
                  "clEnqueueNDRangeKernel");
    }
    app_check(clFlush(compute), "clFlush");
    app_check(clEnqueueReadBuffer(move, dc, CL_FALSE, 0, bytes, c, 1, &done, &read), "clEnqueueReadBuffer");
    app_check(clWaitForEvents(1, &read), "clWaitForEvents");
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, a, b, c);
    }
    clReleaseEvent(written[0]);
    clReleaseEvent(written[1]);
    clReleaseEvent(done);
    clReleaseEvent(read);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    clReleaseKernel(multiply);
    clReleaseProgram(program);
    clReleaseCommandQueue(move);
    clReleaseCommandQueue(compute);
    int status = app_end(&app, c, bytes);
    free(a);
    free(b);
    free(c);
    return status;
}
