/* One time step of bodies that attract one another; positions pass through local memory a tile at a time. */

float4 pull(float4 sum, float4 me, float4 other, float soft)
{
    float4 d = other - me;
    float inverse = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + soft);
    float strength = other.w * inverse * inverse * inverse; /* w: mass */
    sum.xyz += strength * d.xyz;
    return sum;
}

__kernel void advance(__global const float4 *place, __global const float4 *speed, __global float4 *next_place,
                      __global float4 *next_speed, __local float4 *tile, uint n, float dt, float soft)
{
    size_t i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    float4 me = place[i], force = (float4)0.0f;
    for (size_t first = 0; first < n; first += size) {
        tile[lid] = place[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; k < size; k++)
            force = pull(force, me, tile[k], soft);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = speed[i] + dt * force;
    v.w = 0.0f;
    next_speed[i] = v;
    next_place[i] = me + dt * v;
}
