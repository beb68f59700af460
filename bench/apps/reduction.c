/* A tree in two launches of the same kernel with other arguments, the rest added by the host; or atomics whose results
 * the kernel does not look at. The input is ALLOC_HOST_PTR memory written through a mapping. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

#include "reduction.cl.h"

#define LOCAL     256
#define PER_GROUP (LOCAL * 2 * 4) /* numbers */

static const struct app_spec spec = {
    .name = "reduction",
    .what = "sum of 32-bit numbers",
    .unit = "numbers",
    .sizes = {{"small", 65536}, {"table2", 4194304}, {"table2x16", 67108864}},
    .min = 4,
    .max = 1u << 30,
    .multiple = 4,
    .repeat = 1,
    .repeat_unit = "times the whole sum",
    .mode = "atomics",
    .mode_help = "add the work-groups' sums with global atomics (and take maximum and minimum)",
};

struct sums {
    cl_kernel kernel;
    cl_mem in, partial, result;
    cl_uint n4, groups, groups2;
};

static void launch(cl_command_queue queue, cl_kernel kernel, cl_mem in, cl_mem out, cl_uint n4, size_t groups)
{
    size_t local = LOCAL, global = groups * LOCAL;
    APP_ARG(kernel, 0, in);
    APP_ARG(kernel, 1, out);
    APP_ARG(kernel, 3, n4);
    app_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

/* sums[0]: the sum; with atomics also the maximum and the minimum. */
static void run(const struct app *app, cl_command_queue queue, const struct sums *s, cl_uint sums[3])
{
    static const cl_uint start[3] = {0, 0, UINT32_MAX};
    if (app->mode) {
        app_check(clEnqueueFillBuffer(queue, s->result, &start[0], sizeof(cl_uint), 0, 8, 0, NULL, NULL),
                  "clEnqueueFillBuffer");
        app_check(clEnqueueFillBuffer(queue, s->result, &start[2], sizeof(cl_uint), 8, 4, 0, NULL, NULL),
                  "clEnqueueFillBuffer");
        launch(queue, s->kernel, s->in, s->result, s->n4, s->groups);
        app_check(clEnqueueReadBuffer(queue, s->result, CL_TRUE, 0, sizeof(start), sums, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
        return;
    }
    launch(queue, s->kernel, s->in, s->partial, s->n4, s->groups);
    launch(queue, s->kernel, s->partial, s->result, s->groups, s->groups2);
    size_t count = (size_t)s->groups2 * 4;
    cl_uint *rest = app_alloc(count * sizeof(cl_uint));
    app_check(clEnqueueReadBuffer(queue, s->result, CL_TRUE, 0, count * sizeof(cl_uint), rest, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    sums[0] = 0;
    for (size_t i = 0; i < count; i++) {
        sums[0] += rest[i];
    }
    free(rest);
}

static void check(struct app *app, const cl_uint *numbers, const cl_uint got[3])
{
    cl_uint want[3] = {0, 0, UINT32_MAX};
    for (size_t i = 0; i < app->size; i++) {
        want[0] += numbers[i];
        if (i % 4 == 0 && numbers[i] > want[1]) {
            want[1] = numbers[i];
        }
        if (i % 4 == 1 && numbers[i] < want[2]) {
            want[2] = numbers[i];
        }
    }
    for (size_t i = 0; i < (app->mode ? 3 : 1); i++) {
        if (got[i] != want[i]) {
            app_wrong(app, i, got[i], want[i]);
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * sizeof(cl_uint);
    cl_uint *numbers = app_alloc(bytes), sums[3] = {0, 0, 0};
    uint64_t seed = 11;
    for (size_t i = 0; i < n; i++) {
        numbers[i] = (cl_uint)app_random(&seed);
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    struct sums s = {.n4 = (cl_uint)(n / 4)};
    s.groups = (cl_uint)((n + PER_GROUP - 1) / PER_GROUP);
    s.groups2 = (s.groups + 2 * LOCAL - 1) / (2 * LOCAL);
    s.kernel = app_kernel(program, app.mode ? "sum_atomic" : "sum");
    s.in = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes, NULL);
    s.partial = app_buffer(&app, CL_MEM_READ_WRITE, (size_t)s.groups * 16, NULL);
    s.result = app_buffer(&app, CL_MEM_READ_WRITE, (size_t)s.groups2 * 16, NULL);
    app_check(clSetKernelArg(s.kernel, 2, (size_t)LOCAL * 16, NULL), "clSetKernelArg");

    cl_int error;
    app_clock_start(&app);
    cl_uint *mapped =
        clEnqueueMapBuffer(queue, s.in, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &error);
    app_check(error, "clEnqueueMapBuffer");
    memcpy(mapped, numbers, bytes);
    app_check(clEnqueueUnmapMemObject(queue, s.in, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    for (unsigned k = 0; k < app.repeat; k++) {
        run(&app, queue, &s, sums);
    }
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, numbers, sums);
    }
    clReleaseMemObject(s.in);
    clReleaseMemObject(s.partial);
    clReleaseMemObject(s.result);
    clReleaseKernel(s.kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, sums, sizeof(sums));
    free(numbers);
    return status;
}
