/* One Jacobi step of the heat equation. The launch begins at (1, 1): get_global_id is the place in the grid, whose rim
 * stays as it is. */
float laplacian(__global const float *at, uint pitch)
{
    return at[-1] + at[1] + *(at - pitch) + at[pitch] - 4.0f * at[0];
}

__kernel void jacobi(__global const float *from, __global float *to, uint pitch, float rate)
{
    size_t i = get_global_id(1) * pitch + get_global_id(0);
    to[i] = from[i] + rate * laplacian(from + i, pitch);
}
