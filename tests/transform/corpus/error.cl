// refused the preprocessor does not take it: line 2: not here
#error not here
__kernel void f(__global int *a) { a[0] = 1; }
