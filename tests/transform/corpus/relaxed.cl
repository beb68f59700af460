// options -cl-fast-relaxed-math
// flags add inexact
__kernel void add(__global float *a, __global const float *b) { a[get_global_id(0)] += b[get_global_id(0)]; }
// flags copy !inexact
__kernel void copy(__global float *a, __global const float *b) { a[get_global_id(0)] = b[get_global_id(0)]; }
#ifdef __FAST_RELAXED_MATH__
// flags fast !inexact
__kernel void fast(__global int *a) { a[get_global_id(0)] = 4; }
#endif
