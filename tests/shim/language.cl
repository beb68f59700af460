/* OpenCL C from corner to corner, a kernel for each: language.c runs every kernel of this file by itself over several
 * ranges. (in, out[, local]): ROOM ints each. What a kernel writes depends on nothing but its input and its ids. */
#define ROOM 16384
#define LIN                                                                                                            \
    (((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *      \
         get_global_size(0) +                                                                                          \
     get_global_id(0) - get_global_offset(0))
#define LLIN ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define LALL (get_local_size(0) * get_local_size(1) * get_local_size(2))
#define GLIN                                                                                                           \
    ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))

/* What an analysis may take for the same, or for nothing */
kernel void two_choices_of_the_same(global const int *in, global int *out)
{
    const int k = 2000;
    int x, y, at = in[LIN];
    switch (at & 3) {
    case 0: x = 0; break;
    case 1: x = k; break;
    default: x = 2 * k;
    }
    switch (at >> 2 & 3) {
    case 0: y = 0; break;
    case 1: y = k; break;
    default: y = 2 * k;
    }
    out[LIN] = in[x - y + LIN + 2 * k];
}
kernel void choices_that_differ(global const int *in, global int *out)
{
    int x, y, at = in[LIN];
    switch (at & 3) {
    case 0: x = 0; break;
    case 1: x = 5; break;
    default: x = 9;
    }
    switch (at >> 2 & 3) {
    case 0: y = 0; break;
    case 1: y = 5; break;
    default: y = 9;
    }
    if (x != y)
        out[LIN] = (int)LIN + 1;
}
#define NO_BIAS 0
kernel void a_sum_with_nothing(global const int *in, global int *out)
{
    out[2 * LIN] += NO_BIAS * in[LIN];
    if (in[LIN] & 1)
        out[2 * LIN + 1] = 5;
}

/* Work-item functions */
kernel void every_id(global const int *in, global int *out)
{
    uint h = get_work_dim();
    for (uint d = 0; d < 4; d++) {
        h = h * 31 + (uint)get_global_id(d);
        h = h * 31 + (uint)get_local_id(d);
        h = h * 31 + (uint)get_group_id(d);
        h = h * 31 + (uint)get_global_size(d);
        h = h * 31 + (uint)get_num_groups(d);
        h = h * 31 + (uint)get_global_offset(d);
    }
    out[LIN] = (int)h + in[LIN];
}
kernel void local_sizes(global const int *in, global int *out)
{
    out[LIN] = (int)(get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2));
}
kernel void dimension_in_a_variable(global const int *in, global int *out)
{
    uint d = (uint)in[0] % 3;
    out[LIN] = (int)(get_global_id(d) * 7 + get_group_id((d + 1) % 3) + get_num_groups(d + 2));
}
kernel void narrow_ids(global const int *in, global int *out)
{
    short a = (short)get_global_id(0);
    uchar b = (uchar)get_group_id(0);
    out[LIN] = a * 3 + b + in[(uint)(LIN - 1u) + 1u];
}
#if __OPENCL_C_VERSION__ >= 200
kernel void linear_ids(global const int *in, global int *out)
{
    out[LIN] = (int)(get_global_linear_id() * 3 + get_local_linear_id());
}
kernel void enqueued_sizes(global const int *in, global int *out)
{
    out[LIN] = (int)(get_enqueued_local_size(0) + 64 * get_enqueued_local_size(1) + 4096 * get_enqueued_local_size(2) +
                     get_local_size(0) * 65536);
}
#endif

/* Control flow */
kernel void loops_of_data(global const int *in, global int *out)
{
    int s = 0, n = in[LIN] & 31;
    for (int i = 0; i < n; i++) {
        if (i == 7)
            continue;
        if (in[i] % 13 == 5)
            break;
        int j = i;
        do {
            s += in[j] ^ i;
        } while (j-- > 0 && s % 5);
    }
    switch (n % 4) {
    case 0:
        s += 1;
    case 1:
        s *= 2;
        break;
    default:
        s = -s;
    }
    out[LIN] = s;
}
kernel void leaving_early(global const int *in, global int *out)
{
    if (in[LIN] & 1)
        return;
    out[LIN] = in[LIN] / 2;
    if (get_group_id(0) == 0)
        return;
    out[LIN] += 5;
}
kernel void only_one_group(global const int *in, global int *out)
{
    if (GLIN == 1)
        out[LLIN] = in[LLIN];
}
kernel void only_one_item(global const int *in, global int *out)
{
    if (LIN == 0)
        for (int i = 0; i < 100; i++)
            out[i] += in[i] + i;
}

/* Where is written */
kernel void through_a_table(global const int *in, global int *out)
{
    out[ROOM - 1 - LIN] = in[LIN];
}
kernel void several_each(global const int *in, global int *out)
{
    for (int i = 0; i < 5; i++)
        out[LIN * 5 + i] += in[LIN + i] + i;
}
kernel void with_a_step(global const int *in, global int *out)
{
    size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);
    for (size_t i = LIN; i < 2048; i += n)
        out[i] = in[i] * 3;
}
kernel void groups_write(global const int *in, global int *out)
{
    if (!LLIN)
        for (int i = 0; i < 9; i++)
            out[GLIN * 16 + i] = in[GLIN] - i;
}
kernel void bytes(global const uchar *in, global uchar *out)
{
    out[LIN * 3 + 1] = in[LIN * 2];
    out[LIN * 3] = in[LIN] ^ 0x55;
}
kernel void shorts_and_longs(global const ushort *in, global long *out)
{
    out[LIN] = out[LIN] * 3 + in[LIN];
}
kernel void beyond_by_pointers(global const int *in, global int *out)
{
    global int *p = out + LIN, *q = p + 1000;
    *p++ = in[LIN];
    q[-1] = (int)(q - p);
}
kernel void in_place(global int *in, global int *out)
{
    in[LIN] = in[LIN] * 5 + 1;
    out[LIN] = in[LIN];
}

/* Local memory and barriers */
kernel void reversed_in_group(global const int *in, global int *out, local int *t)
{
    t[LLIN] = in[LIN];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[LIN] = t[LALL - 1 - LLIN];
}
kernel void summed_in_group(global const int *in, global int *out)
{
    local int t[1024];
    t[LLIN] = in[LIN];
    for (size_t n = LALL; n > 1; n = (n + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (LLIN + (n + 1) / 2 < n)
            t[LLIN] += t[LLIN + (n + 1) / 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!LLIN)
        out[GLIN] = t[0];
}
kernel void global_barrier_within_group(global const int *in, global int *out)
{
    out[LIN] = in[LIN] + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    size_t partner = LIN - get_local_id(0) + (get_local_id(0) + 1) % get_local_size(0);
    int v = out[partner];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[LIN] = v * 2;
}
kernel void fences(global const int *in, global int *out, local int *t)
{
    t[LLIN] = in[LIN];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[LIN] = t[LLIN];
}
kernel void copied_by_the_group(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in + GLIN * 16, 64, 0);
    wait_group_events(1, &e);
    if (LLIN < 64)
        t[LLIN] += 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    prefetch(in, 64);
    e = async_work_group_copy(out + GLIN * 64, (local const int *)t, 64, 0);
    wait_group_events(1, &e);
}
kernel void copied_by_steps(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_strided_copy(t, in + GLIN, 32, 3, 0);
    e = async_work_group_strided_copy(t + 32, in + GLIN, 32, 2, e);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(out + GLIN * 128, (local const int *)t, 64, 2, 0);
    wait_group_events(1, &e);
}
kernel void copied_vectors(global const int *in, global int *out, local int *t)
{
    local float4 *v = (local float4 *)t;
    event_t e = async_work_group_copy(v, (global const float4 *)in + GLIN, 16, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy((global float4 *)out + GLIN * 16, (local const float4 *)v, 16, 0);
    wait_group_events(1, &e);
}
