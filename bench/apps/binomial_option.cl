/* European call options on a binomial lattice of STEPS steps (even; given by the build options): one work-group prices
 * four options, one work-item per leaf. Two steps of the lattice per exchange through local memory. */

__kernel void price(__global const float4 *quote, __global float4 *value, float rate, float volatility)
{
    __local float4 level[STEPS + 1];
    size_t leaf = get_local_id(0), group = get_group_id(0);
    float4 u = quote[group];
    float4 spot = 5.0f + 25.0f * u, strike = 1.0f + 35.0f * (1.0f - u), years = 0.25f + 9.75f * u;

    float4 dt = years * (1.0f / STEPS);
    float4 jump = volatility * sqrt(dt);
    float4 growth = exp(rate * dt), up = exp(jump), down = 1.0f / up;
    float4 chance_up = (growth - down) / (up - down);
    float4 pu = chance_up / growth, pd = (1.0f - chance_up) / growth;

    float4 v = fmax(spot * exp(jump * (2.0f * leaf - STEPS)) - strike, 0.0f);
    level[leaf] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int last = STEPS - 2; last >= 0; last -= 2) {
        if (leaf <= last) {
            float4 a = level[leaf + 1], b = level[leaf + 2];
            v = pu * (pu * b + pd * a) + pd * (pu * a + pd * v);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (leaf <= last)
            level[leaf] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (leaf == 0)
        value[group] = v;
}
