/* Input in the program's own memory (USE_HOST_PTR), output memory that the driver allocates (ALLOC_HOST_PTR) and the
 * program maps; tables as __constant arguments, local memory as an argument. */
#include "aes.h"
#include "app.h"

#include <stdlib.h>
#include <string.h>

#include "aes_encrypt.cl.h"

static const struct app_spec spec = {
    .name = "aes_encrypt",
    .what = "AES-128 encryption of a square image in blocks of 4 x 4 pixels",
    .unit = "rows",
    .sizes = {{"small", 128}, {"table2", 2048}, {"table2x16", 8192}},
    .min = 64,
    .max = 32768,
    .multiple = 64,
    .repeat = 1,
    .repeat_unit = "launches",
};

static const uint8_t key[16] = {0x2b, 0x59, 0x0f, 0xe1, 0x93, 0x7c, 0x44, 0xd8,
                                0x06, 0xba, 0x5e, 0x31, 0xcf, 0x88, 0x12, 0x6d};

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * n;
    uint8_t *plain = app_alloc(bytes), *out = app_alloc(bytes);
    uint64_t seed = 5;
    for (size_t i = 0; i < bytes; i++) {
        plain[i] = (uint8_t)app_random(&seed);
    }
    struct aes aes;
    aes_init(&aes, key);

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel encrypt = app_kernel(program, "encrypt");
    cl_mem from = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, plain);
    cl_mem to = app_buffer(&app, CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes, NULL);
    cl_mem box = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(aes.box), aes.box);
    cl_mem keys = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(aes.keys), aes.keys);
    cl_uint pitch = (cl_uint)(n / 4);
    APP_ARG(encrypt, 0, from);
    APP_ARG(encrypt, 1, to);
    APP_ARG(encrypt, 2, box);
    APP_ARG(encrypt, 3, keys);
    app_check(clSetKernelArg(encrypt, 4, (size_t)16 * 16 * 4, NULL), "clSetKernelArg");
    APP_ARG(encrypt, 5, pitch);

    size_t global[2] = {n / 4, n}, local[2] = {16, 16};
    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        app_check(clEnqueueNDRangeKernel(queue, encrypt, 2, NULL, global, local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    }
    cl_int error;
    uint8_t *mapped = clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
    app_check(error, "clEnqueueMapBuffer");
    app_clock_stop(&app);
    memcpy(out, mapped, bytes);
    app_check(clEnqueueUnmapMemObject(queue, to, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    app_check(clFinish(queue), "clFinish");

    if (app.verify) {
        app.failed |= !aes_self_test();
        size_t blocks = bytes / 16, step = app_check_step(&app, blocks, 300000);
        for (size_t b = 0; b < blocks; b += step) {
            uint8_t want[16], got[16];
            aes_tile_get(plain, n, b, want);
            aes_encrypt_block(&aes, want);
            aes_tile_get(out, n, b, got);
            for (size_t i = 0; i < 16; i++) {
                if (got[i] != want[i]) {
                    app_wrong(&app, b * 16 + i, got[i], want[i]);
                }
            }
        }
    }
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseMemObject(box);
    clReleaseMemObject(keys);
    clReleaseKernel(encrypt);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(plain);
    free(out);
    return status;
}
