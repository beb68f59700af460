// options -cl-std=CL2.0
// verdict fetch whole (add)
// arg fetch n ops=add !atomic_used
__kernel void fetch(__global atomic_int *n) { atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device); }
// verdict load whole (load)
// arg load n ops=load atomic_used read !written
__kernel void load(__global atomic_int *n, __global int *out) { out[get_global_id(0)] = atomic_load(n); }
// verdict in_generic reduction
int add(int *p) { return atomic_fetch_add((atomic_int *)p, 1); }
__kernel void in_generic(__global int *n) { add(n); }
// verdict program_scope whole program scope
__global int counter;
__kernel void program_scope(__global int *out) { counter += 1; out[0] = counter; }
// verdict group_sum merge
// flags group_sum group_functions local_size_matters !inexact
__kernel void group_sum(__global int *out) { out[get_global_id(0)] = work_group_reduce_add((int)get_local_id(0)); }
// verdict group_float merge
// flags group_float group_functions inexact
__kernel void group_float(__global float *out) { out[get_global_id(0)] = work_group_reduce_add((float)get_local_id(0)); }
// verdict pipes whole uses a pipe
__kernel void pipes(__read_only pipe int p, __global int *out) { int x; if (read_pipe(p, &x) == 0) out[get_global_id(0)] = x; }
// verdict enqueue whole starts kernels from the device
__kernel void enqueue(__global int *out) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] = 1; }); }
// verdict casts merge
// arg casts out written !read
__kernel void casts(__global int *out) { int *g = out; *to_global(g) = 4; }
