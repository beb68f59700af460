// Which kernels give the same bits on devices of different kinds.
// flags add !inexact float_arith !fp64
__kernel void add(__global float *a, __global const float *b) { a[get_global_id(0)] += b[get_global_id(0)]; }
// flags copy !inexact !float_arith
__kernel void copy(__global float4 *a, __global const float4 *b) { a[get_global_id(0)] = b[get_global_id(0)].wzyx; }
// flags integers !inexact !float_arith
__kernel void integers(__global int *a) { a[get_global_id(0)] = mad_hi(a[0], 3, 4) / 7 + rotate(a[1], 3) + clz(a[2]); }
// flags fused inexact !inexact_escapes
// arg fused a inexact_written
__kernel void fused(__global float *a, float x) { a[get_global_id(0)] = a[get_global_id(0)] * x + 1.0f; }
// flags apart inexact
__kernel void apart(__global float *a, float x) { float p = a[get_global_id(0)] * x; if (x > 0) p = -p; a[get_global_id(0)] = 1.0f - p; }
// flags by_local inexact
__kernel void by_local(__global float *a, __local float *l, float x) { l[get_local_id(0)] = a[0] * x; a[get_global_id(0)] = l[get_local_id(0)] + x; }
// flags multiplied !inexact float_arith
__kernel void multiplied(__global float *a, float x) { a[get_global_id(0)] = a[get_global_id(0)] * x * x; }
// flags divided inexact
__kernel void divided(__global float *a, float x) { a[get_global_id(0)] = x / a[get_global_id(0)]; }
// flags divided_double !inexact fp64
__kernel void divided_double(__global double *a, double x) { a[get_global_id(0)] = sqrt(x / a[get_global_id(0)]); }
// flags root inexact
__kernel void root(__global float *a) { a[get_global_id(0)] = sqrt(a[get_global_id(0)]); }
// flags sine inexact
__kernel void sine(__global float *a) { a[get_global_id(0)] = native_sin(a[get_global_id(0)]); }
// flags fused_exactly !inexact
__kernel void fused_exactly(__global float *a, float x) { a[get_global_id(0)] = fma(a[get_global_id(0)], x, 1.0f); }
// flags rounding !inexact
__kernel void rounding(__global float *a) { a[get_global_id(0)] = floor(a[get_global_id(0)]) + fabs(a[1]) + convert_float(convert_int_sat_rte(a[2])); }
// flags compares !inexact !inexact_escapes
__kernel void compares(__global float *a) { if (a[get_global_id(0)] < 0.5f) a[get_global_id(0)] = 0; }
// flags branches inexact inexact_escapes
__kernel void branches(__global float *a) { if (exp(a[get_global_id(0)]) < 0.5f) a[get_global_id(0)] = 0; }
// flags addresses inexact inexact_escapes
__kernel void addresses(__global float *a) { a[(int)(exp(a[get_global_id(0)]))] = 0; }
// flags bits inexact inexact_escapes
__kernel void bits(__global int *a, __global float *b) { a[get_global_id(0)] = as_int(exp(b[get_global_id(0)])) + 1; }
// flags chooses inexact !inexact_escapes
__kernel void chooses(__global float *a) { float e = exp(a[get_global_id(0)]); a[get_global_id(0)] = e < 0.5f ? e : 1.0f; }
// flags inside inexact !inexact_escapes
// arg inside b !inexact_written
__kernel void inside(__global float *a, __global int *b) { float t[4]; for (int i = 0; i < 4; i++) t[i] = exp(a[i]); b[get_global_id(0)] = 3; a[get_global_id(0)] = t[b[1] & 3]; }
// flags pointed inexact
__kernel void pointed(__global float *a) { float c; a[0] = sincos(a[get_global_id(0)], &c); a[1] = c; }
// flags halves !inexact
__kernel void halves(__global half *a, __global float *b) { vstore_half_rte(vload_half(get_global_id(0), a) + b[0], get_global_id(0), a); }
// flags halves_default inexact
__kernel void halves_default(__global half *a, __global float *b) { vstore_half(b[0], get_global_id(0), a); }
// flags vectors inexact
__kernel void vectors(__global float *a) { vstore4(vload4(get_global_id(0), a) * 3.0f + 1.0f, get_global_id(0), a); }
// flags smaller inexact
__kernel void smaller(__global float *a) { a[get_global_id(0)] = fmin(a[get_global_id(0)], a[0]); }
// flags smaller_int !inexact
__kernel void smaller_int(__global int *a) { a[get_global_id(0)] = min(a[get_global_id(0)], a[0]); }
// Beyond a range these are a device's own; an address made from one is no more inexact than its operand.
// flags ranged inexact !inexact_escapes
__kernel void ranged(__global int *a) { a[get_global_id(0)] = mul24(a[0], 3); }
// flags casts inexact !inexact_escapes
__kernel void casts(__global float *a, __global int *b) { b[(int)a[get_global_id(0)]] = convert_int(a[0]); }
// Oclgrind's sign() of -0 and bitselect() of floats are not PoCL's.
// flags signs inexact
__kernel void signs(__global float *a) { a[get_global_id(0)] = sign(a[get_global_id(0)]); }
// flags bit_floats inexact
__kernel void bit_floats(__global float *a) { a[get_global_id(0)] = bitselect(a[get_global_id(0)], a[0], 1.5f); }
