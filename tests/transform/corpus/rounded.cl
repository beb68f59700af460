// options -cl-fp32-correctly-rounded-divide-sqrt
// flags divided !inexact
__kernel void divided(__global float *a, float x) { a[get_global_id(0)] = x / sqrt(a[get_global_id(0)]); }
// flags sine inexact
__kernel void sine(__global float *a) { a[get_global_id(0)] = sin(a[get_global_id(0)]); }
