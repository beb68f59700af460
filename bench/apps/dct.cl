/* Discrete cosine transform of the 8 x 8 blocks of an image; a work-group takes four blocks side by side. */

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void dct(__global const float *image, __global float *out,
                                                                  __constant const float *basis, uint width)
{
    __local float tile[8][32], rows[8][32];
    size_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    size_t column = lx % 8, block = lx - column;
    tile[ly][lx] = image[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (size_t k = 0; k < 8; k++)
        sum += basis[column * 8 + k] * tile[ly][block + k];
    rows[ly][lx] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (size_t k = 0; k < 8; k++)
        sum += basis[ly * 8 + k] * rows[k][lx];
    out[y * width + x] = sum;
}
