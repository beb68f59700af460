// options -DGROUP(d)=get_group_id(d) -D WIDTH=4
// Hidden arguments through helpers, prototypes, macros, kernels called as functions; names that clash with ours.
#define GID GROUP(0)
#define PASTE(a, b) a##b
#define CALL(f, x) f(x)
#define TWICE(x) ((x) + (x))

int late(int x);
int leaf();
static inline int both(int x) { return x + 1; }

int none(void)
{
    return (int)PASTE(get_num_, groups)(0);
}

int leaf()
{
    return GID + none();
}

int deep(const __global int *p,
         int yk_group0,
         int n[2])
{
    return late(yk_group0) + p[GROUP(0)] + n[1];
}

struct pair {
    int a, b;
};

struct pair make(int x)
{
    struct pair p = {x, (int)get_group_id(0)};
    return p;
}

int late(int x)
{
    int yk_groups0 = x; /* get_group_id(0) in a comment, and "get_num_groups(0)" in a string, are text */
    return TWICE(leaf() + CALL(both, GID)) * yk_groups0;
}

int __attribute__((overloadable)) over(int x) { return x * (int)get_num_groups(0); }
int __attribute__((overloadable)) over(float x) { return (int)x; }

// verdict inner merge
// hidden inner group_offset0 num_groups0
// run inner global=32 local=4
// run inner global=32 local=4 offset=8
__kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1))) void inner(__global int *out, __global const int *in)
{
    int n[2] = {1, 2};
    out[get_global_id(0)] = deep(in, 3, n) + make(late(2)).b + over(2) + over(2.5f);
}

// verdict outer merge
// hidden outer group_offset0 num_groups0
// run outer global=32 local=4 offset=12
void __kernel outer(__global int *out, __global const int *in, int n)
{
    if (n > 0)
        inner(out, in);
    out[get_global_id(0)] += both(in[get_global_id(0)]);
}

// Not in need of a variant, and calls a helper that others use too.
// verdict freely merge
// hidden freely
// run freely global=32 local=4
kernel void freely(global int *out)
{
    out[get_global_id(0)] = both(get_local_id(0)) + over(1.5f);
}

// verdict nested merge
// hidden nested group_offset0 group_offset1 group_offset2 num_groups0
// run nested global=16 local=4
__kernel void nested(__global int *out)
{
    out[get_global_id(0)] = late(late(GID)) ? late(over((int)get_group_id(0))) : get_group_id(get_num_groups(0) * 0);
}

// verdict unevaluated merge
// run unevaluated global=16 local=4
__kernel void unevaluated(__global int *out)
{
    out[get_global_id(0)] = sizeof(get_group_id(0)) + sizeof(leaf());
}
