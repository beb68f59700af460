#include "partitioner/plan.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/least.h"

void yk_plan_init(struct yk_plan *p, const struct yk_range *range)
{
    *p = (struct yk_plan){.range = *range};
}

void yk_plan_finish(struct yk_plan *p)
{
    yk_array_finish(&p->step);
    yk_array_finish(&p->after);
}

struct yk_region yk_region_plain(uint64_t offset, uint64_t bytes)
{
    return (struct yk_region){offset, bytes, 1, bytes, 1, bytes};
}

uint64_t yk_region_bytes(const struct yk_region *r)
{
    return r->bytes * r->rows * r->slices;
}

bool yk_region_ordered(const struct yk_region *r)
{
    return (r->rows == 1 || r->row_pitch >= r->bytes) &&
           (r->slices == 1 || r->slice_pitch >= (r->rows - 1) * r->row_pitch + r->bytes);
}

/* Of R's bytes, those below END. */
static uint64_t below(const struct yk_region *r, uint64_t end)
{
    if (end <= r->offset)
        return 0;
    uint64_t left = end - r->offset, slice = r->slices > 1 ? YK_MIN(left / r->slice_pitch, r->slices - 1) : 0;
    left -= slice * r->slice_pitch;
    uint64_t row = r->rows > 1 ? YK_MIN(left / r->row_pitch, r->rows - 1) : 0;
    left -= row * r->row_pitch;
    return (slice * r->rows + row) * r->bytes + YK_MIN(left, r->bytes);
}

uint64_t yk_region_within(const struct yk_region *r, uint64_t from, uint64_t to)
{
    return below(r, to) - below(r, from);
}

bool yk_region_scattered(const struct yk_region *r)
{
    /* A record costs about what moving so many bytes does (100 ns at 10 GB/s). */
    const uint64_t few = 1024, most = 1 << 16, apart = 1024;
    uint64_t pieces = r->rows * r->slices;
    if (pieces <= few)
        return false;
    uint64_t span = r->bytes + (r->rows - 1) * r->row_pitch + (r->slices - 1) * r->slice_pitch;
    return pieces > most || span / pieces < apart;
}

yk_status yk_plan_add(struct yk_plan *p, const struct yk_step *step, const unsigned *after, unsigned n_after,
                      unsigned *index)
{
    for (unsigned i = 0; i < n_after; i++)
        if (after[i] >= p->step.n)
            return YK_EINVAL;
    if (!yk_array_reserve(&p->step, p->step.n + 1) || !yk_array_reserve(&p->after, p->after.n + n_after))
        return YK_ENOMEM;
    struct yk_step s = *step;
    s.after = (unsigned)p->after.n;
    s.n_after = n_after;
    for (unsigned i = 0; i < n_after; i++)
        p->after.v[p->after.n++] = after[i];
    if (index)
        *index = (unsigned)p->step.n;
    p->step.v[p->step.n++] = s;
    return YK_OK;
}

static bool boxes_meet(const struct yk_box *a, const struct yk_box *b)
{
    for (unsigned d = 0; d < 3; d++)
        if (a->first[d] >= b->first[d] + b->count[d] || b->first[d] >= a->first[d] + a->count[d])
            return false;
    return true;
}

static bool box_in_range(const struct yk_box *b, const struct yk_range *r)
{
    for (unsigned d = 0; d < 3; d++)
        if (!b->count[d] || b->first[d] >= r->groups[d] || b->count[d] > r->groups[d] - b->first[d])
            return false;
    return true;
}

bool yk_plan_check(const struct yk_plan *p, char *msg, size_t n)
{
    uint64_t total, covered = 0;
    if (!yk_range_total(&p->range, &total)) {
        snprintf(msg, n, "the range is not valid");
        return false;
    }
    for (unsigned i = 0; i < p->step.n; i++) {
        const struct yk_step *s = &p->step.v[i];
        for (unsigned k = 0; k < s->n_after; k++)
            if (p->after.v[s->after + k] >= i) {
                snprintf(msg, n, "step %u waits for step %u", i, p->after.v[s->after + k]);
                return false;
            }
        if ((s->kind == YK_STEP_COPY || s->kind == YK_STEP_MERGE) && s->from == s->to) {
            snprintf(msg, n, "step %u goes from location %u to itself", i, s->from);
            return false;
        }
        if (s->kind != YK_STEP_RUN)
            continue;
        if (s->to == 0 || !box_in_range(&s->box, &p->range)) {
            snprintf(msg, n, "step %u runs %s", i, s->to ? "outside the range" : "on the host");
            return false;
        }
        for (unsigned k = 0; k < i; k++)
            if (p->step.v[k].kind == YK_STEP_RUN && boxes_meet(&s->box, &p->step.v[k].box)) {
                snprintf(msg, n, "steps %u and %u run the same work-groups", k, i);
                return false;
            }
        covered += yk_box_groups(&s->box);
    }
    if (covered != total) {
        snprintf(msg, n, "%" PRIu64 " of %" PRIu64 " work-groups are run", covered, total);
        return false;
    }
    return true;
}

struct out {
    char *to;
    size_t n, used;
};

static void say(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct out *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int len = o->used < o->n ? vsnprintf(o->to + o->used, o->n - o->used, fmt, ap) : vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    o->used += len > 0 ? (size_t)len : 0;
}

static void say_location(struct out *o, const char *before, unsigned location)
{
    if (location)
        say(o, "%sdevice %u", before, location - 1);
    else
        say(o, "%shost", before);
}

static void say_region(struct out *o, const struct yk_step *s)
{
    const struct yk_region *r = &s->region;
    say(o, "buffer %u [%" PRIu64 " +%" PRIu64, s->buffer, r->offset, r->bytes);
    if (r->rows > 1)
        say(o, " x%" PRIu64 " every %" PRIu64, r->rows, r->row_pitch);
    if (r->slices > 1)
        say(o, " x%" PRIu64 " every %" PRIu64, r->slices, r->slice_pitch);
    say(o, "]");
}

static void say_box(struct out *o, const struct yk_box *b, unsigned dims)
{
    for (unsigned d = 0; d < dims; d++)
        say(o, "%s%zu+%zu", d ? ", " : "(", b->first[d], b->count[d]);
    say(o, ")");
}

static void say_step(struct out *o, const struct yk_plan *p, unsigned i)
{
    const struct yk_step *s = &p->step.v[i];
    say(o, "%3u ", i);
    switch (s->kind) {
    case YK_STEP_COPY:
        say(o, "copy ");
        say_region(o, s);
        say_location(o, " from ", s->from);
        say_location(o, " to ", s->to);
        break;
    case YK_STEP_SNAPSHOT:
        say(o, "snapshot ");
        say_region(o, s);
        say_location(o, " at ", s->to);
        break;
    case YK_STEP_RUN:
        say(o, "run ");
        say_box(o, &s->box, p->range.dims);
        say_location(o, " on ", s->to);
        break;
    case YK_STEP_MERGE:
        say(o, "merge %s ", s->method == YK_MERGE_EXACT ? "exact" : "difference");
        say_region(o, s);
        say_location(o, " from ", s->from);
        say_location(o, " into ", s->to);
        break;
    }
    for (unsigned k = 0; k < s->n_after; k++)
        say(o, "%s%u", k ? ", " : " after ", p->after.v[s->after + k]);
    if (s->predicted_ms > 0)
        say(o, "  ~%.3f ms", s->predicted_ms);
    say(o, "\n");
}

size_t yk_plan_print(const struct yk_plan *p, char *out, size_t n)
{
    struct out o = {out, n, 0};
    if (n)
        *out = 0;
    say(&o, "range %zu", p->range.groups[0]);
    for (unsigned d = 1; d < p->range.dims; d++)
        say(&o, " x %zu", p->range.groups[d]);
    say(&o, " work-groups, %zu steps", p->step.n);
    if (p->predicted_ms > 0)
        say(&o, ", ~%.3f ms", p->predicted_ms);
    say(&o, "\n");
    for (unsigned i = 0; i < p->step.n; i++)
        say_step(&o, p, i);
    return o.used;
}
