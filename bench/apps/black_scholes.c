/* A profiling queue whose events give the kernel's time; COPY_HOST_PTR input; two reads without blocking, waited for
 * together. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "black_scholes.cl.h"

static const struct app_spec spec = {
    .name = "black_scholes",
    .what = "Black-Scholes prices of European call and put options",
    .unit = "options",
    .sizes = {{"small", 16384}, {"table2", 1048576}, {"table2x16", 16777216}},
    .min = 4,
    .max = 1u << 28,
    .multiple = 4,
    .repeat = 1,
    .repeat_unit = "launches",
    .mode = "rounds",
    .mode_help = "--repeat counts rounds of write, launch and reads",
};

static const float rate = 0.03f, volatility = 0.25f;

static void check(struct app *app, const float *quote, const float *prices)
{
    size_t n = app->size, step = app_check_step(app, n, 4000000);
    for (size_t i = 0; i < n; i += step) {
        double u = (double)quote[i], r = (double)rate, s = (double)volatility;
        double spot = 10 + 90 * u, strike = 100 - 90 * u, years = 1 + 9 * u, spread = s * sqrt(years);
        double d1 = (log(spot / strike) + (r + 0.5 * s * s) * years) / spread, d2 = d1 - spread;
        double discounted = strike * exp(-r * years);
        double call = spot * 0.5 * erfc(-d1 * M_SQRT1_2) - discounted * 0.5 * erfc(-d2 * M_SQRT1_2);
        double put = call + discounted - spot;
        if (!app_near(prices[i], call, 1e-3)) {
            app_wrong(app, i, prices[i], call);
        }
        if (!app_near(prices[n + i], put, 1e-3)) {
            app_wrong(app, n + i, prices[n + i], put);
        }
    }
}

struct work {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem in, call, put;
    const float *quote;
    float *prices;
};

static void launch(struct app *app, const struct work *w, cl_event *launched)
{
    size_t local = 256, global = (app->size / 4 + local - 1) / local * local;
    app_check(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &global, &local, 0, NULL, launched),
              "clEnqueueNDRangeKernel");
}

static void read_prices(struct app *app, const struct work *w)
{
    size_t bytes = app->size * sizeof(float);
    cl_event read[2];
    app_check(clEnqueueReadBuffer(w->queue, w->call, CL_FALSE, 0, bytes, w->prices, 0, NULL, &read[0]),
              "clEnqueueReadBuffer");
    app_check(clEnqueueReadBuffer(w->queue, w->put, CL_FALSE, 0, bytes, w->prices + app->size, 0, NULL, &read[1]),
              "clEnqueueReadBuffer");
    app_check(clWaitForEvents(2, read), "clWaitForEvents");
    clReleaseEvent(read[0]);
    clReleaseEvent(read[1]);
}

static void rounds(struct app *app, const struct work *w, cl_event *launched)
{
    for (unsigned k = 0; k < app->repeat; k++) {
        app_round_start(app);
        app_check(
            clEnqueueWriteBuffer(w->queue, w->in, CL_FALSE, 0, app->size * sizeof(float), w->quote, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
        launch(app, w, &launched[k]);
        read_prices(app, w);
        app_round_stop(app);
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * sizeof(float);
    float *quote = app_alloc(bytes), *prices = app_alloc(2 * bytes); /* all calls, then all puts */
    uint64_t seed = 8;
    for (size_t i = 0; i < n; i++) {
        quote[i] = app_random_float(&seed);
    }

    cl_command_queue queue = app_queue(&app, CL_QUEUE_PROFILING_ENABLE);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel kernel = app_kernel(program, "black_scholes");
    cl_mem in =
        app_buffer(&app, CL_MEM_READ_ONLY | (app.mode ? 0 : CL_MEM_COPY_HOST_PTR), bytes, app.mode ? NULL : quote);
    cl_mem call = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_mem put = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_uint n4 = (cl_uint)(n / 4);
    APP_ARG(kernel, 0, in);
    APP_ARG(kernel, 1, call);
    APP_ARG(kernel, 2, put);
    APP_ARG(kernel, 3, rate);
    APP_ARG(kernel, 4, volatility);
    APP_ARG(kernel, 5, n4);

    struct work work = {queue, kernel, in, call, put, quote, prices};
    cl_event *launched = app_alloc(app.repeat * sizeof(cl_event));
    app_clock_start(&app);
    if (app.mode) {
        rounds(&app, &work, launched);
    } else {
        for (unsigned k = 0; k < app.repeat; k++) {
            launch(&app, &work, &launched[k]);
        }
        read_prices(&app, &work);
    }
    app_clock_stop(&app);

    for (unsigned k = 0; k < app.repeat; k++) {
        app_profile_add(&app, launched[k]);
        clReleaseEvent(launched[k]);
    }
    if (app.verify) {
        check(&app, quote, prices);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(call);
    clReleaseMemObject(put);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, prices, 2 * bytes);
    free(launched);
    free(quote);
    free(prices);
    return status;
}
