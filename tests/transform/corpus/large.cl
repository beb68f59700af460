// Helpers that would become millions of instructions in one kernel; another kernel beside it is none the worse.
#define TEN(x) x x x x x x x x x x
int a(int x) { TEN(x = x * 3 + 1;) TEN(x ^= x >> 3;) return x; }
int b(int x) { TEN(x = a(x);) return x; }
int c(int x) { TEN(x = b(x);) return x; }
int d(int x) { TEN(x = c(x);) return x; }
int e(int x) { TEN(x = d(x);) return x; }
// verdict huge whole functions too large to analyse
// arg huge out written
__kernel void huge(__global int *out) { out[get_global_id(0)] = e(out[1]); }
// verdict small merge
__kernel void small(__global int *out) { out[get_global_id(0)] = a(out[1]); }
// Recursion is no OpenCL; it must do no harm.
int r(int x) { return x ? r(x - 1) + 1 : 0; }
// verdict recursive whole cannot follow
__kernel void recursive(__global int *out) { out[get_global_id(0)] = r(out[1]); }
