#include "partitioner/range.h"

bool yk_range_ids_fit(unsigned dims, const size_t *offset, const size_t *global)
{
    size_t last = 0;
    for (unsigned d = 0; d < dims; d++)
        last |= global[d] ? (offset ? offset[d] : 0) + global[d] - 1 : 0;
    return last <= UINT32_MAX;
}

bool yk_range_total(const struct yk_range *r, uint64_t *total)
{
    uint64_t n = 1;
    if (r->dims < 1 || r->dims > 3 || r->axis > r->dims)
        return false;
    for (unsigned d = 0; d < 3; d++)
        if (r->groups[d] < 1 || (d >= r->dims && r->groups[d] != 1) ||
            __builtin_mul_overflow(n, (uint64_t)r->groups[d], &n))
            return false;
    *total = n;
    return true;
}

uint64_t yk_box_groups(const struct yk_box *b)
{
    return (uint64_t)b->count[0] * b->count[1] * b->count[2];
}

uint64_t yk_share_groups(const struct yk_share *s)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < s->n; i++)
        n += yk_box_groups(&s->box[i]);
    return n;
}

struct yk_box yk_range_box(const struct yk_range *r)
{
    return (struct yk_box){{0, 0, 0}, {r->groups[0], r->groups[1], r->groups[2]}};
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

unsigned yk_range_axis(const struct yk_range *r)
{
    return r->axis ? r->axis - 1 : r->dims - 1;
}

/* The dimensions of R, the one that varies fastest first. */
static void order(const struct yk_range *r, unsigned by[3])
{
    unsigned n = 0, axis = r->axis ? r->axis - 1 : 2;
    for (unsigned d = 0; d < 3; d++)
        if (d != axis)
            by[n++] = d;
    by[2] = axis;
}

/* FIRST and COUNT are in the order of numbering. */
static struct yk_box turned(const unsigned by[3], const uint64_t first[3], const uint64_t count[3])
{
    struct yk_box b;
    for (unsigned i = 0; i < 3; i++) {
        b.first[by[i]] = first[i];
        b.count[by[i]] = count[i];
    }
    return b;
}

void yk_range_cut(const struct yk_range *r, uint64_t from, uint64_t to, struct yk_share *share)
{
    unsigned by[3];
    order(r, by);
    uint64_t row = r->groups[by[0]], rows = r->groups[by[1]], plane = row * rows;
    share->n = 0;
    while (from < to) {
        uint64_t left = to - from, in_plane = from % plane, in_row = from % row, taken;
        uint64_t first[3] = {in_row, in_plane / row, from / plane}, count[3] = {row, rows, 1};
        if (in_plane == 0 && left >= plane) {
            count[2] = left / plane;
            taken = count[2] * plane;
        } else if (in_row == 0 && left >= row) {
            count[1] = least_of(left, plane - in_plane) / row;
            taken = count[1] * row;
        } else {
            count[1] = 1;
            count[0] = taken = least_of(left, row - in_row);
        }
        share->box[share->n++] = turned(by, first, count);
        from += taken;
    }
}

struct yk_box yk_range_cut_axis(const struct yk_range *r, unsigned axis, size_t from, size_t to)
{
    struct yk_box b = yk_range_box(r);
    b.first[axis] = from;
    b.count[axis] = to - from;
    return b;
}

uint64_t yk_range_grain(const struct yk_range *r, uint64_t least)
{
    unsigned by[3];
    order(r, by);
    uint64_t row = r->groups[by[0]], rows = r->groups[by[1]], planes = r->groups[by[2]];
    if (planes >= least && planes > 1)
        return row * rows;
    if (rows * planes >= least && rows > 1)
        return row;
    return 1;
}
