#include "shim/merge/reduce.h"
#include <string.h>
#include "base/least.h"
#include "transform/facts_symbols.h"

static uint64_t load(const unsigned char *p, unsigned size, bool sign)
{
    uint32_t x;
    uint64_t y;
    if (size == 8) {
        memcpy(&y, p, 8);
        return y;
    }
    memcpy(&x, p, 4);
    return sign ? (uint64_t)(int64_t)(int32_t)x : x;
}

void yk_reduce(unsigned kind, unsigned size, void *to, const void *from, size_t n)
{
    bool sign = kind == YK_ACCESS_SMIN || kind == YK_ACCESS_SMAX;
    for (size_t i = 0; i < n; i++) {
        unsigned char *p = (unsigned char *)to + i * size;
        uint64_t a = load(p, size, sign), b = load((const unsigned char *)from + i * size, size, sign), r = a;
        switch (kind) {
        case YK_ACCESS_ADD:
            r = a + b;
            break;
        case YK_ACCESS_AND:
            r = a & b;
            break;
        case YK_ACCESS_OR:
            r = a | b;
            break;
        case YK_ACCESS_XOR:
            r = a ^ b;
            break;
        case YK_ACCESS_SMIN:
            r = (uint64_t)YK_MIN((int64_t)a, (int64_t)b);
            break;
        case YK_ACCESS_SMAX:
            r = (uint64_t)YK_MAX((int64_t)a, (int64_t)b);
            break;
        case YK_ACCESS_UMIN:
            r = YK_MIN(a, b);
            break;
        case YK_ACCESS_UMAX:
            r = YK_MAX(a, b);
            break;
        default:
            break;
        }
        uint32_t narrow = (uint32_t)r;
        memcpy(p, size == 8 ? (const void *)&r : (const void *)&narrow, size);
    }
}

void yk_reduce_neutral(unsigned kind, unsigned size, void *to, size_t n)
{
    uint64_t most = size == 8 ? UINT64_MAX : UINT32_MAX, x = 0;
    if (kind == YK_ACCESS_AND || kind == YK_ACCESS_UMIN)
        x = most;
    if (kind == YK_ACCESS_SMIN)
        x = most >> 1;
    if (kind == YK_ACCESS_SMAX)
        x = (most >> 1) + 1;
    uint32_t narrow = (uint32_t)x;
    for (size_t i = 0; i < n; i++)
        memcpy((unsigned char *)to + i * size, size == 8 ? (const void *)&x : (const void *)&narrow, size);
}
