/* Time steps with swapped buffers, -cl-fast-relaxed-math, local memory as an argument, a profiling queue that is
 * flushed each step. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.cl.h"

#define LOCAL 64

static const struct app_spec spec = {
    .name = "nbody",
    .what = "bodies that attract one another, all pairs",
    .unit = "bodies",
    .sizes = {{"small", 512}, {"table2", 4096}, {"table2x16", 16384}},
    .min = LOCAL,
    .max = 1u << 22,
    .multiple = LOCAL,
    .repeat = 2,
    .repeat_unit = "time steps",
};

static const float dt = 0.01f, soft = 0.01f;

struct state {
    float *place, *speed; /* four numbers per body; place[4 i + 3]: mass */
};

static struct state make_state(size_t n)
{
    return (struct state){app_alloc(n * 16), app_alloc(n * 16)};
}

/* One step of body I in double; from FROM into PLACE and SPEED. */
static void step_in_double(const struct state *from, size_t n, size_t i, double place[3], double speed[3])
{
    const float *me = from->place + 4 * i;
    double force[3] = {0, 0, 0};
    for (size_t k = 0; k < n; k++) {
        const float *other = from->place + 4 * k;
        double d[3], square = (double)soft;
        for (int c = 0; c < 3; c++) {
            d[c] = (double)other[c] - (double)me[c];
            square += d[c] * d[c];
        }
        double strength = (double)other[3] / (square * sqrt(square));
        for (int c = 0; c < 3; c++) {
            force[c] += strength * d[c];
        }
    }
    for (int c = 0; c < 3; c++) {
        speed[c] = (double)from->speed[4 * i + (size_t)c] + (double)dt * force[c];
        place[c] = (double)me[c] + (double)dt * speed[c];
    }
}

/* Compare bodies of AFTER with one step from BEFORE. */
static void check_step(struct app *app, const struct state *before, const struct state *after, size_t step)
{
    for (size_t i = 0; i < app->size; i += step) {
        double place[3], speed[3];
        step_in_double(before, app->size, i, place, speed);
        for (size_t c = 0; c < 3; c++) {
            float got = after->speed[4 * i + c];
            if (!app_near(got, speed[c], 1e-3 * (1 + fabs(speed[c])))) {
                app_wrong(app, 4 * i + c, got, speed[c]);
            }
            got = after->place[4 * i + c];
            if (!app_near(got, place[c], 1e-5 * (1 + fabs(place[c]) + fabs(speed[c])))) {
                app_wrong(app, 4 * i + c, got, place[c]);
            }
        }
        if (after->place[4 * i + 3] != before->place[4 * i + 3]) {
            app_wrong(app, 4 * i + 3, after->place[4 * i + 3], before->place[4 * i + 3]);
        }
    }
}

/* All steps from START when there are few bodies (each from the rounded result of the one before), else the last one
 * only, for a sample of bodies. */
static void check(struct app *app, const struct state *start, const struct state *before, const struct state *after)
{
    size_t n = app->size, limit = 100000000 / n + 1;
    if (n * app->repeat > limit) {
        check_step(app, before, after, app_check_step(app, n, limit));
        return;
    }
    struct state now = make_state(n), next = make_state(n);
    memcpy(now.place, start->place, n * 16);
    memcpy(now.speed, start->speed, n * 16);
    for (unsigned k = 0; k + 1 < app->repeat; k++) {
        for (size_t i = 0; i < n; i++) {
            double place[3], speed[3];
            step_in_double(&now, n, i, place, speed);
            for (size_t c = 0; c < 3; c++) {
                next.place[4 * i + c] = (float)place[c];
                next.speed[4 * i + c] = (float)speed[c];
            }
            next.place[4 * i + 3] = now.place[4 * i + 3];
        }
        struct state swap = now;
        now = next;
        next = swap;
    }
    check_step(app, &now, after, 1);
    free(now.place);
    free(now.speed);
    free(next.place);
    free(next.speed);
}

static void read_state(cl_command_queue queue, cl_mem place, cl_mem speed, const struct state *to, size_t bytes)
{
    app_check(clEnqueueReadBuffer(queue, place, CL_FALSE, 0, bytes, to->place, 0, NULL, NULL), "clEnqueueReadBuffer");
    app_check(clEnqueueReadBuffer(queue, speed, CL_FALSE, 0, bytes, to->speed, 0, NULL, NULL), "clEnqueueReadBuffer");
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * 16;
    struct state start = make_state(n), before = make_state(n), after = make_state(n);
    uint64_t seed = 13;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++) {
            start.place[4 * i + c] = 10 * app_random_float(&seed) - 5;
            start.speed[4 * i + c] = app_random_float(&seed) - 0.5f;
        }
        start.place[4 * i + 3] = (0.5f + app_random_float(&seed)) * 1000 / (float)n;
    }

    cl_command_queue queue = app_queue(&app, CL_QUEUE_PROFILING_ENABLE);
    cl_program program = app_build(&app, kernels, "-cl-fast-relaxed-math");
    cl_kernel advance = app_kernel(program, "advance");
    cl_mem place[2], speed[2];
    for (int i = 0; i < 2; i++) {
        place[i] = app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL);
        speed[i] = app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL);
    }
    cl_uint count = (cl_uint)n;
    app_check(clSetKernelArg(advance, 4, LOCAL * 16, NULL), "clSetKernelArg");
    APP_ARG(advance, 5, count);
    APP_ARG(advance, 6, dt);
    APP_ARG(advance, 7, soft);

    cl_event *launched = app_alloc(app.repeat * sizeof(cl_event));
    size_t local = LOCAL;
    app_clock_start(&app);
    app_check(clEnqueueWriteBuffer(queue, place[0], CL_FALSE, 0, bytes, start.place, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    app_check(clEnqueueWriteBuffer(queue, speed[0], CL_FALSE, 0, bytes, start.speed, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    for (unsigned k = 0; k < app.repeat; k++) {
        unsigned from = k % 2, to = 1 - from;
        APP_ARG(advance, 0, place[from]);
        APP_ARG(advance, 1, speed[from]);
        APP_ARG(advance, 2, place[to]);
        APP_ARG(advance, 3, speed[to]);
        app_check(clEnqueueNDRangeKernel(queue, advance, 1, NULL, &n, &local, 0, NULL, &launched[k]),
                  "clEnqueueNDRangeKernel");
        app_check(clFlush(queue), "clFlush");
    }
    unsigned last = app.repeat % 2;
    read_state(queue, place[last], speed[last], &after, bytes);
    app_check(clFinish(queue), "clFinish");
    app_clock_stop(&app);

    for (unsigned k = 0; k < app.repeat; k++) {
        app_profile_add(&app, launched[k]);
        clReleaseEvent(launched[k]);
    }
    if (app.verify) {
        read_state(queue, place[1 - last], speed[1 - last], &before, bytes);
        app_check(clFinish(queue), "clFinish");
        check(&app, &start, &before, &after);
    }
    for (int i = 0; i < 2; i++) {
        clReleaseMemObject(place[i]);
        clReleaseMemObject(speed[i]);
    }
    clReleaseKernel(advance);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, after.place, bytes);
    free(launched);
    free(start.place);
    free(start.speed);
    free(before.place);
    free(before.speed);
    free(after.place);
    free(after.speed);
    return status;
}
