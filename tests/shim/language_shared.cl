/* language.cl's inter-item parts: atomics, work-group functions, program-scope variables, generic pointers, printf. */
#define LIN                                                                                                            \
    (((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *      \
         get_global_size(0) +                                                                                          \
     get_global_id(0) - get_global_offset(0))
#define LLIN ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define LALL (get_local_size(0) * get_local_size(1) * get_local_size(2))
#define GLIN                                                                                                           \
    ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))

/* Atomics of OpenCL 1.x: their results unused, used, and in loops of compare and exchange */
kernel void counted(global const int *in, global int *out)
{
    atomic_add(&out[in[LIN] & 15], 1);
    atomic_inc(&out[20]);
    atomic_dec(&out[21]);
    atomic_sub(&out[22], 3);
}
kernel void extremes(global const int *in, global int *out)
{
    atomic_max(&out[0], in[LIN]);
    atomic_min(&out[1], in[LIN]);
    atomic_or(&out[2], in[LIN] & 0xff);
    atomic_and(&out[3], in[LIN] | 0xff);
    atomic_xor(&out[4], in[LIN]);
    atomic_max((volatile global uint *)&out[5], (uint)in[LIN]);
}
kernel void tickets(global const int *in, global int *out)
{
    out[64 + atomic_inc(&out[0]) % 8192] |= 1; /* each taken once */
}
kernel void added_by_compare(global const int *in, global int *out)
{
    int old = out[3], seen;
    while ((seen = atomic_cmpxchg((volatile global int *)&out[3], old, old + (in[LIN] & 7))) != old)
        old = seen;
}
kernel void last_of_group(global const int *in, global int *out, local int *t)
{
    if (!LLIN)
        t[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(t, in[LIN] & 255);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!LLIN)
        out[GLIN] = t[0];
}
#if __OPENCL_C_VERSION__ >= 200
/* Atomics of C11, each order and scope */
#define ORDERS(scope)                                                                                                  \
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, scope);                                                      \
    atomic_fetch_sub_explicit(a + 1, 1, memory_order_acquire, scope);                                                  \
    atomic_fetch_or_explicit(a + 2, 1 << (LIN & 15), memory_order_release, scope);                                     \
    atomic_fetch_max_explicit(a + 3, in[LIN], memory_order_acq_rel, scope);                                            \
    atomic_fetch_xor_explicit(a + 4, in[LIN], memory_order_seq_cst, scope);
kernel void ordered(global const int *in, global int *out)
{
    volatile global atomic_int *a = (volatile global atomic_int *)out;
    ORDERS(memory_scope_work_group)
    ORDERS(memory_scope_device)
}
kernel void exchanged(global const int *in, global int *out)
{
    volatile global atomic_int *a = (volatile global atomic_int *)out;
    int expected = atomic_load_explicit(a + 6, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(a + 6, &expected, expected + 3, memory_order_acq_rel,
                                                  memory_order_relaxed, memory_scope_device))
        ;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    atomic_store_explicit(a + 64 + LIN, in[LIN], memory_order_release, memory_scope_device);
}
kernel void flags(global const int *in, global int *out)
{
    volatile global atomic_flag *f = (volatile global atomic_flag *)&out[8];
    if (!atomic_flag_test_and_set_explicit(f, memory_order_acq_rel, memory_scope_device))
        out[9]++;
}
kernel void atomics_in_local_memory(global const int *in, global int *out)
{
    local atomic_int a;
    if (!LLIN)
        atomic_init(&a, 5);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atomic_fetch_add_explicit(&a, in[LIN] & 3, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!LLIN)
        out[GLIN] = atomic_load_explicit(&a, memory_order_relaxed, memory_scope_work_group);
}
#endif
#if __OPENCL_C_VERSION__ >= 300 && defined __opencl_c_work_group_collective_functions
kernel void collected(global const int *in, global int *out)
{
    int v = in[LIN] & 1023;
    out[LIN] = work_group_reduce_add(v) + work_group_scan_inclusive_max(v) + work_group_scan_exclusive_add(v) +
               work_group_broadcast(v, 0, 0, 0) + work_group_any(v == 3) + 2 * work_group_all(v < 2000);
}
#endif
#if __OPENCL_C_VERSION__ >= 300 && defined __opencl_c_subgroups
kernel void in_subgroups(global const int *in, global int *out)
{
    out[LIN] = (int)(get_sub_group_size() + 64 * get_sub_group_id() + 4096 * get_num_sub_groups()) +
               sub_group_broadcast(in[LIN] & 1, 0);
}
#endif
#if __OPENCL_C_VERSION__ >= 300 && defined __opencl_c_generic_address_space
static int generic_sum(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
static void generic_set(int *p, int v) { *p = v; }
kernel void generic_pointers(global const int *in, global int *out, local int *t)
{
    int own[4] = {1, 2, 3, (int)LIN};
    t[LLIN] = in[LIN];
    barrier(CLK_LOCAL_MEM_FENCE);
    int *where = LIN & 1 ? (int *)own : (int *)(t + LLIN);
    generic_set(&out[LIN], generic_sum(own, 4) + generic_sum(in + LIN, 3) + *where + (to_global(where) != 0));
}
#endif
#if __OPENCL_C_VERSION__ >= 300 && defined __opencl_c_program_scope_global_variables
global int runs = 5;
global int marks[4096];
global const int weights[3] = {10, 20, 30};
kernel void remembers(global const int *in, global int *out)
{
    marks[LIN & 4095] += in[LIN] & 7;
    if (!LIN)
        runs++;
}
kernel void reminds(global const int *in, global int *out)
{
    out[LIN] = marks[LIN & 4095] + runs * 1000 + weights[LIN % 3];
}
#endif
kernel void says(global const int *in, global int *out)
{
    if (LIN < 2)
        printf("said by %d: %v4hld %s %c %.2f %#x %5d|%-5d|\n", (int)LIN, (int4)(1, 2, 3, 4), "text", 'c', 2.5f, 255,
               42, 42);
}
