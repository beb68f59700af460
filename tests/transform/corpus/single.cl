// options -cl-single-precision-constant
// A constant's type says which built-in function is meant.
// verdict fused merge
__kernel void fused(__global float *a) { a[get_global_id(0)] = fma(a[get_global_id(0)], 0.5, 1.5); }
// verdict by_group merge
__kernel void by_group(__global float *a) { a[get_global_id(0)] = get_group_id(0); }
