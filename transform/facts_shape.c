/* Regions: how sums of strides look as strided bytes, and which two regions are one. */
#include "base/least.h"
#include "transform/facts_regions.h"

uint64_t yk_region_end(const struct yk_region *r)
{
    return r->offset + (r->slices - 1) * r->slice_pitch + (r->rows - 1) * r->row_pitch + r->bytes;
}

/* Rows that touch or overlap one another are one row. */
static void join_rows(struct yk_region *r)
{
    if (r->rows == 1 || r->row_pitch > r->bytes)
        return;
    r->bytes += (r->rows - 1) * r->row_pitch;
    r->rows = 1;
}

/* The one way to write a region. */
static void simplify(struct yk_region *r)
{
    join_rows(r);
    if (r->rows == 1 && r->slices > 1) {
        r->rows = r->slices;
        r->row_pitch = r->slice_pitch;
        r->slices = 1;
        join_rows(r);
    }
    if (r->rows == 1)
        r->row_pitch = r->bytes;
    if (r->slices == 1)
        r->slice_pitch = r->rows * r->row_pitch;
}

struct yk_region yk_strides_region(struct yk_strides *s, uint64_t bytes, bool *exact)
{
    struct yk_region r = yk_region_plain(0, bytes);
    for (unsigned i = 1; i < s->n; i++) /* ascending */
        for (unsigned j = i; j > 0 && s->v[j].k < s->v[j - 1].k; j--) {
            struct yk_stride x = s->v[j];
            s->v[j] = s->v[j - 1];
            s->v[j - 1] = x;
        }
    for (unsigned i = 0; i < s->n; i++) {
        uint64_t k = (uint64_t)s->v[i].k, n = s->v[i].count;
        uint64_t extent = (r.slices - 1) * r.slice_pitch + (r.rows - 1) * r.row_pitch + r.bytes;
        if (n <= 1)
            continue;
        if (r.rows == 1 && r.slices == 1) {
            if (k <= r.bytes) {
                r.bytes += k * (n - 1);
            } else {
                r.rows = n;
                r.row_pitch = k;
            }
        } else if (r.slices == 1 && k % r.row_pitch == 0 && k / r.row_pitch <= r.rows) {
            r.rows += k / r.row_pitch * (n - 1);
        } else if (r.slices == 1 && k >= extent) {
            r.slices = n;
            r.slice_pitch = k;
        } else if (r.slices > 1 && k % r.slice_pitch == 0 && k / r.slice_pitch <= r.slices) {
            r.slices += k / r.slice_pitch * (n - 1);
        } else {
            *exact = false;
            r = yk_region_plain(0, extent + k * (n - 1));
        }
    }
    simplify(&r);
    return r;
}

static bool plain(const struct yk_region *r)
{
    return r->rows == 1 && r->slices == 1;
}

/* Of the same form: only the beginning and the length of a row differ. */
static bool parallel(const struct yk_region *a, const struct yk_region *b)
{
    return a->rows == b->rows && a->slices == b->slices && a->row_pitch == b->row_pitch &&
           (a->slices == 1 || a->slice_pitch == b->slice_pitch);
}

bool yk_region_join(struct yk_region *a, const struct yk_region *b)
{
    uint64_t lo = YK_MIN(a->offset, b->offset), end_a = a->offset + a->bytes, end_b = b->offset + b->bytes,
             hi = YK_MAX(end_a, end_b);
    bool touching = b->offset <= end_a && a->offset <= end_b;
    if (plain(a) && plain(b)) {
        if (!touching)
            return false;
        *a = yk_region_plain(lo, hi - lo);
        return true;
    }
    if (plain(a) || plain(b)) { /* the one inside the other? */
        const struct yk_region *p = plain(a) ? a : b, *q = plain(a) ? b : a;
        if (q->offset < p->offset || yk_region_end(q) > p->offset + p->bytes)
            return false;
        *a = *p;
        return true;
    }
    if (parallel(a, b) && touching && hi - lo <= a->row_pitch) {
        a->offset = lo;
        a->bytes = hi - lo;
        simplify(a);
        return true;
    }
    /* More rows of the same. */
    uint64_t apart = a->offset + b->offset - 2 * lo;
    if (a->slices == 1 && b->slices == 1 && a->bytes == b->bytes && a->row_pitch == b->row_pitch &&
        apart % a->row_pitch == 0) {
        uint64_t steps = apart / a->row_pitch, first = a->offset <= b->offset ? a->rows : b->rows,
                 second = a->offset <= b->offset ? b->rows : a->rows;
        if (steps > first)
            return false;
        a->offset = lo;
        a->rows = YK_MAX(steps + second, first);
        simplify(a);
        return true;
    }
    return false;
}
