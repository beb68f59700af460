/* Host and device take turns: the device assigns points to clusters, the host moves the centres and writes them again
 * (a __constant argument). Local size NULL in two dimensions and in one. */
#include "app.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmeans.cl.h"

#define DIMENSIONS 8
#define CLUSTERS   16

static const struct app_spec spec = {
    .name = "kmeans",
    .what = "k-means clustering, 16 clusters of points with 8 features",
    .unit = "points",
    .sizes = {{"small", 4096}, {"table2", 262144}, {"table2x16", 4194304}},
    .min = 64,
    .max = 1u << 26,
    .multiple = 64,
    .repeat = 6,
    .repeat_unit = "rounds",
};

/* Features are whole numbers below 64 and centres multiples of 1/8, so that every sum of squares is exact in single
 * precision and the assignment is the same everywhere. */
static void move_centres(const float *points, const int *cluster, size_t n, float *centres)
{
    double sum[CLUSTERS][DIMENSIONS] = {{0}};
    size_t count[CLUSTERS] = {0};
    for (size_t i = 0; i < n; i++) {
        if (cluster[i] < 0 || cluster[i] >= CLUSTERS) {
            continue; /* shows in the comparison at the end */
        }
        count[cluster[i]]++;
        for (int f = 0; f < DIMENSIONS; f++) {
            sum[cluster[i]][f] += (double)points[i * DIMENSIONS + (size_t)f];
        }
    }
    for (int c = 0; c < CLUSTERS; c++) {
        for (int f = 0; f < DIMENSIONS && count[c]; f++) {
            centres[c * DIMENSIONS + f] = (float)(floor(sum[c][f] / (double)count[c] * 8) / 8);
        }
    }
}

static void assign_plainly(const float *points, const float *centres, size_t n, int *cluster)
{
    for (size_t i = 0; i < n; i++) {
        double best = DBL_MAX;
        for (int c = 0; c < CLUSTERS; c++) {
            double distance = 0;
            for (int f = 0; f < DIMENSIONS; f++) {
                double d = (double)points[i * DIMENSIONS + (size_t)f] - (double)centres[c * DIMENSIONS + f];
                distance += d * d;
            }
            if (distance < best) {
                best = distance;
                cluster[i] = c;
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * DIMENSIONS * sizeof(float);
    float *points = app_alloc(bytes), start[CLUSTERS * DIMENSIONS], centres[CLUSTERS * DIMENSIONS];
    int *cluster = app_alloc(n * sizeof(int)), *want = app_alloc(n * sizeof(int));
    uint64_t seed = 17;
    for (size_t i = 0; i < n * DIMENSIONS; i++) {
        uint64_t r = app_random(&seed);
        points[i] = (float)((r & 31) + (i / DIMENSIONS * 5 + i % DIMENSIONS * 3) % 4 * 10);
    }
    memcpy(start, points, sizeof(start)); /* the first points are the first centres */
    memcpy(centres, start, sizeof(start));

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel to_features = app_kernel(program, "to_features"), assign = app_kernel(program, "assign");
    cl_mem raw = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, points);
    cl_mem features = app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL);
    cl_mem middle = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(centres), NULL);
    cl_mem out = app_buffer(&app, CL_MEM_WRITE_ONLY, n * sizeof(int), NULL);
    cl_uint count = (cl_uint)n, dimensions = DIMENSIONS;
    cl_int clusters = CLUSTERS;
    APP_ARG(to_features, 0, raw);
    APP_ARG(to_features, 1, features);
    APP_ARG(to_features, 2, count);
    APP_ARG(to_features, 3, dimensions);
    APP_ARG(assign, 0, features);
    APP_ARG(assign, 1, middle);
    APP_ARG(assign, 2, out);
    APP_ARG(assign, 3, count);
    APP_ARG(assign, 4, dimensions);
    APP_ARG(assign, 5, clusters);

    size_t both[2] = {n, DIMENSIONS};
    app_clock_start(&app);
    app_check(clEnqueueNDRangeKernel(queue, to_features, 2, NULL, both, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueWriteBuffer(queue, middle, CL_FALSE, 0, sizeof(centres), centres, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(queue, assign, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        app_check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, n * sizeof(int), cluster, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
        if (k + 1 < app.repeat) {
            move_centres(points, cluster, n, centres);
        }
    }
    app_clock_stop(&app);

    if (app.verify) {
        for (unsigned k = 0; k < app.repeat; k++) {
            assign_plainly(points, start, n, want);
            move_centres(points, want, n, start);
        }
        for (size_t i = 0; i < n; i++) {
            if (cluster[i] != want[i]) {
                app_wrong(&app, i, cluster[i], want[i]);
            }
        }
    }
    clReleaseMemObject(raw);
    clReleaseMemObject(features);
    clReleaseMemObject(middle);
    clReleaseMemObject(out);
    clReleaseKernel(to_features);
    clReleaseKernel(assign);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, cluster, n * sizeof(int));
    free(points);
    free(cluster);
    free(want);
    return status;
}
