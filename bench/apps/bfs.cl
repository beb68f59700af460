/* Breadth-first search, one launch of both kernels per level. A node may be reached from several nodes of the frontier at
 * once, in several work-groups: all write the same values. */

__kernel void expand(__global const uint *first_edge, __global const uint *edges, __global const uchar *frontier,
                     __global const uchar *visited, __global uchar *next, __global int *depth, uint n)
{
    size_t node = get_global_id(0);
    if (node >= n || !frontier[node])
        return;
    int deeper = depth[node] + 1;
    for (uint e = first_edge[node]; e < first_edge[node + 1]; e++) {
        uint neighbour = edges[e];
        if (!visited[neighbour]) {
            depth[neighbour] = deeper;
            next[neighbour] = 1;
        }
    }
}

/* What was reached becomes the frontier, in place. */
__kernel void settle(__global uchar *frontier, __global uchar *visited, __global uchar *next, __global int *more, uint n)
{
    size_t node = get_global_id(0);
    if (node >= n)
        return;
    uchar reached = next[node];
    frontier[node] = reached;
    if (reached) {
        visited[node] = 1;
        next[node] = 0;
        *more = 1;
    }
}
