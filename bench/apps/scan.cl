/* Exclusive prefix sums, in place, of as many numbers as memory holds: each work-group scans its 256 numbers and leaves
 * their sum; the sums are scanned in the same way; then each number gets the sum of all work-groups before its own. */
#define BLOCK 256 /* numbers, two per work-item */

__kernel void scan_blocks(__global float *data, __global float *sums, uint n)
{
    __local float t[BLOCK];
    size_t lid = get_local_id(0), first = get_group_id(0) * BLOCK;
    size_t i = first + lid, j = i + BLOCK / 2;
    t[lid] = i < n ? data[i] : 0.0f;
    t[lid + BLOCK / 2] = j < n ? data[j] : 0.0f;

    /* Up the tree: sums of ever larger parts. */
    uint distance = 1;
    for (uint parts = BLOCK / 2; parts > 0; parts /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < parts)
            t[(2 * lid + 2) * distance - 1] += t[(2 * lid + 1) * distance - 1];
        distance *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        sums[get_group_id(0)] = t[BLOCK - 1];
        t[BLOCK - 1] = 0.0f;
    }
    /* Down again: each part hands its left half what lies before it, its right half that and the left half's sum. */
    for (uint parts = 1; parts < BLOCK; parts *= 2) {
        distance /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < parts) {
            size_t left = (2 * lid + 1) * distance - 1, right = (2 * lid + 2) * distance - 1;
            float sum = t[left];
            t[left] = t[right];
            t[right] += sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        data[i] = t[lid];
    if (j < n)
        data[j] = t[lid + BLOCK / 2];
}

__kernel void add_sums(__global float *data, __global const float *sums, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        data[i] += sums[get_group_id(0)];
}
