// A macro that some device's compiler may define: what is split is launched from text that such a compiler refuses.
#ifdef __NV_CL_C_VERSION
#define W 32
#else
#define W 64
#endif
// verdict f merge
// hidden f
// flags f needs_variant
// source #if defined(__NV_CL_C_VERSION)
// run f global=32 local=4
__kernel void f(__global int *a) { a[get_global_id(0)] = W; }
// verdict g whole
// flags g !needs_variant
__kernel void g(__global int *a) { a[1] = atomic_inc(a); }
