/* Black-Scholes prices of European options; one work-item prices four. */

float4 normal_cdf(float4 x)
{
    return 0.5f * erfc(-x * M_SQRT1_2_F);
}

__kernel void black_scholes(__global const float4 *quote, __global float4 *call, __global float4 *put, float rate,
                            float volatility, uint n4)
{
    size_t i = get_global_id(0);
    if (i >= n4)
        return;
    float4 u = quote[i];
    float4 spot = 10.0f + 90.0f * u, strike = 100.0f - 90.0f * u, years = 1.0f + 9.0f * u;
    float4 spread = volatility * sqrt(years);
    float4 d1 = (log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    float4 d2 = d1 - spread;
    float4 discounted = strike * exp(-rate * years);
    call[i] = spot * normal_cdf(d1) - discounted * normal_cdf(d2);
    put[i] = discounted * normal_cdf(-d2) - spot * normal_cdf(-d1);
}
