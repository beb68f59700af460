// options -I tests/transform/corpus -DTYPE=float4 -DVALUE="(1+1)"
// Includes, conditions on device macros, pragmas and #line.
#include "headers.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#if __OPENCL_VERSION__ >= CL_VERSION_1_1 && defined(cl_khr_fp64) && !defined(M_PI_NOT)
#ifndef M_PI_F
#error "a device's own header defines it"
#endif
#line 100 "other.cl"
// source #if !defined(cl_khr_fp64)
// source #if __OPENCL_VERSION__ != 300
// verdict scaled merge
// hidden scaled group_offset0
// flags scaled needs_variant inexact float_arith
// run scaled global=32 local=4 offset=4
__kernel void scaled(__global TYPE *out, __global const TYPE *in)
{
    out[get_global_id(0)] = in[get_global_id(0)] * (M_PI_F * VALUE) + (float)group_number() + __LINE__;
}
_Pragma("OPENCL EXTENSION cl_khr_fp64 : enable")
// verdict wide merge
// flags wide fp64 !inexact float_arith
// run wide global=32 local=4
__kernel void wide(__global double *out)
{
    out[get_global_id(0)] = (double)group_number() / 3.0;
}
#endif
