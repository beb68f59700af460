/* What a bucket is, what it costs at least, and the scale of a table. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "kernels/sumproduct.h"

static const size_t MAX_CELLS = (size_t)1 << 48;

static yk_status bad(yk_status s, char *msg, size_t n, const char *fmt, ...)
{
    if (msg && n) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(msg, n, fmt, ap);
        va_end(ap);
    }
    return s;
}

static yk_status table_check(const struct yk_bucket *b, const struct yk_bucket_table *t, int index, char *msg, size_t n)
{
    uint64_t seen = 0;
    size_t cells = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t v = t->var[i];
        if (v >= b->rank)
            return bad(YK_EINVAL, msg, n, "table %d: variable %u of rank %u", index, v, b->rank);
        if (seen >> v & 1)
            return bad(YK_EINVAL, msg, n, "table %d: variable %u twice", index, v);
        seen |= UINT64_C(1) << v;
        if (cells > MAX_CELLS / b->domain[v])
            return bad(YK_ELIMIT, msg, n, "table %d: more than 2^48 cells", index);
        cells *= b->domain[v];
    }
    if (cells != t->cells)
        return bad(YK_EINVAL, msg, n, "table %d: %zu cells given, its domains make %zu", index, t->cells, cells);
    return YK_OK;
}

yk_status yk_bucket_check(const struct yk_bucket *b, char *msg, size_t n)
{
    if (b->rank > YK_BUCKET_MAX_RANK)
        return bad(YK_ELIMIT, msg, n, "rank %u above %d", b->rank, YK_BUCKET_MAX_RANK);
    if (b->ninputs < 1 || b->ninputs > YK_BUCKET_MAX_INPUTS)
        return bad(YK_ELIMIT, msg, n, "%u inputs, 1 to %d are possible", b->ninputs, YK_BUCKET_MAX_INPUTS);
    double states = 1;
    for (uint32_t v = 0; v < b->rank; v++) {
        if (b->domain[v] < 1)
            return bad(YK_EINVAL, msg, n, "variable %u has no state", v);
        states *= b->domain[v];
    }
    if (states > 0x1p62)
        return bad(YK_ELIMIT, msg, n, "more than 2^62 joint states");
    for (uint32_t i = 0; i < b->ninputs; i++) {
        yk_status s = table_check(b, &b->input[i], (int)i, msg, n);
        if (s != YK_OK)
            return s;
    }
    yk_status s = table_check(b, &b->out, -1, msg, n);
    if (s != YK_OK)
        return s;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < b->out.n; i++)
        seen |= UINT64_C(1) << b->out.var[i];
    for (uint32_t i = 0; i < b->nsum; i++) {
        uint32_t v = b->sum[i];
        if (v >= b->rank)
            return bad(YK_EINVAL, msg, n, "summed variable %u of rank %u", v, b->rank);
        if (seen >> v & 1)
            return bad(YK_EINVAL, msg, n, "variable %u summed twice, or summed and in the output", v);
        seen |= UINT64_C(1) << v;
    }
    if (b->out.n + b->nsum != b->rank)
        return bad(YK_EINVAL, msg, n, "%u of %u variables are neither summed nor in the output",
                   b->rank - b->out.n - b->nsum, b->rank);
    return YK_OK;
}

double yk_bucket_operations(const struct yk_bucket *b)
{
    double ops = b->ninputs > 2 ? b->ninputs - 1 : 1;
    for (uint32_t v = 0; v < b->rank; v++)
        ops *= b->domain[v];
    return ops;
}

double yk_bucket_cells(const struct yk_bucket *b)
{
    double cells = (double)b->out.cells;
    for (uint32_t i = 0; i < b->ninputs; i++)
        cells += (double)b->input[i].cells;
    return cells;
}

void *yk_table_alloc(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, line = 64;
    size_t align = bytes >= 2 * huge ? huge : line;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = bytes ? (bytes + align - 1) & ~(align - 1) : align;
    void *p = aligned_alloc(align, bytes);
#ifdef MADV_HUGEPAGE
    if (p && align == huge)
        madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

int yk_table_rescale(double *v, size_t n)
{
    double max = 0;
    for (size_t i = 0; i < n; i++)
        max = v[i] > max ? v[i] : max;
    if (!(max > 0) || isinf(max))
        return 0;
    int e;
    frexp(max, &e);
    if (e == 0)
        return 0;
    /* Two factors: 2^-e itself may be out of range when the largest is a denormal. */
    double f = ldexp(1, -e / 2), g = ldexp(1, -e - -e / 2);
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] * f * g;
    return e;
}
