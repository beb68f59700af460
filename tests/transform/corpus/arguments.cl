// Kinds of arguments and what a kernel does to each.
struct point { float x, y; int tag; };
// verdict all merge
// arg all g kind=global read !written is_const is_restrict
// arg all c kind=constant read
// arg all l kind=local
// arg all v kind=value size=16
// arg all p kind=value size=12
// arg all s kind=sampler
// arg all i kind=image read !written
// flags all images_read local_size_matters
__kernel void all(__global const float *restrict g, __constant int *c, __local float *l, float3 v, struct point p, sampler_t s,
                  __read_only image2d_t i, __global float *out)
{
    float4 t = read_imagef(i, s, (int2)(0, 0));
    l[get_local_id(0)] = g[get_global_id(0)] + c[1] + v.x + p.y + t.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l[0];
}
// verdict writes_image merge
// arg writes_image i kind=image !read written
// flags writes_image images_written inexact
__kernel void writes_image(__write_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(1)); }
// Whole numbers are not rounded.
// verdict writes_numbers merge
// flags writes_numbers images_read images_written !inexact
__kernel void writes_numbers(__read_only image2d_t a, sampler_t s, __write_only image2d_t b)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(b, at, read_imageui(a, s, at));
}
// Between texels.
// flags nearest images_read inexact inexact_escapes
__kernel void nearest(__read_only image2d_t a, sampler_t s, __global uint4 *b)
{
    b[get_global_id(0)] = read_imageui(a, s, (float2)(get_global_id(0), 3));
}
// verdict reads_only split
// arg reads_only a read !written
__kernel void reads_only(__global const int *a) { int x = a[0]; if (x == 3) { volatile int y = x; } }
// verdict prints whole prints
__kernel void prints(__global int *a) { printf("%d\n", a[0]); }
// verdict stores_pointer whole stores a pointer into a buffer
__kernel void stores_pointer(__global ulong *a, __global int *b) { ((__global int *__global *)a)[0] = b; }
// verdict follows_pointer whole follows a pointer kept in a buffer
__kernel void follows_pointer(__global ulong *a) { __global int *p = ((__global int *__global *)a)[0]; *p = 1; }
// verdict address whole address of a buffer as a number
__kernel void address(__global int *a) { a[0] = (int)(size_t)a; }
// verdict from_number whole makes a pointer from a number
__kernel void from_number(ulong a) { *(__global int *)a = 1; }
// The difference of two pointers is no address.
// verdict difference merge
__kernel void difference(__global int *a, __global int *out) { __global int *p = a; while (*p) p++; out[get_global_id(0)] = p - a; }
// verdict null_check merge
__kernel void null_check(__global int *a, __global int *b) { if (b) b[get_global_id(0)] = 1; a[get_global_id(0)] = 2; }
// A pointer chosen at run time may be either.
// arg chosen a written
// arg chosen b written
// arg chosen c !written
__kernel void chosen(__global int *a, __global int *b, __global int *c, int w) { __global int *p = w ? a : b; p[get_global_id(0)] = c[0]; }
// arg table a written
// arg table b written
__kernel void table(__global int *a, __global int *b, int w) { __global int *t[4] = {a, b, a, b}; t[w & 3][get_global_id(0)] = 1; }
// arg copied a written !read
// arg copied b read !written
__kernel void copied(__global int *a, __global int *b, __local int *l) { event_t e = async_work_group_copy(l, b, 16, 0); wait_group_events(1, &e); async_work_group_copy(a, l, 16, 0); }
// arg vectors a read !written
// arg vectors b written !read
__kernel void vectors(__global int *a, __global int *b) { vstore3(vload3(get_global_id(0), a), get_global_id(0), b); }
// verdict unused merge
// arg unused a !read !written
__kernel void unused(__global int *a, __global int *b) { b[get_global_id(0)] = 1; }
// verdict required merge
// group required 16 2 1
__kernel __attribute__((reqd_work_group_size(16, 2, 1))) void required(__global int *a) { a[get_global_id(0)] = 1; }
// verdict struct_copy merge
// arg struct_copy a read !written
// arg struct_copy b written !read
__kernel void struct_copy(__global struct point *a, __global struct point *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
int missing(int x);
// verdict external whole calls missing, which yoke cannot follow
__kernel void external(__global int *a) { a[0] = missing(3); }
