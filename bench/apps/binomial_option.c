/* ALLOC_HOST_PTR buffers filled and read through mappings, the lattice's depth given by a build option, a local size
 * that is no power of two. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "binomial_option.cl.h"

#define STEPS 254

static const struct app_spec spec = {
    .name = "binomial_option",
    .what = "European call options on a binomial lattice of 254 steps",
    .unit = "quadruples of options (one work-group each)",
    .sizes = {{"small", 64}, {"table2", 16384}, {"table2x16", 262144}},
    .min = 1,
    .max = 1u << 26,
    .multiple = 1,
    .repeat = 1,
    .repeat_unit = "launches",
};

static const float rate = 0.02f, volatility = 0.3f;

static double price_in_double(double u)
{
    double spot = 5 + 25 * u, strike = 1 + 35 * (1 - u), years = 0.25 + 9.75 * u;
    double dt = years / STEPS, jump = (double)volatility * sqrt(dt);
    double growth = exp((double)rate * dt), up = exp(jump), down = 1 / up;
    double chance_up = (growth - down) / (up - down), pu = chance_up / growth, pd = (1 - chance_up) / growth;
    double v[STEPS + 1];
    for (int i = 0; i <= STEPS; i++) {
        v[i] = fmax(spot * exp(jump * (2.0 * i - STEPS)) - strike, 0);
    }
    for (int last = STEPS - 1; last >= 0; last--) {
        for (int i = 0; i <= last; i++) {
            v[i] = pu * v[i + 1] + pd * v[i];
        }
    }
    return v[0];
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size * 4, bytes = n * sizeof(float);
    float *quote = app_alloc(bytes), *value = app_alloc(bytes);
    uint64_t seed = 7;
    for (size_t i = 0; i < n; i++) {
        quote[i] = app_random_float(&seed);
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, "-D STEPS=254");
    cl_kernel price = app_kernel(program, "price");
    cl_mem in = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes, NULL);
    cl_mem out = app_buffer(&app, CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes, NULL);
    APP_ARG(price, 0, in);
    APP_ARG(price, 1, out);
    APP_ARG(price, 2, rate);
    APP_ARG(price, 3, volatility);

    cl_int error;
    size_t local = STEPS + 1, global = app.size * local;
    app_clock_start(&app);
    float *mapped =
        clEnqueueMapBuffer(queue, in, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &error);
    app_check(error, "clEnqueueMapBuffer");
    memcpy(mapped, quote, bytes);
    app_check(clEnqueueUnmapMemObject(queue, in, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueNDRangeKernel(queue, price, 1, NULL, &global, &local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    }
    mapped = clEnqueueMapBuffer(queue, out, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
    app_check(error, "clEnqueueMapBuffer");
    app_clock_stop(&app);
    memcpy(value, mapped, bytes);
    app_check(clEnqueueUnmapMemObject(queue, out, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    app_check(clFinish(queue), "clFinish");

    size_t step = app.verify ? app_check_step(&app, n, 10000) : 1;
    for (size_t i = 0; app.verify && i < n; i += step) {
        double want = price_in_double((double)quote[i]);
        if (!app_near(value[i], want, 2e-3)) {
            app_wrong(&app, i, value[i], want);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(price);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, value, bytes);
    free(quote);
    free(value);
    return status;
}
