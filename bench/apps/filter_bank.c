/* Rounds of writes, a launch and a read without blocking; neighbouring work-groups read overlapping parts of the input.
 */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "filter_bank.cl.h"

#define BANKS  32
#define TAPS   128
#define STEP   32
#define GROUP  256
#define MARGIN (2 * TAPS - STEP)

static const struct app_spec spec = {
    .name = "filter_bank",
    .what = "a signal taken apart into 32 bands and put together again",
    .unit = "samples",
    .sizes = {{"small", 65536}, {"table2", 4194304}, {"table2x16", 67108864}},
    .min = GROUP,
    .max = 1u << 29,
    .multiple = GROUP,
    .repeat = 1,
    .repeat_unit = "rounds of writes, launch and read",
    .mode = "profile",
    .mode_help = "time the kernels by their events",
};

/* Windowed cosines. */
static void make_filters(float *analysis, float *synthesis)
{
    for (int bank = 0; bank < BANKS; bank++) {
        for (int k = 0; k < TAPS; k++) {
            double window = sin(M_PI * (k + 0.5) / TAPS), phase = M_PI / BANKS * (bank + 0.5) * (k - (TAPS - 1) / 2.0);
            analysis[k * BANKS + bank] = (float)(window * cos(phase + M_PI_4) / 8);
            synthesis[bank * TAPS + k] = (float)(window * cos(phase - M_PI_4) / 8);
        }
    }
}

/* Sample I of the output. SIGNAL begins with the margin. */
static double sample(const float *signal, const float *analysis, const float *synthesis, size_t i)
{
    double sum = 0;
    for (size_t at = i / STEP * STEP, delay = i - at; delay < TAPS; at -= STEP, delay += STEP) {
        for (size_t bank = 0; bank < BANKS; bank++) {
            double band = 0;
            for (size_t k = 0; k < TAPS; k++) {
                band += (double)analysis[k * BANKS + bank] * (double)signal[MARGIN + at - k];
            }
            sum += (double)synthesis[bank * TAPS + delay] * band;
        }
        if (at < STEP) {
            break; /* before the signal there is silence */
        }
    }
    return sum;
}

static void check(struct app *app, const float *signal, const float *analysis, const float *synthesis, const float *got)
{
    size_t step = app_check_step(app, app->size, 10000);
    for (size_t i = 0; i < app->size; i += step) {
        double want = sample(signal, analysis, synthesis, i);
        if (!app_near(got[i], want, 1e-4)) {
            app_wrong(app, i, got[i], want);
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, in_bytes = (n + MARGIN) * sizeof(float), out_bytes = n * sizeof(float);
    float *signal = app_alloc(in_bytes), *out = app_alloc(out_bytes);
    float analysis[TAPS * BANKS], synthesis[BANKS * TAPS];
    uint64_t seed = 24;
    make_filters(analysis, synthesis);
    for (size_t i = 0; i < n; i++) {
        signal[MARGIN + i] = app_random_float(&seed) - 0.5f;
    }

    cl_command_queue queue = app_queue(&app, app.mode ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_program program = app_build(&app, kernels, "-D BANKS=32 -D TAPS=128 -D STEP=32");
    cl_kernel kernel = app_kernel(program, "filter_bank");
    cl_mem in = app_buffer(&app, CL_MEM_READ_ONLY, in_bytes, NULL);
    cl_mem result = app_buffer(&app, CL_MEM_WRITE_ONLY, out_bytes, NULL);
    cl_mem apart = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(analysis), NULL);
    cl_mem together = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(synthesis), NULL);
    APP_ARG(kernel, 0, in);
    APP_ARG(kernel, 1, result);
    APP_ARG(kernel, 2, apart);
    APP_ARG(kernel, 3, together);

    size_t local = GROUP;
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        cl_event launched = NULL;
        app_round_start(&app);
        app_check(clEnqueueWriteBuffer(queue, apart, CL_FALSE, 0, sizeof(analysis), analysis, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueWriteBuffer(queue, together, CL_FALSE, 0, sizeof(synthesis), synthesis, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, in_bytes, signal, 0, NULL, NULL),
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
        check(&app, signal, analysis, synthesis, out);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(result);
    clReleaseMemObject(apart);
    clReleaseMemObject(together);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, out_bytes);
    free(signal);
    free(out);
    return status;
}
