/* CUDA C++ under the names of sumproduct.cl. */
#define GLOBAL
#define LOCAL_ID      threadIdx.x
#define LOCAL_SIZE    blockDim.x
#define GROUP_ID      blockIdx.x
#define BARRIER       __syncthreads()
#define PRAGMA_UNROLL _Pragma("unroll")
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#if DOUBLE
#define FMA(x, y, z) fma(x, y, z)
#define EXP2(x)      exp2(x)
#define LOG2(x)      log2(x)
#else
#define FMA(x, y, z) fmaf(x, y, z)
#if NATIVE
#define EXP2(x) __fast_exp2(x)
#define LOG2(x) __log2f(x)
static __device__ __forceinline__ float __fast_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define EXP2(x) exp2f(x)
#define LOG2(x) log2f(x)
#endif
#endif
extern __shared__ __align__(16) double scratchpad[];
struct __align__(2 * sizeof(REAL)) real2
{
    REAL x, y;
};
struct __align__(16) real4
{
    REAL x, y, z, w;
};
#define LOCAL2(i)     (*(const real2 *)(local_cells + (i)))
#define LOCAL4(i)     (*(const real4 *)(local_cells + (i)))
/* Cells of a table into the scratchpad, O apart from a first one; from 8.0 on the thread need not wait for them. */
#if __CUDA_ARCH__ >= 800
#define COPIES(f, from, to)                                                                                            \
    const REAL *source = in[f] + (from);                                                                               \
    const unsigned target = (unsigned)__cvta_generic_to_shared(local_cells + (to));
#define COPY(f, o)                                                                                                     \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target + (unsigned)((o).y * (int)sizeof(REAL))),    \
                 "l"(source + (o).x), "n"(sizeof(REAL)))
#define COPIED asm volatile("cp.async.wait_all;" ::: "memory")
#else
#define COPIES(f, from, to)                                                                                            \
    const REAL *source = in[f] + (from);                                                                               \
    REAL *target = local_cells + (to);
#define COPY(f, o) target[(o).y] = source[(o).x]
#define COPIED
#endif
#define LOCAL_CELLS REAL *local_cells = (REAL *)scratchpad;
#define INPUTS      const REAL *in[8] = {in0, in1, in2, in3, in4, in5, in6, in7};
#if TEXTURE
#define TABLE(f, i) __ldg(in[f] + (i))
#else
#define TABLE(f, i) in[f][i]
#endif
#define IN(k) const REAL *__restrict__ in##k
__constant__ int meta[META_INTS];
#define KERNEL(name)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) name(const int *__restrict__ table, REAL *__restrict__ out,      \
                                                           IN(0), IN(1), IN(2), IN(3), IN(4), IN(5), IN(6), IN(7))
#define GROUPS gridDim.x
typedef unsigned long long ulong_t;
#define PLAIN_KERNEL(name)                                                                                             \
    extern "C" __global__ void name(REAL *__restrict__ cells, REAL *__restrict__ result, ulong_t n, REAL factor)
