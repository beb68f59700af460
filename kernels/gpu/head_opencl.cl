/* OpenCL C under the names of sumproduct.cl. */
#if DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define GLOBAL        __global
#define LOCAL_ID      get_local_id(0)
#define LOCAL_SIZE    get_local_size(0)
#define GROUP_ID      get_group_id(0)
#define BARRIER       barrier(CLK_LOCAL_MEM_FENCE)
#define PRAGMA_UNROLL _Pragma("unroll")
#define FMA(x, y, z)  fma(x, y, z)
#if NATIVE
#define EXP2(x) native_exp2(x)
#define LOG2(x) native_log2(x)
#else
#define EXP2(x) exp2(x)
#define LOG2(x) log2(x)
#endif
#define LOCAL_CELLS
#if DOUBLE
typedef double2 real2;
typedef double4 real4;
#else
typedef float2 real2;
typedef float4 real4;
#endif
#define LOCAL2(i) vload2(0, local_cells + (i))
#define LOCAL4(i) vload4(0, local_cells + (i))
#define COPIES(f, from, to) const int source = (from), target = (to);
#define COPY(f, o) local_cells[target + (o).y] = TABLE(f, source + (o).x)
#define COPIED
#if TEXTURE
#define IN(k) __read_only image1d_buffer_t in##k
#if DOUBLE
#define PIXEL(im, i) as_double(read_uint_pixel(im, i))
inline uint2 read_uint_pixel(__read_only image1d_buffer_t im, int i)
{
    return read_imageui(im, i).xy;
}
#else
#define PIXEL(im, i) read_imagef(im, i).x
#endif
#define INPUTS
#define TABLE(f, i)                                                                                                    \
    ((f) == 0   ? PIXEL(in0, i)                                                                                        \
     : (f) == 1 ? PIXEL(in1, i)                                                                                        \
     : (f) == 2 ? PIXEL(in2, i)                                                                                        \
     : (f) == 3 ? PIXEL(in3, i)                                                                                        \
     : (f) == 4 ? PIXEL(in4, i)                                                                                        \
     : (f) == 5 ? PIXEL(in5, i)                                                                                        \
     : (f) == 6 ? PIXEL(in6, i)                                                                                        \
                : PIXEL(in7, i))
#else
#define IN(k)       __global const REAL *restrict in##k
#define INPUTS      __global const REAL *in[8] = {in0, in1, in2, in3, in4, in5, in6, in7};
#define TABLE(f, i) in[f][i]
#endif
#define KERNEL(name)                                                                                                   \
    __kernel void name(__constant const int *meta, __global const int *restrict table, __global REAL *restrict out,    \
                       __local REAL *local_cells, IN(0), IN(1), IN(2), IN(3), IN(4), IN(5), IN(6), IN(7))
#define GROUPS  get_num_groups(0)
#define ulong_t ulong
#define PLAIN_KERNEL(name)                                                                                             \
    __kernel void name(__global REAL *restrict cells, __global REAL *restrict result, ulong n, REAL factor)
