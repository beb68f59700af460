#include "aes.h"

#include <string.h>

static uint8_t times2(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1, a = times2(a)) {
        if (b & 1) {
            product ^= a;
        }
    }
    return product;
}

/* The S-box is the inverse in GF(2^8), then an affine map; 3 generates the field's multiplicative group. */
static void make_boxes(struct aes *aes)
{
    uint8_t power[255], log[256] = {0};
    uint8_t x = 1;
    for (int i = 0; i < 255; i++) {
        power[i] = x;
        log[x] = (uint8_t)i;
        x = (uint8_t)(x ^ times2(x));
    }
    for (int i = 0; i < 256; i++) {
        uint8_t b = i ? power[(255 - log[i]) % 255] : 0;
        uint8_t s = b;
        for (int turn = 1; turn <= 4; turn++) {
            s ^= (uint8_t)(b << turn | b >> (8 - turn));
        }
        s ^= 0x63;
        aes->box[i] = s;
        aes->inverse[s] = (uint8_t)i;
    }
}

void aes_init(struct aes *aes, const uint8_t key[16])
{
    make_boxes(aes);
    memcpy(aes->keys, key, 16);
    uint8_t constant = 1;
    for (size_t i = 16; i < sizeof(aes->keys); i += 4) {
        uint8_t word[4];
        memcpy(word, aes->keys + i - 4, 4);
        if (i % 16 == 0) {
            uint8_t first = word[0];
            word[0] = aes->box[word[1]] ^ constant;
            word[1] = aes->box[word[2]];
            word[2] = aes->box[word[3]];
            word[3] = aes->box[first];
            constant = times2(constant);
        }
        for (size_t k = 0; k < 4; k++) {
            aes->keys[i + k] = aes->keys[i + k - 16] ^ word[k];
        }
    }
}

static void add_key(const struct aes *aes, uint8_t block[16], int round)
{
    for (int i = 0; i < 16; i++) {
        block[i] ^= aes->keys[round * 16 + i];
    }
}

/* Row r of the state moves by r columns: to the left when encrypting, to the right when decrypting. */
static void substitute_and_shift(uint8_t block[16], const uint8_t box[256], int direction)
{
    uint8_t old[16];
    memcpy(old, block, 16);
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            block[4 * c + r] = box[old[4 * ((c + direction * r + 4) % 4) + r]];
        }
    }
}

static void mix(uint8_t block[16], const uint8_t m[4])
{
    for (int c = 0; c < 16; c += 4) {
        uint8_t old[4];
        memcpy(old, block + c, 4);
        for (int r = 0; r < 4; r++) {
            uint8_t sum = 0;
            for (int k = 0; k < 4; k++) {
                sum ^= times(old[k], m[(k - r + 4) % 4]);
            }
            block[c + r] = sum;
        }
    }
}

void aes_encrypt_block(const struct aes *aes, uint8_t block[16])
{
    static const uint8_t m[4] = {2, 3, 1, 1};
    add_key(aes, block, 0);
    for (int round = 1; round <= AES_ROUNDS; round++) {
        substitute_and_shift(block, aes->box, 1);
        if (round < AES_ROUNDS) {
            mix(block, m);
        }
        add_key(aes, block, round);
    }
}

void aes_decrypt_block(const struct aes *aes, uint8_t block[16])
{
    static const uint8_t m[4] = {14, 11, 13, 9};
    for (int round = AES_ROUNDS; round >= 1; round--) {
        add_key(aes, block, round);
        if (round < AES_ROUNDS) {
            mix(block, m);
        }
        substitute_and_shift(block, aes->inverse, -1);
    }
    add_key(aes, block, 0);
}

void aes_tile_get(const uint8_t *image, size_t width, size_t number, uint8_t block[16])
{
    size_t y = number / (width / 4) * 4, x = number % (width / 4) * 4;
    for (size_t row = 0; row < 4; row++) {
        memcpy(block + 4 * row, image + (y + row) * width + x, 4);
    }
}

bool aes_self_test(void)
{
    static const uint8_t want[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                     0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    uint8_t key[16], plain[16], block[16];
    for (int i = 0; i < 16; i++) {
        key[i] = (uint8_t)i;
        plain[i] = block[i] = (uint8_t)(i * 0x11);
    }
    struct aes aes;
    aes_init(&aes, key);
    aes_encrypt_block(&aes, block);
    bool right = memcmp(block, want, 16) == 0;
    aes_decrypt_block(&aes, block);
    return right && memcmp(block, plain, 16) == 0;
}
