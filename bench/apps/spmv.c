/* Local size NULL: the driver picks the work-groups. The matrix is copied when its buffers are made; x and y swap
 * between launches that are all in flight. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

#include "spmv.cl.h"

static const struct app_spec spec = {
    .name = "spmv",
    .what = "sparse matrix times vector, again and again",
    .unit = "rows",
    .sizes = {{"small", 4096}, {"table2", 262144}, {"table2x16", 4194304}},
    .min = 64,
    .max = 1u << 25,
    .multiple = 64,
    .repeat = 4,
    .repeat_unit = "multiplications",
};

static const float shrink = 0.75f;

struct matrix {
    cl_uint *first, *column;
    float *value, *diagonal;
};

/* 1 to 31 numbers a row, the sum of their magnitudes at most 1. */
static struct matrix make_matrix(size_t n)
{
    struct matrix m = {app_alloc((n + 1) * sizeof(cl_uint)), NULL, NULL, app_alloc(n * sizeof(float))};
    uint64_t seed = 15;
    for (size_t i = 0; i < n; i++) {
        m.first[i + 1] = m.first[i] + 1 + (cl_uint)(app_random(&seed) % 31);
        m.diagonal[i] = 0.5f + app_random_float(&seed);
    }
    m.column = app_alloc(m.first[n] * sizeof(cl_uint));
    m.value = app_alloc(m.first[n] * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        for (cl_uint k = m.first[i]; k < m.first[i + 1]; k++) {
            m.column[k] = (cl_uint)(app_random(&seed) % n);
            m.value[k] = (2 * app_random_float(&seed) - 1) / (float)(m.first[i + 1] - m.first[i]);
        }
    }
    return m;
}

static void check(struct app *app, const struct matrix *m, const float *start, const float *got)
{
    size_t n = app->size;
    double *x = app_alloc(n * sizeof(double)), *y = app_alloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)start[i];
    }
    for (unsigned k = 0; k < app->repeat; k++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (cl_uint e = m->first[i]; e < m->first[i + 1]; e++) {
                sum += (double)m->value[e] * x[m->column[e]];
            }
            y[i] = sum * (double)shrink * (double)m->diagonal[i];
        }
        double *swap = x;
        x = y;
        y = swap;
    }
    /* |x| stays below 1 and rounding errors shrink along with the values. */
    for (size_t i = 0; i < n; i++) {
        if (!app_near(got[i], x[i], 1e-5)) {
            app_wrong(app, i, got[i], x[i]);
        }
    }
    free(x);
    free(y);
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * sizeof(float);
    struct matrix m = make_matrix(n);
    float *start = app_alloc(bytes), *out = app_alloc(bytes);
    uint64_t seed = 16;
    for (size_t i = 0; i < n; i++) {
        start[i] = 2 * app_random_float(&seed) - 1;
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel multiply = app_kernel(program, "multiply_rows"), scale = app_kernel(program, "scale");
    const cl_mem_flags copied = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem first = app_buffer(&app, copied, (n + 1) * sizeof(cl_uint), m.first);
    cl_mem column = app_buffer(&app, copied, m.first[n] * sizeof(cl_uint), m.column);
    cl_mem value = app_buffer(&app, copied, m.first[n] * sizeof(float), m.value);
    cl_mem diagonal = app_buffer(&app, copied, bytes, m.diagonal);
    cl_mem vector[2] = {app_buffer(&app, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, start),
                        app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL)};
    APP_ARG(multiply, 0, first);
    APP_ARG(multiply, 1, column);
    APP_ARG(multiply, 2, value);
    APP_ARG(scale, 1, diagonal);
    APP_ARG(scale, 2, shrink);

    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        cl_mem x = vector[k % 2], y = vector[(k + 1) % 2];
        APP_ARG(multiply, 3, x);
        APP_ARG(multiply, 4, y);
        app_check(clEnqueueNDRangeKernel(queue, multiply, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        APP_ARG(scale, 0, y);
        app_check(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    }
    app_check(clEnqueueReadBuffer(queue, vector[app.repeat % 2], CL_FALSE, 0, bytes, out, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    app_check(clFinish(queue), "clFinish");
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, &m, start, out);
    }
    cl_mem all[] = {first, column, value, diagonal, vector[0], vector[1]};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        clReleaseMemObject(all[i]);
    }
    clReleaseKernel(multiply);
    clReleaseKernel(scale);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(m.first);
    free(m.column);
    free(m.value);
    free(m.diagonal);
    free(start);
    free(out);
    return status;
}
