/* Ping-pong between two buffers: the arguments change between launches that are all in flight, nobody waits in between.
 * COPY_HOST_PTR input, a global offset that keeps the launch inside the rim, the result mapped. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

#include "stencil2d.cl.h"

static const struct app_spec spec = {
    .name = "stencil2d",
    .what = "heat equation on a square plate, 5-point stencil",
    .unit = "rows without the rim",
    .sizes = {{"small", 128}, {"table2", 1024}, {"table2x16", 4096}},
    .min = 32,
    .max = 32768,
    .multiple = 32,
    .repeat = 20,
    .repeat_unit = "time steps",
};

static const float rate = 0.2f;

/* The same steps in double. Returns the grid, the caller frees it and the other. */
static double *steps_in_double(const float *start, size_t n, unsigned steps)
{
    size_t pitch = n + 2, cells = pitch * pitch;
    double *from = app_alloc(cells * sizeof(double)), *to = app_alloc(cells * sizeof(double));
    for (size_t i = 0; i < cells; i++) {
        from[i] = to[i] = start[i];
    }
    for (unsigned k = 0; k < steps; k++) {
        for (size_t y = 1; y <= n; y++) {
            for (size_t i = y * pitch + 1; i <= y * pitch + n; i++) {
                to[i] = from[i] +
                        (double)rate * (from[i - 1] + from[i + 1] + from[i - pitch] + from[i + pitch] - 4 * from[i]);
            }
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    return from;
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, pitch = n + 2, cells = pitch * pitch, bytes = cells * sizeof(float);
    float *start = app_alloc(bytes), *got = app_alloc(bytes);
    uint64_t seed = 4;
    for (size_t i = 0; i < cells; i++) {
        start[i] = app_random_float(&seed) * 100;
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, "");
    cl_kernel jacobi = app_kernel(program, "jacobi");
    cl_mem grid[2];
    for (int i = 0; i < 2; i++) {
        grid[i] = app_buffer(&app, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, start);
    }
    cl_uint width = (cl_uint)pitch;
    APP_ARG(jacobi, 2, width);
    APP_ARG(jacobi, 3, rate);

    size_t offset[2] = {1, 1}, global[2] = {n, n}, local[2] = {32, 4};
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        APP_ARG(jacobi, 0, grid[k % 2]);
        APP_ARG(jacobi, 1, grid[(k + 1) % 2]);
        app_check(clEnqueueNDRangeKernel(queue, jacobi, 2, offset, global, local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    }
    cl_mem last = grid[app.repeat % 2];
    cl_int error;
    float *mapped = clEnqueueMapBuffer(queue, last, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
    app_check(error, "clEnqueueMapBuffer");
    app_clock_stop(&app);
    memcpy(got, mapped, bytes);
    app_check(clEnqueueUnmapMemObject(queue, last, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    app_check(clFinish(queue), "clFinish");

    if (app.verify) {
        double *want = steps_in_double(start, n, app.repeat);
        double tolerance = 1e-5 * (1 + (double)app.repeat);
        for (size_t i = 0; i < cells; i++) {
            if (!app_near(got[i], want[i], tolerance)) {
                app_wrong(&app, i, got[i], want[i]);
            }
        }
        free(want);
    }
    clReleaseMemObject(grid[0]);
    clReleaseMemObject(grid[1]);
    clReleaseKernel(jacobi);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, got, bytes);
    free(start);
    free(got);
    return status;
}
