/* Convolution of an image of several channels with a square filter. The input has a rim of RADIUS zeros; a work-group
 * first brings its tile and the halo around it into local memory. Third dimension: the channel. */
#define SIDE 16
#define FILTER (2 * RADIUS + 1)
#define WIDE (SIDE + 2 * RADIUS)

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void
convolve(__global const float *padded, __global float *out, __constant const float *filter)
{
    __local float tile[WIDE * WIDE];
    size_t width = get_global_size(0), height = get_global_size(1), pitch = width + 2 * RADIUS;
    size_t x0 = get_group_id(0) * SIDE, y0 = get_group_id(1) * SIDE, channel = get_global_id(2);
    size_t lx = get_local_id(0), ly = get_local_id(1);
    __global const float *plane = padded + channel * pitch * (height + 2 * RADIUS);
    for (size_t i = ly * SIDE + lx; i < WIDE * WIDE; i += SIDE * SIDE)
        tile[i] = plane[(y0 + i / WIDE) * pitch + x0 + i % WIDE];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (size_t y = 0; y < FILTER; y++)
        for (size_t x = 0; x < FILTER; x++)
            sum += filter[y * FILTER + x] * tile[(ly + y) * WIDE + lx + x];
    out[(channel * height + get_global_id(1)) * width + get_global_id(0)] = sum;
}
