/* y = A x for a sparse matrix whose rows lie one after the other (CSR), and y = s D y in place. */

__kernel void multiply_rows(__global const uint *first, __global const uint *column, __global const float *value,
                            __global const float *x, __global float *y)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint i = first[row], end = first[row + 1]; i < end; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

__kernel void scale(__global float *y, __global const float *diagonal, float s)
{
    size_t row = get_global_id(0);
    y[row] *= s * diagonal[row];
}
