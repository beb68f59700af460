/* Sums of 32-bit numbers: a work-group adds up twice its size of uint4 in a tree in local memory. */

uint4 tree_sum(__local uint4 *tree, uint4 mine)
{
    size_t lid = get_local_id(0);
    tree[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            tree[lid] += tree[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return tree[0];
}

uint4 load_two(__global const uint4 *in, uint n4)
{
    size_t first = get_group_id(0) * get_local_size(0) * 2 + get_local_id(0), second = first + get_local_size(0);
    uint4 v = first < n4 ? in[first] : (uint4)0;
    return second < n4 ? v + in[second] : v;
}

__kernel void sum(__global const uint4 *in, __global uint4 *partial, __local uint4 *tree, uint n4)
{
    uint4 total = tree_sum(tree, load_two(in, n4));
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = total;
}

/* The other way: each work-group adds its sum to one number, and every work-item takes part in the extremes. */
__kernel void sum_atomic(__global const uint4 *in, __global uint *result, __local uint4 *tree, uint n4)
{
    uint4 total = tree_sum(tree, load_two(in, n4));
    if (get_local_id(0) == 0)
        atomic_add(&result[0], total.x + total.y + total.z + total.w);
    size_t i = get_group_id(0) * get_local_size(0) * 2 + get_local_id(0);
    for (int k = 0; k < 2; k++, i += get_local_size(0)) {
        if (i < n4) {
            atomic_max(&result[1], in[i].x);
            atomic_min(&result[2], in[i].y);
        }
    }
}
