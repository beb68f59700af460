// options -cl-std=CL2.0
// Every built-in that a box of work-groups would answer differently, in 1 to 3 dimensions.
// verdict one merge
// hidden one group_offset0 num_groups0 global_size0 global_offset0
// flags one needs_variant local_size_matters !inexact !barrier
// arg one out written !read plain_written
// run one global=64 local=8
// run one global=64 local=8 offset=24
__kernel void one(__global uint *out)
{
    size_t i = get_global_id(0) - get_global_offset(0);
    out[i] = get_group_id(0) * 1000000 + get_num_groups(0) * 10000 + get_global_size(0) * 100 + get_global_offset(0) +
             get_local_id(0) * 7 + get_local_size(0);
}

// verdict two merge
// hidden two group_offset0 group_offset1 num_groups0 num_groups1 global_size0
// run two global=32,12 local=4,3
// run two global=32,12 local=4,3 offset=8,6
// run two global=32,12 local=NULL whole
__kernel void two(__global int *out)
{
    const int w = get_num_groups(0);
    int g = get_group_id(1) * w + get_group_id(0);
    int l = get_local_id(1) * get_local_size(0) + get_local_id(0);
    out[g * get_local_size(0) * get_local_size(1) + l] = g * 100 + l + get_num_groups(1) * (int)get_global_size(0);
}

// verdict three merge
// hidden three global_size0 global_size1 global_offset0 global_offset1 global_offset2
// flags three needs_variant !local_size_matters
// run three global=8,6,4 local=4,3,2
// run three global=8,6,4 local=4,3,2 offset=4,6,2
// run three global=40 local=5 offset=10
// run three global=16,8 local=4,4 offset=0,4
__kernel void three(__global ulong *out)
{
    out[get_global_linear_id()] = get_global_linear_id() * 3 + get_global_id(0) + 5 * get_global_id(1) + 7 * get_global_id(2);
}

// verdict dims merge
// hidden dims group_offset0 group_offset1 group_offset2 num_groups0 num_groups1 num_groups2 global_size0 global_size1 global_size2 global_offset0 global_offset1 global_offset2
// run dims global=8,6,4 local=4,3,2 offset=4,6,2
// run dims global=12,12 local=4,3 offset=4,6
// run dims global=20 local=4 offset=4
__kernel void dims(__global int *out, __global const int *which)
{
    size_t at = get_global_linear_id() * 8;
    for (int d = 0; d < 4; d++) {
        int e = d;
        out[at + d] = get_group_id(d) * 1000 + get_num_groups(d) * 100 + get_global_size(e++) * 10 + get_global_offset(d);
        out[at + 4 + d] = e + get_group_id(which[d] & 3);
    }
}

// Beyond the third dimension the driver's answer holds.
// verdict beyond merge
// hidden beyond
// run beyond global=16 local=4 offset=4
__kernel void beyond(__global int *out)
{
    out[get_global_id(0)] = get_group_id(3) + 10 * get_num_groups(4) + 100 * get_global_size(3);
}

// verdict plain merge
// hidden plain
// flags plain !needs_variant !local_size_matters
// run plain global=64 local=8
// run plain global=64 local=8 offset=8
__kernel void plain(__global int *out, __global const int *in, int n)
{
    int i = get_global_id(0);
    if (i < n * 10000)
        out[i] = in[i] + n;
}

// A constant dimension that is no literal.
// verdict folded merge
// hidden folded group_offset1
// run folded global=8,8 local=2,2
enum { ROW = 1 };
__kernel void folded(__global int *out)
{
    out[get_global_id(1) * 8 + get_global_id(0)] = get_group_id(ROW) + get_group_id(sizeof(char)) + get_group_id(2 - ROW);
}

// What clang's headers make a call of (INFINITY, HUGE_VALF) needs nothing and may stand anywhere.
// verdict infinite merge
// hidden infinite group_offset0 global_offset0
// flags infinite needs_variant
// run infinite global=64 local=8
// run infinite global=64 local=8 offset=16
#define NOWHERE(x) printf("%s %s", __FILE__, __DATE__) // not expanded
static float bounded(float x) { return fmin(x, INFINITY); }
__kernel void infinite(__global float *out)
{
    out[get_global_id(0) - get_global_offset(0)] = bounded((float)get_group_id(0)) + (get_local_id(0) == 3 ? HUGE_VALF : -0.0f);
}
