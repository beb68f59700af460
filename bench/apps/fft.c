/* Rounds of a write, a launch and a read without blocking; as much out as in. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "fft.cl.h"

#define POINTS 1024

static const struct app_spec spec = {
    .name = "fft",
    .what = "Fourier transforms of lines of 1,024 complex numbers",
    .unit = "lines",
    .sizes = {{"small", 512}, {"table2", 8192}, {"table2x16", 131072}},
    .min = 1,
    .max = 1u << 19,
    .multiple = 1,
    .repeat = 1,
    .repeat_unit = "rounds of write, launch and read",
    .mode = "profile",
    .mode_help = "time the kernels by their events",
};

/* Transform of the N numbers of IN that lie STRIDE apart. */
static void transform(double (*out)[2], const cl_float2 *in, size_t n, size_t stride)
{
    if (n == 1) {
        out[0][0] = (double)in->s[0];
        out[0][1] = (double)in->s[1];
        return;
    }
    transform(out, in, n / 2, 2 * stride);
    transform(out + n / 2, in + stride, n / 2, 2 * stride);
    for (size_t k = 0; k < n / 2; k++) {
        double re = cos(2 * M_PI * (double)k / (double)n), im = -sin(2 * M_PI * (double)k / (double)n);
        double *a = out[k], *b = out[k + n / 2];
        double x = re * b[0] - im * b[1], y = re * b[1] + im * b[0];
        b[0] = a[0] - x;
        b[1] = a[1] - y;
        a[0] += x;
        a[1] += y;
    }
}

static void check(struct app *app, const cl_float2 *in, const cl_float2 *got)
{
    static double want[POINTS][2];
    size_t step = app_check_step(app, app->size, 2000);
    for (size_t i = 0; i < app->size; i += step) {
        transform(want, in + i * POINTS, POINTS, 1);
        for (size_t k = 0; k < POINTS; k++) {
            const cl_float2 *g = &got[i * POINTS + k];
            if (!app_near(g->s[0], want[k][0], 1e-3) || !app_near(g->s[1], want[k][1], 1e-3)) {
                app_wrong(app, i * POINTS + k, g->s[0], want[k][0]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size * POINTS, bytes = n * sizeof(cl_float2);
    cl_float2 *in = app_alloc(bytes), *out = app_alloc(bytes);
    uint64_t seed = 25;
    for (size_t i = 0; i < n; i++) {
        in[i].s[0] = app_random_float(&seed) - 0.5f;
        in[i].s[1] = app_random_float(&seed) - 0.5f;
    }

    cl_command_queue queue = app_queue(&app, app.mode ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel kernel = app_kernel(program, "fft");
    cl_mem lines = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem result = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    APP_ARG(kernel, 0, lines);
    APP_ARG(kernel, 1, result);

    size_t local = POINTS / 4, global = app.size * local;
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        cl_event launched = NULL;
        app_round_start(&app);
        app_check(clEnqueueWriteBuffer(queue, lines, CL_FALSE, 0, bytes, in, 0, NULL, NULL), "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, app.mode ? &launched : NULL),
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
        check(&app, in, out);
    }
    clReleaseMemObject(lines);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(in);
    free(out);
    return status;
}
