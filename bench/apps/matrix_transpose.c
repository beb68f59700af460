/* Both matrices live in the program's own memory (USE_HOST_PTR); the result is looked at through a mapping. */
#include "app.h"

#include <stdlib.h>

#include "matrix_transpose.cl.h"

static const struct app_spec spec = {
    .name = "matrix_transpose",
    .what = "transpose of a square matrix",
    .unit = "rows",
    .sizes = {{"small", 128}, {"table2", 1024}, {"table2x16", 4096}},
    .min = 32,
    .max = 32768,
    .multiple = 32,
    .repeat = 1,
    .repeat_unit = "launches",
};

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    cl_uint n = (cl_uint)app.size;
    size_t bytes = (size_t)n * n * sizeof(uint32_t);
    uint32_t *in = app_alloc(bytes), *out = app_alloc(bytes);
    uint64_t seed = 2;
    for (size_t i = 0; i < (size_t)n * n; i++) {
        in[i] = (uint32_t)app_random(&seed);
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel transpose = app_kernel(program, "transpose");
    cl_mem from = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, in);
    cl_mem to = app_buffer(&app, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, out);
    APP_ARG(transpose, 0, from);
    APP_ARG(transpose, 1, to);
    APP_ARG(transpose, 2, n);

    size_t local[2] = {32, 8}, global[2] = {n, n / 4};
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueNDRangeKernel(queue, transpose, 2, NULL, global, local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    }
    cl_int error;
    uint32_t *mapped = clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
    app_check(error, "clEnqueueMapBuffer");
    app_clock_stop(&app);
    if (mapped != out) {
        app_wrong(&app, 0, (double)(uintptr_t)mapped, (double)(uintptr_t)out); /* a USE_HOST_PTR map points into it */
    }

    for (size_t y = 0; app.verify && y < n; y++) {
        for (size_t x = 0; x < n; x++) {
            if (mapped[y * n + x] != in[x * n + y]) {
                app_wrong(&app, y * n + x, mapped[y * n + x], in[x * n + y]);
            }
        }
    }
    app_check(clEnqueueUnmapMemObject(queue, to, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    app_check(clFinish(queue), "clFinish");
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(transpose);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(in);
    free(out);
    return status;
}
