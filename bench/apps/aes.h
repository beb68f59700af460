/**
 * AES-128 in plain C, byte by byte, with an S-box computed at the start: what aes_encrypt and aes_decrypt are compared
 * with. An image of WIDTH bytes a row is a set of blocks of 4 x 4 pixels; a row of a tile is a column of the AES state.
 * Thread: main thread only. Never calls OpenCL.
 */
#ifndef BENCH_APPS_AES_H
#define BENCH_APPS_AES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AES_ROUNDS 10

struct aes {
    uint8_t box[256], inverse[256];
    uint8_t keys[(AES_ROUNDS + 1) * 16];
};

/** Compute the tables and expand KEY. */
void aes_init(struct aes *aes, const uint8_t key[16]);

void aes_encrypt_block(const struct aes *aes, uint8_t block[16]);
void aes_decrypt_block(const struct aes *aes, uint8_t block[16]);

/** Copy tile NUMBER (row by row) of an image out of it. */
void aes_tile_get(const uint8_t *image, size_t width, size_t number, uint8_t block[16]);

/** Does the plain C code reproduce the example of FIPS 197, appendix C.1, in both directions? */
bool aes_self_test(void);

#endif
