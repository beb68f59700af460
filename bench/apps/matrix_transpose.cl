/* Tiles of 32 x 32 through local memory, one column wider than a tile so that columns lie in different banks.
 * A work-group has 32 x 8 work-items; each moves four rows. */
#define TILE 32
#define ROWS 8

__kernel void transpose(__global const uint *in, __global uint *out, uint n)
{
    __local uint tile[TILE][TILE + 1];
    size_t lx = get_local_id(0), ly = get_local_id(1);
    size_t bx = get_group_id(0) * TILE, by = get_group_id(1) * TILE;
    for (size_t r = ly; r < TILE; r += ROWS)
        tile[r][lx] = in[(by + r) * n + bx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t r = ly; r < TILE; r += ROWS)
        out[(bx + r) * n + by + lx] = tile[lx][r];
}
