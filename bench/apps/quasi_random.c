/* A table as __constant argument, few work-groups that each do much, a large result read in four parts. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

#include "quasi_random.cl.h"

#define DIMENSIONS 64

static const struct app_spec spec = {
    .name = "quasi_random",
    .what = "Sobol sequence of 64 dimensions",
    .unit = "vectors",
    .sizes = {{"small", 1024}, {"table2", 131072}, {"table2x16", 2097152}},
    .min = 256,
    .max = 1u << 24,
    .multiple = 256,
    .repeat = 1,
    .repeat_unit = "launches",
};

/* Is the polynomial (bit i: coefficient of x^i) of degree D primitive over GF(2)? Then x has order 2^D - 1. */
static bool primitive(uint32_t polynomial, unsigned degree)
{
    uint32_t order = (1u << degree) - 1, x = 1;
    for (uint32_t i = 1; i <= order; i++) {
        x <<= 1;
        if (x >> degree & 1) {
            x ^= polynomial;
        }
        if (x == 1) {
            return i == order;
        }
    }
    return false;
}

/* Direction numbers: dimension 0 is van der Corput's sequence, each further one belongs to the next primitive
 * polynomial, with odd initial values from a fixed sequence. */
static void make_directions(uint32_t v[DIMENSIONS][32])
{
    uint64_t seed = 10;
    for (int bit = 0; bit < 32; bit++) {
        v[0][bit] = 1u << (31 - bit);
    }
    uint32_t polynomial = 1;
    for (int d = 1; d < DIMENSIONS; d++) {
        unsigned degree;
        do {
            polynomial += 2;
            degree = 31 - (unsigned)__builtin_clz(polynomial);
        } while (!primitive(polynomial, degree));
        for (unsigned i = 0; i < 32; i++) {
            if (i < degree) {
                uint32_t odd = ((uint32_t)app_random(&seed) & ((1u << (i + 1)) - 1)) | 1;
                v[d][i] = odd << (31 - i);
                continue;
            }
            v[d][i] = v[d][i - degree] ^ (v[d][i - degree] >> degree);
            for (unsigned k = 1; k < degree; k++) {
                if (polynomial >> (degree - k) & 1) {
                    v[d][i] ^= v[d][i - k];
                }
            }
        }
    }
}

/* Each number follows from the one before by one direction number; and the numbers of a dimension, 2^m of them, must
 * lie one in each interval of 2^-m, which no error in the direction numbers leaves true. */
static void check(struct app *app, const float *numbers, uint32_t v[DIMENSIONS][32])
{
    size_t n = app->size;
    unsigned char *seen = app_alloc(n);
    for (size_t d = 0; d < DIMENSIONS; d++) {
        uint32_t x = 0;
        memset(seen, 0, n);
        for (size_t k = 0; k < n; k++) {
            float got = numbers[d * n + k], want = (float)(x >> 8) * 0x1p-24f;
            if (got != want) {
                app_wrong(app, d * n + k, got, want);
            } else if ((n & (n - 1)) == 0 && seen[(size_t)(got * (float)n)]++) {
                app_wrong(app, d * n + k, got, -1);
            }
            x ^= v[d][__builtin_ctzll(k + 1)];
        }
    }
    free(seen);
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    static uint32_t directions[DIMENSIONS][32];
    make_directions(directions);
    size_t n = app.size, bytes = DIMENSIONS * n * sizeof(float);
    float *numbers = app_alloc(bytes);

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel sobol = app_kernel(program, "sobol");
    cl_mem table = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(directions), directions);
    cl_mem out = app_buffer(&app, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_uint vectors = (cl_uint)n;
    APP_ARG(sobol, 0, table);
    APP_ARG(sobol, 1, out);
    APP_ARG(sobol, 2, vectors);

    size_t local = 256, global = DIMENSIONS * local, part = bytes / 4;
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueNDRangeKernel(queue, sobol, 1, NULL, &global, &local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    }
    for (size_t i = 0; i < 4; i++) {
        app_check(clEnqueueReadBuffer(queue, out, i == 3, i * part, part, (char *)numbers + i * part, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
    }
    app_clock_stop(&app);

    if (app.verify) {
        check(&app, numbers, directions);
    }
    clReleaseMemObject(table);
    clReleaseMemObject(out);
    clReleaseKernel(sobol);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, numbers, bytes);
    free(numbers);
    return status;
}
