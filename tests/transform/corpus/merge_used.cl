// A value that is used where only the compiler sees it: the merge program does not compile, and none is given.
// flags used !mergeable
__kernel void used(__global int *a, __global const int *where)
{
    int i = where[get_global_id(0)], x = (a[i] = 3);
    a[i + 1] = x;
}

// flags other !mergeable
__kernel void other(__global int *a, __global const int *where)
{
    a[where[get_global_id(0)]] = 1;
}
