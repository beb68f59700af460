// A driver's macro that the program defines where it is missing.
#ifndef __GPU__
#define __GPU__ 0
#endif
// verdict f merge
// hidden f group_offset0
// flags f needs_variant
// source #if defined(__GPU__)
// run f global=32 local=4
__kernel void f(__global int *a) { a[get_global_id(0)] = get_group_id(0) + __GPU__; }
