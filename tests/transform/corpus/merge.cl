// Kernels whose outputs a merge kernel can, or cannot, put together. Those of exact regions need none.
// flags sure !mergeable
__kernel void sure(__global float *out)
{
    out[get_global_id(0)] = 1;
}

// A guard that nothing is known about, all ways of storing.
// flags sparse mergeable
__kernel void sparse(__global const int *where, __global float *out, __global uchar4 *more, __global ulong *sum)
{
    int i = get_global_id(0);
    if (where[i] < 0)
        return;
    out[where[i]] += sqrt((float)i) + get_num_groups(0);
    more[where[i]].xz = (uchar2)(i, i + 1);
    (sum[where[i]])++;
    --sum[i];
}

typedef struct { int a; float b; } pair;

// flags field mergeable
__kernel void field(__global pair *p, __global const int *where)
{
    p[where[get_global_id(0)]].b = 2;
}

// flags whole_struct !mergeable
__kernel void whole_struct(__global pair *p, __global const int *where)
{
    pair x = {1, 2};
    p[where[get_global_id(0)]] = x;
}

// flags three !mergeable
__kernel void three(__global float3 *p, __global const int *where)
{
    p[where[get_global_id(0)]] = 1;
}

void put(__global int *to, int i, int x)
{
    to[i] = x;
}

void put_group(__global int *to)
{
    put(to, get_group_id(0), 7);
}

// Through helpers, of which one needs a hidden argument.
// hidden helped group_offset0
// flags helped mergeable needs_variant
__kernel void helped(__global int *a, __global int *b, __global const int *where)
{
    put(where[get_global_id(0)] > 3 ? a : b, get_global_id(0), 5);
    if (get_local_id(0) == 0)
        put_group(b);
}

// flags vectors mergeable
__kernel void vectors(__global float *a, __global const int *where)
{
    size_t i = get_global_id(0);
    if (where[i])
        vstore3((float3)(1, 2, 3), where[i], a);
    vstore4((float4)(i, 2, 3, 4), i * 2, a + 100);
}

// flags halves !mergeable
__kernel void halves(__global half *a, __global const int *where)
{
    vstore_half(1.0f, where[get_global_id(0)], a);
}

// Where it stores depends on what it writes.
// flags chased !mergeable
__kernel void chased(__global int *next)
{
    next[next[get_global_id(0)]] = 1;
}

// flags relaxed !mergeable
__kernel void relaxed(__global int *cost, __global const int *edge)
{
    int i = get_global_id(0);
    if (cost[edge[i]] > 4)
        cost[edge[i]] = 4;
}

// flags looped !mergeable
__kernel void looped(__global int *a, __global const int *where)
{
    for (int i = 0; i < a[get_global_id(0)]; i++)
        a[where[i]] = i;
}

// flags kept !mergeable
__kernel void kept(__global int *a, __global const int *where)
{
    int place[4] = {0, 1, 2, 3};
    place[where[0] & 3] = a[get_global_id(0)];
    a[place[where[1] & 3]] = 1;
}

// flags shared !mergeable
__kernel void shared(__global int *a, __global const int *where, __local int *l)
{
    l[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l[0] == 3)
        a[where[get_global_id(0)]] = 4;
}

// What it writes decides a value alone.
// flags valued mergeable
__kernel void valued(__global int *a, __global const int *where)
{
    int i = where[get_global_id(0)], x = a[i], n = 0;
    if (x > 3) {
        for (int k = 0; k < x; k++)
            n += k;
    } else {
        n = x ? 1 : 2;
    }
    a[i] = n;
}

// flags chosen mergeable
__kernel void chosen(__global int *a, __global short *b, __global const int *where)
{
    int i = where[get_global_id(0)];
    i > 4 ? (void)(a[i] = 1) : (void)(b[i] = 2);
    for (int k = i; k < i + 2; b[k] += 1, k++)
        a[k] |= 1;
}

// The value of a store is used.
// flags used !mergeable
__kernel void used(__global int *a, __global const int *where)
{
    int i = where[get_global_id(0)], x = a[i] = 3;
    a[i + 1] = x;
}
// The text stores where the facts know of nothing.
// flags idle !mergeable
__kernel void idle(__global int *o, __global const int *c)
{
    int i = get_global_id(0);
    o[2 * i] += 0 * c[i];
    if (c[i] & 1)
        o[2 * i + 1] = 5;
}
