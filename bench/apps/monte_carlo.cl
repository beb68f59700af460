/* European calls by Monte Carlo: each work-item prices an option over the same normally distributed numbers. The result
 * is the mean and the half width of its 95 % interval. An option: spot, strike, years, volatility. */

__kernel void monte_carlo(__global const float4 *option, __global const float *normal, __global float2 *result,
                          float rate, uint paths)
{
    size_t i = get_global_id(0);
    float4 o = option[i];
    float drift = (rate - 0.5f * o.w * o.w) * o.z, spread = o.w * sqrt(o.z), sum = 0.0f, squares = 0.0f;
    for (uint k = 0; k < paths; k++) {
        float payoff = fmax(o.x * exp(drift + spread * normal[k]) - o.y, 0.0f);
        sum += payoff;
        squares += payoff * payoff;
    }
    float discount = exp(-rate * o.z), mean = sum / paths, variance = fmax(squares / paths - mean * mean, 0.0f);
    result[i] = (float2)(discount * mean, discount * 1.96f * sqrt(variance / paths));
}
