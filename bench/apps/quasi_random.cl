/* A Sobol sequence: work-group d writes all numbers of dimension d. Number k is the exclusive or of the direction
 * numbers at the ones of k's Gray code. */

__kernel void sobol(__constant const uint *directions, __global float *numbers, uint vectors)
{
    __local uint v[32];
    size_t lid = get_local_id(0), dimension = get_group_id(0);
    if (lid < 32)
        v[lid] = directions[dimension * 32 + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = lid; k < vectors; k += get_local_size(0)) {
        uint x = 0;
        for (uint gray = k ^ (k >> 1), bit = 0; gray; gray >>= 1, bit++)
            x ^= (gray & 1) ? v[bit] : 0;
        numbers[dimension * vectors + k] = (float)(x >> 8) * 0x1p-24f;
    }
}
