/* Several levels of the same kernels, in place; the sums of all levels are sub-buffers of one scratch buffer; every
 * repetition begins with a copy on the device. */
#include "app.h"

#include <stdlib.h>

#include "scan.cl.h"

#define BLOCK  256
#define LEVELS 8

static const struct app_spec spec = {
    .name = "scan",
    .what = "exclusive prefix sums of a large array",
    .unit = "numbers",
    .sizes = {{"small", 66000}, {"table2", 1048576}, {"table2x16", 16777216}},
    .min = 1,
    .max = 1u << 24, /* sums stay below 2^24: exact in single precision */
    .multiple = 1,
    .repeat = 1,
    .repeat_unit = "times the whole scan",
};

struct level {
    cl_mem data; /* level 0: the numbers; else the sums of the level below, a sub-buffer */
    cl_uint n, groups;
};

/* Cut the scratch buffer into the levels' sums; returns how many levels there are. */
static int make_levels(const struct app *app, struct level *levels, cl_mem data, cl_mem *scratch)
{
    cl_uint align_bits = 0;
    app_check(clGetDeviceInfo(app->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align_bits), &align_bits, NULL),
              "clGetDeviceInfo");
    size_t align = align_bits / 8 > sizeof(float) ? align_bits / 8 : sizeof(float);
    cl_buffer_region region[LEVELS];
    size_t used = 0, n = app->size;
    int count = 0;
    levels[0].data = data;
    for (;;) {
        size_t groups = (n + BLOCK - 1) / BLOCK;
        levels[count].n = (cl_uint)n;
        levels[count].groups = (cl_uint)groups;
        count++;
        region[count].origin = used;
        region[count].size = groups * sizeof(float);
        used += (region[count].size + align - 1) / align * align;
        if (groups == 1) {
            break;
        }
        n = groups;
    }
    *scratch = app_buffer(app, CL_MEM_READ_WRITE, used, NULL);
    for (int l = 1; l <= count; l++) {
        cl_int error;
        levels[l].data = clCreateSubBuffer(*scratch, 0, CL_BUFFER_CREATE_TYPE_REGION, &region[l], &error);
        app_check(error, "clCreateSubBuffer");
    }
    return count;
}

static void launch(cl_command_queue queue, cl_kernel kernel, const struct level *level, cl_mem sums, size_t local)
{
    size_t global = level->groups * local;
    APP_ARG(kernel, 0, level->data);
    APP_ARG(kernel, 1, sums);
    APP_ARG(kernel, 2, level->n);
    app_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * sizeof(float);
    float *in = app_alloc(bytes), *out = app_alloc(bytes);
    uint64_t seed = 12, largest = (1u << 24) / n < 256 ? (1u << 24) / n : 256;
    for (size_t i = 0; i < n; i++) {
        in[i] = (float)(app_random(&seed) % largest);
    }

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel scan_blocks = app_kernel(program, "scan_blocks"), add_sums = app_kernel(program, "add_sums");
    cl_mem source = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, in);
    cl_mem data = app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL), scratch;
    struct level levels[LEVELS];
    int count = make_levels(&app, levels, data, &scratch);

    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueCopyBuffer(queue, source, data, 0, 0, bytes, 0, NULL, NULL), "clEnqueueCopyBuffer");
        for (int l = 0; l < count; l++) {
            launch(queue, scan_blocks, &levels[l], levels[l + 1].data, BLOCK / 2);
        }
        for (int l = count - 2; l >= 0; l--) {
            launch(queue, add_sums, &levels[l], levels[l + 1].data, BLOCK);
        }
    }
    app_check(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, bytes, out, 0, NULL, NULL), "clEnqueueReadBuffer");
    app_clock_stop(&app);

    uint64_t before = 0;
    for (size_t i = 0; app.verify && i < n; i++) {
        if (out[i] != (float)before) {
            app_wrong(&app, i, out[i], (double)before);
        }
        before += (uint64_t)in[i];
    }
    for (int l = 1; l <= count; l++) {
        clReleaseMemObject(levels[l].data);
    }
    clReleaseMemObject(scratch);
    clReleaseMemObject(source);
    clReleaseMemObject(data);
    clReleaseKernel(scan_blocks);
    clReleaseKernel(add_sums);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(in);
    free(out);
    return status;
}
