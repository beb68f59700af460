// Signs of work-groups that talk to each other, and loops that only look like it.
// verdict spins whole waits
__kernel void spins(__global int *flag, __global int *out) { while (flag[0] == 0) ; out[get_global_id(0)] = 1; }

// verdict spins_inside whole waits
__kernel void spins_inside(__global int *flag, __global int *out)
{
    for (int i = 0; i < 10; i++) {
        do {
        } while (flag[i] < 3);
        out[get_global_id(0) * 10 + i] = i;
    }
}

// verdict shared whole volatile
// arg shared a is_volatile
__kernel void shared(volatile __global int *a, __global int *out) { out[get_global_id(0)] = a[get_global_id(0)]; }

// Writing through a volatile pointer tells nobody anything here.
// verdict posts merge
__kernel void posts(volatile __global int *a) { a[get_global_id(0)] = 1; }

// verdict fenced whole fence
__kernel void fenced(__global int *a) { a[0] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); a[1] = 1; }

// verdict local_fence merge
// flags local_fence !fence
__kernel void local_fence(__global int *a, __local int *l) { l[get_local_id(0)] = 1; mem_fence(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = l[0]; }

// A barrier is inside a work-group, whatever memory it orders.
// verdict barriers merge
// flags barriers barrier
__kernel void barriers(__global int *a) { a[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); a[get_global_id(0)] += 1; }

// Bounds that are read again each time round.
// verdict rows merge
// flags rows !waits
__kernel void rows(__global const int *start, __global const int *col, __global const int *x, __global int *y)
{
    int r = get_global_id(0), sum = 0;
    for (int i = start[r]; i < start[r + 1]; i++)
        sum += x[col[i]];
    y[r] = sum;
}

// verdict chain merge
// flags chain !waits
__kernel void chain(__global const int *next, __global int *out)
{
    int i = get_global_id(0), n = 0;
    while (next[i] != i) {
        i = next[i];
        n++;
    }
    out[get_global_id(0)] = n;
}

// A flag that several groups set to the same value.
// verdict flagging merge
// arg flagging changed written !read
__kernel void flagging(__global int *level, __global int *changed, int now)
{
    int i = get_global_id(0);
    if (level[i] == -1 && level[i ^ 1] == now) {
        level[i] = now + 1;
        *changed = 1;
    }
}

// verdict bounded merge
__kernel void bounded(__global int *a, __global int *out)
{
    int n = 0;
    while (a[get_global_id(0)] < 4 && n++ < 100)
        a[get_global_id(0)] += n;
    out[get_global_id(0)] = n;
}

// verdict local_wait merge
__kernel void local_wait(__global int *a, __local volatile int *l)
{
    l[0] = 1;
    while (l[0] == 0)
        ;
    a[get_global_id(0)] = 2;
}
