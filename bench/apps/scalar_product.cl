/* Scalar products of many pairs of vectors; a work-group takes a pair. */

__kernel void scalar_product(__global const float *a, __global const float *b, __global float *out, uint length,
                             __local float *part)
{
    size_t lid = get_local_id(0), first = get_group_id(0) * length;
    float sum = 0.0f;
    for (uint i = lid; i < length; i += get_local_size(0))
        sum += a[first + i] * b[first + i];
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            part[lid] += part[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = part[0];
}
