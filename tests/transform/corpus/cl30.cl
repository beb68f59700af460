// options -cl-std=CL3.0
// Features that a device of OpenCL C 3.0 may have, and code for its own instructions.
#if defined(__opencl_c_int64)
#define T long
#else
#define T int
#endif
// verdict features merge
// hidden features group_offset0
// flags features needs_variant group_functions images_read
// source #if defined(__opencl_c_int64)
__kernel void features(__global T *a, read_only image2d_t i, sampler_t s)
{
    T *p = a;
    p[get_global_id(0)] = get_group_id(0) + work_group_reduce_add(3) + read_imagei(i, s, (int2)(1, 2)).x;
}
// verdict assembly whole assembly (nop)
__kernel void assembly(__global int *a) { __asm__ volatile("nop"); a[0] = 1; }
// verdict sub_groups whole sub-groups
__kernel void sub_groups(__global int *a) { a[get_global_id(0)] = get_sub_group_id(); }
// What no work-item reaches is not there.
// verdict unreached merge
// flags unreached !print
__kernel void unreached(__global int *a) { if (0) printf("x"); a[get_global_id(0)] = get_enqueued_local_size(0); }
// verdict halves merge
// flags halves fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void halves(__global half *h) { h[get_global_id(0)] *= (half)3.0f; }
// Its work-groups may see what others have written.
// verdict turns whole reads and writes an image
__kernel void turns(read_write image2d_t i)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(i, at, read_imagei(i, at) + 1);
}
