// Where a kernel writes is known, in what programs write for it: each of these is "exact regions" (test_request).
// options -cl-std=CL2.0
// run short_products global=256 local=16
__kernel void short_products(__global int *o) { int i = mul24((int)get_group_id(0), (int)get_local_size(0)) + get_local_id(0); o[i] = i; }
// run short_sums global=32,8 local=8,2
__kernel void short_sums(__global uint *o) { uint i = mad24((uint)get_global_id(1), (uint)get_global_size(0), (uint)get_global_id(0)); o[i] = i; }
// run linear global=8,8,4 local=4,2,2 offset=1,2,3
__kernel void linear(__global uint *o) { o[get_global_linear_id()] = 3; }
// run linear_in_group global=64 local=16
__kernel void linear_in_group(__global uint *o) { o[get_group_id(0) * get_local_size(0) + get_local_linear_id()] = 3; }
// run distance_ global=64 local=16
__kernel void distance_(__global uint *o) { o[abs(-(int)get_global_id(0))] = 3; }
// Rows and columns of a number, and the number again.
// run row_and_column global=64 local=16
__kernel void row_and_column(__global uint *o, int w) { int i = get_global_id(0), x = i % w, y = i / w; o[y * w + x + 5] = 3; }
// But the first and the last.
// run inside global=64 local=16
__kernel void inside(__global uint *o, int n) { int x = get_global_id(0); if (x == 0 || x == n - 1) return; o[x] = 3; }
// Over the range again and again.
// run again global=64 local=16
__kernel void again(__global uint *o, int n) { for (int i = get_global_id(0); i < n; i += get_global_size(0)) o[i] = 3; }
