/* C = A B in single precision. A work-group of 8 x 8 work-items computes a tile of 32 x 32; each work-item 4 x 4 of it,
 * from tiles of A that lie in local memory. */

__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void
multiply(__global const float4 *a, __global const float4 *b, __global float4 *c, uint n4)
{
    __local float4 tile[32][8]; /* 32 rows of A, 32 columns */
    size_t lx = get_local_id(0), ly = get_local_id(1);
    size_t column = get_global_id(0), row = get_global_id(1) * 4;
    float4 sum[4] = {(float4)0.0f, (float4)0.0f, (float4)0.0f, (float4)0.0f};
    for (uint k = 0; k < n4; k += 8) {
        for (size_t r = 0; r < 4; r++)
            tile[ly * 4 + r][lx] = a[(row + r) * n4 + k + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 8; j++) {
            __global const float4 *under = b + (size_t)(k + j) * 4 * n4 + column;
            float4 b0 = under[0], b1 = under[n4], b2 = under[2 * n4], b3 = under[3 * n4];
            for (size_t r = 0; r < 4; r++) {
                float4 v = tile[ly * 4 + r][j];
                sum[r] += v.x * b0 + v.y * b1 + v.z * b2 + v.w * b3;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (size_t r = 0; r < 4; r++)
        c[(row + r) * n4 + column] = sum[r];
}
