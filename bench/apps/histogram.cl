#define BINS 256
#define PER_GROUP 32768 /* bytes */

/* Each work-group counts its 32 KB in local memory and writes a histogram of its own. */
__kernel void count(__global const uchar *data, __global uint *partial)
{
    __local uint bins[BINS];
    size_t lid = get_local_id(0), group = get_group_id(0);
    for (size_t b = lid; b < BINS; b += get_local_size(0))
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __global const uchar *mine = data + group * PER_GROUP;
    for (size_t i = lid; i < PER_GROUP / 16; i += get_local_size(0)) {
        uchar v[16];
        vstore16(vload16(i, mine), 0, v);
        for (int k = 0; k < 16; k++)
            atomic_inc(&bins[v[k]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t b = lid; b < BINS; b += get_local_size(0))
        partial[group * BINS + b] = bins[b];
}

/* One work-item per bin adds up the work-groups' histograms. */
__kernel void merge(__global const uint *partial, __global uint *histogram, uint groups)
{
    size_t bin = get_global_id(0);
    uint sum = 0;
    for (uint g = 0; g < groups; g++)
        sum += partial[g * BINS + bin];
    histogram[bin] = sum;
}

/* The other way: one atomic per byte into the result itself. */
__kernel void count_atomic(__global const uchar4 *data, __global uint *histogram)
{
    uchar4 v = data[get_global_id(0)];
    atomic_inc(&histogram[v.x]);
    atomic_inc(&histogram[v.y]);
    atomic_inc(&histogram[v.z]);
    atomic_inc(&histogram[v.w]);
}
