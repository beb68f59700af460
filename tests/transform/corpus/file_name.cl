// refused it asks for the name of its file
// Each compiler's own: PoCL has a file of another name for each program.
__kernel void f(__global int *a) { a[get_global_id(0)] = (int)sizeof __FILE__; }
