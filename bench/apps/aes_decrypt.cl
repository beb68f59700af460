/* The inverse of aes_encrypt.cl, in place: a work-item overwrites the four pixels that it has read. */
#define ROUNDS 10
#define SIDE 16

uchar times2(uchar x)
{
    return (uchar)((x << 1) ^ ((x & 0x80) ? 0x1b : 0));
}

/* Multiply by 14, 11, 13 and 9 at once: 14 = 8^4^2, 11 = 8^2^1, 13 = 8^4^1, 9 = 8^1. */
uchar unmix_one(uchar a, uchar b, uchar c, uchar d)
{
    uchar ac = times2(times2(a ^ c)), bd = times2(times2(b ^ d));
    uchar high = times2(ac ^ bd);
    return high ^ ac ^ times2(a ^ b) ^ b ^ c ^ d;
}

uchar4 unmix(uchar4 v)
{
    return (uchar4)(unmix_one(v.x, v.y, v.z, v.w), unmix_one(v.y, v.z, v.w, v.x), unmix_one(v.z, v.w, v.x, v.y),
                    unmix_one(v.w, v.x, v.y, v.z));
}

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void
decrypt(__global uchar4 *image, __constant const uchar *inverse, __constant const uchar4 *keys, uint pitch)
{
    __local uchar4 state[SIDE][SIDE];
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    size_t lx = get_local_id(0), ly = get_local_id(1), block = ly & ~(size_t)3, column = ly & 3;
    uchar4 c = image[at];
    for (int round = ROUNDS; round >= 1; round--) {
        c ^= keys[round * 4 + column];
        if (round < ROUNDS)
            c = unmix(c);
        state[ly][lx] = c;
        barrier(CLK_LOCAL_MEM_FENCE);
        c.x = inverse[state[ly][lx].x];
        c.y = inverse[state[block + ((column + 3) & 3)][lx].y];
        c.z = inverse[state[block + ((column + 2) & 3)][lx].z];
        c.w = inverse[state[block + ((column + 1) & 3)][lx].w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    image[at] = c ^ keys[column];
}
