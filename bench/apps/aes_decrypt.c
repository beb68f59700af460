/* In place, in a buffer written without blocking; the launch waits for the writes by an event list, the program for the
 * read by clWaitForEvents. */
#include "aes.h"
#include "app.h"

#include <stdlib.h>

#include "aes_decrypt.cl.h"

static const struct app_spec spec = {
    .name = "aes_decrypt",
    .what = "AES-128 decryption of a square image in blocks of 4 x 4 pixels, in place",
    .unit = "rows",
    .sizes = {{"small", 128}, {"table2", 2048}, {"table2x16", 8192}},
    .min = 64,
    .max = 32768,
    .multiple = 64,
    .repeat = 1,
    .repeat_unit = "launches, each decrypting what the one before left",
};

static const uint8_t key[16] = {0x71, 0x0e, 0xc4, 0x3a, 0xd5, 0x88, 0x19, 0x6b,
                                0xf2, 0x20, 0x9d, 0x47, 0xbc, 0x53, 0xae, 0x05};

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size, bytes = n * n;
    uint8_t *cipher = app_alloc(bytes), *out = app_alloc(bytes);
    uint64_t seed = 6;
    for (size_t i = 0; i < bytes; i++) {
        cipher[i] = (uint8_t)app_random(&seed);
    }
    struct aes aes;
    aes_init(&aes, key);

    cl_command_queue queue = app_queue(&app, 0);
    cl_program program = app_build(&app, kernels, NULL);
    cl_kernel decrypt = app_kernel(program, "decrypt");
    cl_mem image = app_buffer(&app, CL_MEM_READ_WRITE, bytes, NULL);
    cl_mem box = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(aes.inverse), NULL);
    cl_mem keys = app_buffer(&app, CL_MEM_READ_ONLY, sizeof(aes.keys), NULL);
    cl_uint pitch = (cl_uint)(n / 4);
    APP_ARG(decrypt, 0, image);
    APP_ARG(decrypt, 1, box);
    APP_ARG(decrypt, 2, keys);
    APP_ARG(decrypt, 3, pitch);

    cl_event written[3], done, read;
    size_t global[2] = {n / 4, n}, local[2] = {16, 16};
    app_clock_start(&app);
    app_check(clEnqueueWriteBuffer(queue, image, CL_FALSE, 0, bytes, cipher, 0, NULL, &written[0]),
              "clEnqueueWriteBuffer");
    app_check(clEnqueueWriteBuffer(queue, box, CL_FALSE, 0, sizeof(aes.inverse), aes.inverse, 0, NULL, &written[1]),
              "clEnqueueWriteBuffer");
    app_check(clEnqueueWriteBuffer(queue, keys, CL_FALSE, 0, sizeof(aes.keys), aes.keys, 0, NULL, &written[2]),
              "clEnqueueWriteBuffer");
    for (unsigned k = 0; k < app.repeat; k++) {
        bool first = k == 0, last = k + 1 == app.repeat;
        app_check(clEnqueueNDRangeKernel(queue, decrypt, 2, NULL, global, local, first ? 3 : 0, first ? written : NULL,
                                         last ? &done : NULL),
                  "clEnqueueNDRangeKernel");
    }
    app_check(clEnqueueReadBuffer(queue, image, CL_FALSE, 0, bytes, out, 1, &done, &read), "clEnqueueReadBuffer");
    app_check(clWaitForEvents(1, &read), "clWaitForEvents");
    app_clock_stop(&app);

    if (app.verify) {
        app.failed |= !aes_self_test();
        size_t blocks = bytes / 16,
               step = app_check_step(&app, blocks, 300000 / (app.repeat < 3000 ? app.repeat : 3000));
        for (size_t b = 0; b < blocks; b += step) {
            uint8_t want[16], got[16];
            aes_tile_get(cipher, n, b, want);
            for (unsigned k = 0; k < app.repeat; k++) {
                aes_decrypt_block(&aes, want);
            }
            aes_tile_get(out, n, b, got);
            for (size_t i = 0; i < 16; i++) {
                if (got[i] != want[i]) {
                    app_wrong(&app, b * 16 + i, got[i], want[i]);
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        clReleaseEvent(written[i]);
    }
    clReleaseEvent(done);
    clReleaseEvent(read);
    clReleaseMemObject(image);
    clReleaseMemObject(box);
    clReleaseMemObject(keys);
    clReleaseKernel(decrypt);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    int status = app_end(&app, out, bytes);
    free(cipher);
    free(out);
    return status;
}
