#include "base/array.h"

bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size)
{
    size_t c = *cap ? *cap : 8;
    while (c < need)
        if (__builtin_mul_overflow(c, 2, &c))
            return false;
    size_t bytes;
    if (__builtin_mul_overflow(c, size, &bytes))
        return false;
    void *p = realloc(*v, bytes);
    if (!p)
        return false;
    *v = p;
    *cap = c;
    return true;
}
