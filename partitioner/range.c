#include "partitioner/range.h"

bool yk_range_total(const struct yk_range *r, uint64_t *total)
{
    uint64_t n = 1;
    if (r->dims < 1 || r->dims > 3)
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

void yk_range_cut(const struct yk_range *r, uint64_t from, uint64_t to, struct yk_share *share)
{
    uint64_t row = r->groups[0], plane = row * r->groups[1];
    share->n = 0;
    while (from < to) {
        struct yk_box *b = &share->box[share->n++];
        uint64_t left = to - from, in_plane = from % plane, in_row = from % row, taken;
        *b = (struct yk_box){{in_row, in_plane / row, from / plane}, {row, r->groups[1], 1}};
        if (in_plane == 0 && left >= plane) {
            b->count[2] = left / plane;
            taken = b->count[2] * plane;
        } else if (in_row == 0 && left >= row) {
            b->count[1] = least_of(left, plane - in_plane) / row;
            taken = b->count[1] * row;
        } else {
            b->count[1] = 1;
            b->count[0] = taken = least_of(left, row - in_row);
        }
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
    uint64_t row = r->groups[0], plane = row * r->groups[1];
    if (r->groups[2] >= least && r->groups[2] > 1)
        return plane;
    if ((uint64_t)r->groups[1] * r->groups[2] >= least && r->groups[1] > 1)
        return row;
    return 1;
}
