/* AES-128 of an image whose blocks are tiles of 4 x 4 pixels. A work-item owns four pixels of a row, which are a column
 * of the AES state; a work-group of 16 x 16 work-items holds 64 blocks and exchanges columns through local memory. */
#define ROUNDS 10

uchar times2(uchar x)
{
    return (uchar)((x << 1) ^ ((x & 0x80) ? 0x1b : 0));
}

uchar4 substitute(__constant const uchar *box, uchar4 c)
{
    return (uchar4)(box[c.x], box[c.y], box[c.z], box[c.w]);
}

uchar4 mix(uchar4 c)
{
    uchar all = c.x ^ c.y ^ c.z ^ c.w;
    return (uchar4)(c.x ^ all ^ times2(c.x ^ c.y), c.y ^ all ^ times2(c.y ^ c.z), c.z ^ all ^ times2(c.z ^ c.w),
                    c.w ^ all ^ times2(c.w ^ c.x));
}

__kernel void encrypt(__global const uchar4 *plain, __global uchar4 *cipher, __constant const uchar *box,
                      __constant const uchar4 *keys, __local uchar4 *state, uint pitch)
{
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    size_t lx = get_local_id(0), ly = get_local_id(1), width = get_local_size(0);
    size_t me = ly * width + lx, block = (ly & ~(size_t)3) * width + lx, column = ly & 3;
    uchar4 c = plain[at] ^ keys[column];
    for (int round = 1; round <= ROUNDS; round++) {
        state[me] = substitute(box, c);
        barrier(CLK_LOCAL_MEM_FENCE);
        c.x = state[me].x;
        c.y = state[block + ((column + 1) & 3) * width].y;
        c.z = state[block + ((column + 2) & 3) * width].z;
        c.w = state[block + ((column + 3) & 3) * width].w;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (round < ROUNDS)
            c = mix(c);
        c ^= keys[round * 4 + column];
    }
    cipher[at] = c;
}
