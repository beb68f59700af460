// options -DFROM_OPTIONS=4
// Pragmas about loops name macros, which a compiler expands where it reads the pragma.
#define R 4
#define TWICE(n) ((n) * 2)
enum { E = 2 };
/*
#pragma unroll R is a comment
*/
// verdict named merge
// arg named out written !read
// arg named in read !written
// run named global=64 local=8
__kernel void named(__global float *out, __global const float *in)
{
    float v = 0;
#pragma unroll R
    for (int i = 0; i < R; i++)
        v += in[get_global_id(0)] * (float)i;
    #  pragma	unroll (R + 1) // of the macro's value
    for (int i = 0; i < R; i++)
        v += (float)i;
#pragma unroll FROM_OPTIONS
    for (int i = 0; i < R; i++)
        v -= 1.0f;
#pragma unroll
    for (int i = 0; i < R; i++)
        v -= 2.0f;
#pragma unroll 2
    for (int i = 0; i < R; i++)
        v -= 3.0f;
#pragma clang loop unroll_count(TWICE(R))
    for (int i = 0; i < R; i++)
        v -= 4.0f;
#pragma unroll E
    for (int i = 0; i < R; i++)
        v -= 5.0f;
#if 0
#pragma unroll NOWHERE
#endif
#pragma unroll \
    4
    for (int i = 0; i < 4; i++)
        v -= (float)get_group_id(0);
    out[get_global_id(0)] = v;
}
