// What is called exact is exact: these give the same bytes on every vendor's device (test_exact runs them on all there are).
#define I size_t i = get_global_id(0)
#define EXACT(name, T, expr) __kernel void name(__global T *o, __global const T *a, __global const T *b) { I; T x = a[i], y = b[i]; o[i] = expr; }
// flags f_add !inexact float_arith
EXACT(f_add, float, x + y)
// flags f_mul !inexact
EXACT(f_mul, float, x * y)
// flags f_sub !inexact
EXACT(f_sub, float, x - y)
// flags f_fma !inexact
EXACT(f_fma, float, fma(x, y, x))
// flags f_floor !inexact
EXACT(f_floor, float, floor(x))
// flags f_ceil !inexact
EXACT(f_ceil, float, ceil(x))
// flags f_trunc !inexact
EXACT(f_trunc, float, trunc(x))
// flags f_rint !inexact
EXACT(f_rint, float, rint(x))
// flags f_round !inexact
EXACT(f_round, float, round(x))
// flags f_abs !inexact
EXACT(f_abs, float, fabs(x))
// flags f_copysign !inexact
EXACT(f_copysign, float, copysign(x, y))
// flags f_compare !inexact
EXACT(f_compare, float, x < y ? x : y == 0 ? 1.0f : y)
// flags f_tests !inexact
EXACT(f_tests, float, (float)(isless(x, y) + 2 * isgreaterequal(x, y) + 4 * isinf(x) + 8 * isnan(y) + 16 * isfinite(x) + 32 * (signbit(x) ? 1 : 0) + 64 * isnormal(x)))
// flags f_select !inexact
EXACT(f_select, float, select(x, y, (int)i & 1 ? -1 : 0))
// flags f_int !inexact
EXACT(f_int, float, convert_float(as_int(x)) + convert_float_rtz(as_uint(y)))
// flags f_to_int !inexact
EXACT(f_to_int, float, convert_float(convert_int_sat(x)))
// flags f_vector !inexact
EXACT(f_vector, float4, (x + y).wzyx - x.xxyy)
// flags f_shuffle !inexact
EXACT(f_shuffle, float4, shuffle2(x, y, (uint4)(7, 0, 5, 2)))
// flags d_arith !inexact fp64
EXACT(d_arith, double, (x + y) / (x - y))
// flags d_sqrt !inexact
EXACT(d_sqrt, double, sqrt(fabs(x)) + (double)(float)y)
// flags i_arith !inexact !float_arith
EXACT(i_arith, int, (x + y) * (x ^ y) - (x >> (y & 31)) + (x << (y & 31)) + x / (y | 1) + x % (y | 1))
// flags u_arith !inexact
EXACT(u_arith, uint, (x + y) * (x ^ y) - (x >> (y & 31)) + (x << (y & 31)) + x / (y | 1) + x % (y | 1))
// flags l_arith !inexact
EXACT(l_arith, long, (x + y) * (x ^ y) - (x >> (y & 63)) + x / (y | 1) + x % (y | 1))
// flags i_builtins !inexact
EXACT(i_builtins, int, (int)abs(x) + (int)abs_diff(x, y) + add_sat(x, y) + sub_sat(x, y) + hadd(x, y) + rhadd(x, y) + clz(x) + mad_hi(x, y, x))
// flags i_more !inexact
EXACT(i_more, int, mad_sat(x, y, x) + mul_hi(x, y) + rotate(x, y) + popcount(y) + max(x, y) - min(x, y) + clamp(x, -100, 1000))
// flags i_short !inexact
EXACT(i_short, short, convert_short_sat(convert_int(x) * y) + (short)upsample((char)(x & 127), (uchar)y))
// flags i_char !inexact
EXACT(i_char, uchar4, convert_uchar4_sat(convert_int4(x) - convert_int4(y)) + (x & y))
// flags i_bits !inexact
EXACT(i_bits, int, bitselect(x, y, 0x0f0f0f0f))
// flags i_any !inexact
EXACT(i_any, int4, any(x > y) + 2 * all(x > y) + (x == y) + select(x, y, x < y))
// flags h_load !inexact
__kernel void h_load(__global float *o, __global const float *a) { I; o[i] = vload_half(i & 255, (__global const half *)a); }
// flags h_store !inexact
__kernel void h_store(__global float *o, __global const float *a) { I; vstore_half_rte(a[i] * 0.0009765625f, i, (__global half *)o); }
