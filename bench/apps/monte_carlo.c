/* Rounds of writes, a launch and a read without blocking; every work-group reads the whole of one of the inputs. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "monte_carlo.cl.h"

#define PATHS 1024

static const struct app_spec spec = {
    .name = "monte_carlo",
    .what = "prices of European calls by Monte Carlo over 1,024 paths",
    .unit = "options",
    .sizes = {{"small", 16384}, {"table2", 524288}, {"table2x16", 8388608}},
    .min = 256,
    .max = 1u << 28,
    .multiple = 256,
    .repeat = 1,
    .repeat_unit = "rounds of writes, launch and read",
    .mode = "profile",
    .mode_help = "time the kernels by their events",
};

static const float rate = 0.02f;

static void check(struct app *app, const cl_float4 *option, const float *normal, const cl_float2 *got)
{
    size_t step = app_check_step(app, app->size, 20000);
    for (size_t i = 0; i < app->size; i += step) {
        double spot = (double)option[i].s[0], strike = (double)option[i].s[1], years = (double)option[i].s[2],
               volatility = (double)option[i].s[3], sum = 0, squares = 0;
        double drift = (rate - 0.5 * volatility * volatility) * years, spread = volatility * sqrt(years);
        for (size_t k = 0; k < PATHS; k++) {
            double payoff = fmax(spot * exp(drift + spread * (double)normal[k]) - strike, 0);
            sum += payoff;
            squares += payoff * payoff;
        }
        double discount = exp(-rate * years), mean = sum / PATHS, variance = fmax(squares / PATHS - mean * mean, 0);
        double width = discount * 1.96 * sqrt(variance / PATHS);
        if (!app_near(got[i].s[0], discount * mean, 1e-3)) {
            app_wrong(app, 2 * i, got[i].s[0], discount * mean);
        }
        if (!app_near(got[i].s[1], width, 2e-3)) {
            app_wrong(app, 2 * i + 1, got[i].s[1], width);
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, in_bytes = n * sizeof(cl_float4), out_bytes = n * sizeof(cl_float2);
    cl_float4 *option = app_alloc(in_bytes);
    cl_float2 *out = app_alloc(out_bytes);
    float normal[PATHS];
    uint64_t seed = 22;
    for (size_t i = 0; i < n; i++) {
        option[i].s[0] = 5 + 25 * app_random_float(&seed);
        option[i].s[1] = 1 + 49 * app_random_float(&seed);
        option[i].s[2] = 0.25f + 4 * app_random_float(&seed);
        option[i].s[3] = 0.1f + 0.3f * app_random_float(&seed);
    }
    for (size_t k = 0; k < PATHS; k += 2) { /* Box and Muller */
        double u = 1 - (double)app_random_float(&seed), angle = 2 * M_PI * (double)app_random_float(&seed);
        normal[k] = (float)(sqrt(-2 * log(u)) * cos(angle));
        normal[k + 1] = (float)(sqrt(-2 * log(u)) * sin(angle));
    }

    cl_command_queue queue = app_queue(&app, app.mode ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel kernel = app_kernel(program, "monte_carlo");
    cl_mem options = app_buffer(&app, CL_MEM_READ_ONLY, in_bytes, NULL);
    cl_mem normals = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(normal), NULL);
    cl_mem result = app_buffer(&app, CL_MEM_WRITE_ONLY, out_bytes, NULL);
    cl_uint paths = PATHS;
    APP_ARG(kernel, 0, options);
    APP_ARG(kernel, 1, normals);
    APP_ARG(kernel, 2, result);
    APP_ARG(kernel, 3, rate);
    APP_ARG(kernel, 4, paths);

    size_t local = 256;
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        cl_event launched = NULL;
        app_round_start(&app);
        app_check(clEnqueueWriteBuffer(queue, normals, CL_FALSE, 0, sizeof(normal), normal, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueWriteBuffer(queue, options, CL_FALSE, 0, in_bytes, option, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, &local, 0, NULL, app.mode ? &launched : NULL),
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
        check(&app, option, normal, out);
    }
    clReleaseMemObject(options);
    clReleaseMemObject(normals);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, out_bytes);
    free(option);
    free(out);
    return status;
}
