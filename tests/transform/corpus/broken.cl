// refused clang does not compile it: line 3:
// The program's own mistake is the device compiler's to report.
__kernel void broken(__global int *a) { a[0] = nonsense; }
