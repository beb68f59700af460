// refused clang does not compile it: line 7:
// Names that are nearly others, nested in one another: clang 14 would look for what was meant for ever.
__kernel void misspelt(__global const int *start, __global int *y)
{
    int r = get_global_id(0);
    for (int i =
             starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti =
             starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti =
             starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti =
             starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti = starti =
             start[r];
         i < start[r + 1]; i++)
        y[r] += i;
}
