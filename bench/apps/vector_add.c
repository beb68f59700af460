/* The first program of every tutorial: write, launch with a rounded-up range and a guard, read with a blocking call. */
#include "app.h"

#include <stdlib.h>

#include "vector_add.cl.h"

static const struct app_spec spec = {
    .name = "vector_add",
    .what = "c = a + b",
    .unit = "numbers per vector",
    .sizes = {{"small", 65536}, {"table2", 4194304}, {"table2x16", 67108864}},
    .min = 1,
    .max = 1u << 29,
    .multiple = 1,
    .repeat = 1,
    .repeat_unit = "launches",
    .mode = "rounds",
    .mode_help = "--repeat counts rounds of writes, launch and read; kernels are timed",
};

struct work {
    cl_command_queue queue;
    cl_kernel add;
    cl_mem da, db, dc;
    const float *a, *b;
    float *c;
};

static void rounds(struct app *app, const struct work *w)
{
    size_t bytes = app->size * sizeof(float), local = 256, global = (app->size + local - 1) / local * local;
    for (unsigned k = 0; k < app->repeat; k++) {
        cl_event launched;
        app_round_start(app);
        app_check(clEnqueueWriteBuffer(w->queue, w->da, CL_FALSE, 0, bytes, w->a, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueWriteBuffer(w->queue, w->db, CL_FALSE, 0, bytes, w->b, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(w->queue, w->add, 1, NULL, &global, &local, 0, NULL, &launched),
                  "clEnqueueNDRangeKernel");
        app_check(clEnqueueReadBuffer(w->queue, w->dc, CL_TRUE, 0, bytes, w->c, 0, NULL, NULL), "clEnqueueReadBuffer");
        app_round_stop(app);
        app_profile_add(app, launched);
        clReleaseEvent(launched);
    }
}

static void launches(struct app *app, const struct work *w)
{
    size_t bytes = app->size * sizeof(float), local = 256, global = (app->size + local - 1) / local * local;
    app_check(clEnqueueWriteBuffer(w->queue, w->da, CL_FALSE, 0, bytes, w->a, 0, NULL, NULL), "clEnqueueWriteBuffer");
    app_check(clEnqueueWriteBuffer(w->queue, w->db, CL_FALSE, 0, bytes, w->b, 0, NULL, NULL), "clEnqueueWriteBuffer");
    for (unsigned k = 0; k < app->repeat; k++) {
        app_check(clEnqueueNDRangeKernel(w->queue, w->add, 1, NULL, &global, &local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    }
    app_check(clEnqueueReadBuffer(w->queue, w->dc, CL_TRUE, 0, bytes, w->c, 0, NULL, NULL), "clEnqueueReadBuffer");
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    cl_uint n = (cl_uint)app.size;
    size_t bytes = n * sizeof(float);
    float *a = app_alloc(bytes), *b = app_alloc(bytes), *c = app_alloc(bytes);
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        a[i] = app_random_float(&seed);
        b[i] = app_random_float(&seed) * 100;
    }

    cl_command_queue queue = app_queue(&app, app.mode ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel add = app_kernel(program, "vector_add");
    cl_mem da = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem db = app_buffer(&app, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem dc = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    APP_ARG(add, 0, da);
    APP_ARG(add, 1, db);
    APP_ARG(add, 2, dc);
    APP_ARG(add, 3, n);

    struct work work = {queue, add, da, db, dc, a, b, c};
    app_clock_start(&app);
    (app.mode ? rounds : launches)(&app, &work);
    app_clock_stop(&app);

    for (size_t i = 0; app.verify && i < n; i++) {
        if (c[i] != a[i] + b[i]) {
            app_wrong(&app, i, c[i], a[i] + b[i]);
        }
    }
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    clReleaseKernel(add);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, c, bytes);
    free(a);
    free(b);
    free(c);
    return status;
}
