// Reserved names that are no riddle: include guards, other languages, what OpenCL defines.
#ifndef __GUARDS_CL__
#define __GUARDS_CL__
#if defined(__cplusplus) || defined(__CUDACC__) || defined(_WIN32)
#error "not OpenCL C"
#endif
#if defined(__ENDIAN_LITTLE__) && !defined(__FAST_RELAXED_MATH__) && __OPENCL_C_VERSION__ >= 110
// verdict f merge
// flags f !needs_variant
__kernel void f(__global int *a) { a[get_global_id(0)] = 1; }
#endif
#endif
