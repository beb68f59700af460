#include "transform/facts_regions.h"
#include <stdlib.h>
#include <string.h>
#include "base/least.h"
#include "transform/facts_domain.h"

enum { MAX_CUTS = 4 }; /* a box is cut in two so often, one part in the other */

static struct yk_touch all_of(const struct yk_facts_access *a, uint64_t size)
{
    return (struct yk_touch){.region = yk_region_plain(0, size), .arg = a->arg, .kind = a->kind, .whole = true};
}

/* T's bytes from START on, which may lie outside of a buffer of SIZE bytes. False: none is inside. */
static bool clip(struct yk_touch *t, int64_t start, int64_t lo, int64_t hi, uint64_t size)
{
    uint64_t extent = yk_region_end(&t->region);
    bool inside = start >= 0 && (uint64_t)start + extent <= size;
    /* Rows with hardly anything between them are read as one piece. */
    struct yk_region *r = &t->region;
    bool close = t->kind == YK_ACCESS_READ && r->slices == 1 && r->bytes >= r->row_pitch / 20 * 19;
    bool rows = r->rows > 1 && !yk_region_scattered(r); /* what is scattered is one piece: nobody counts it */
    if (inside && (t->exact || (rows && !close))) {
        r->offset = (uint64_t)start;
        return true;
    }
    int64_t end;
    if (extent > INT64_MAX || __builtin_add_overflow(start, (int64_t)extent, &end))
        end = INT64_MAX;
    t->exact = false;
    start = YK_MAX(start, lo);
    start = YK_MAX(start, INT64_C(0));
    end = YK_MIN(end, hi);
    end = YK_MIN(end, (int64_t)size);
    if (start >= end)
        return false;
    *r = yk_region_plain((uint64_t)start, (uint64_t)(end - start));
    return true;
}

/* Is F >= 0 for all values of its variables, whose ranges may be narrower than when it was made? */
static bool holds(const struct yk_form_vars *v, const struct yk_form *f)
{
    int64_t least = f->c, most = f->c;
    for (unsigned i = 0; i < f->n; i++)
        if (!yk_form_add_range(f->k[i], v->v[f->var[i]].lo, v->v[f->var[i]].hi, &least, &most))
            return false;
    return least >= 0;
}

static void conditions_of(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_facts_access *a,
                          struct yk_conditions *c)
{
    yk_conditions_init(c);
    for (unsigned g = 0; g < a->nguards; g++)
        yk_reach_condition(k, r, k->guard[a->guard + g].node, k->guard[a->guard + g].want, c);
}

/* What access A touches; false: nothing. */
static bool touched(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_facts_access *a, uint64_t size,
                    struct yk_touch *t)
{
    struct yk_conditions c;
    struct yk_domain d; /* large, and hardly any of it used */
    struct yk_strides s;
    unsigned vars = r->vars.n;
    conditions_of(r, k, a, &c);
    d.n = 0;
    d.loose = d.empty = false;
    for (unsigned i = 0; i < c.n && !c.never; i++)
        if (!holds(&r->vars, &c.at_least_0[i]))
            yk_domain_narrow(&d, &r->vars, &c.at_least_0[i]);
    const struct yk_form *f = &r->form[a->node];
    bool some = !c.never && !d.empty && size;
    if (some && (f->top || size > (uint64_t)YK_FORM_MOST)) {
        *t = all_of(a, size);
    } else if (some) {
        bool exact = a->exact && !c.unknown && !c.crosses && !d.loose, all = true;
        *t = (struct yk_touch){.arg = a->arg, .kind = a->kind};
        int64_t start;
        if (yk_domain_strides(&d, &r->vars, f, &s, &start, &exact)) {
            t->region = yk_strides_region(&s, a->bytes, &all);
            t->exact = exact && all && a->kind == YK_ACCESS_WRITE;
            some = clip(t, start, f->lo, f->hi + (int64_t)a->bytes, size);
        } else {
            *t = all_of(a, size);
        }
    }
    r->vars.n = vars;
    return some;
}

/* A value of a variable, none of the box, for which it depends on others whether F >= 0, if this is so of no other
 * value: the last round of a loop over the range again and again, which some work-items do not have. */
struct open {
    unsigned var;
    int64_t at;
    bool down; /* for less it is sure, else for more */
};

static bool is_open(const struct yk_form_vars *v, const struct yk_form *f, struct open *o)
{
    bool found = false;
    for (unsigned i = 0; i < f->n && !found; i++) {
        int64_t sure, lo = v->v[f->var[i]].lo, hi = v->v[f->var[i]].hi;
        *o = (struct open){.var = f->var[i], .down = f->k[i] < 0};
        found = o->var >= 3 && !v->v[o->var].free && lo < hi && yk_form_threshold(v, f, i, &sure, &o->at) &&
                o->at >= lo && o->at <= hi && sure == (o->down ? o->at - 1 : o->at + 1);
    }
    return found;
}

/* What access A touches, as at most two pieces: of a write all that is known of it if two are. Returns how many. */
static unsigned pieces(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_facts_access *a,
                       uint64_t size, struct yk_touch t[2])
{
    struct yk_conditions c;
    struct open o;
    if (!touched(r, k, a, size, &t[0]))
        return 0;
    if (a->kind != YK_ACCESS_WRITE || !a->exact || !a->nguards || t[0].exact || t[0].whole)
        return 1;
    unsigned vars = r->vars.n, n = 0;
    bool open = false, exact = true;
    conditions_of(r, k, a, &c);
    for (unsigned i = 0; i < c.n && !c.unknown && !open; i++)
        open = is_open(&r->vars, &c.at_least_0[i], &o) && o.var < vars;
    r->vars.n = vars;
    if (!open)
        return 1;
    struct yk_touch by[2];
    const int64_t lo = r->vars.v[o.var].lo, hi = r->vars.v[o.var].hi,
                  range[2][2] = {{o.at, o.at}, {o.down ? lo : o.at + 1, o.down ? o.at - 1 : hi}};
    for (unsigned i = 0; i < 2; i++) {
        r->vars.v[o.var].lo = range[i][0];
        r->vars.v[o.var].hi = range[i][1];
        if (range[i][0] <= range[i][1] && touched(r, k, a, size, &by[n]))
            exact &= by[n++].exact;
    }
    r->vars.v[o.var].lo = lo;
    r->vars.v[o.var].hi = hi;
    if (!exact)
        return 1;
    memcpy(t, by, n * sizeof *by);
    return n;
}

/* Into the list, joined with what is there of the same kind. */
static yk_status put(struct yk_reach *r, const struct yk_touch *t)
{
    struct yk_touch one = *t;
    for (size_t i = 0; i < r->touch.n;) {
        const struct yk_touch *o = &r->touch.v[i];
        if (o->arg != one.arg || o->kind != one.kind || o->exact != one.exact ||
            !yk_region_join(&one.region, &o->region)) {
            i++;
            continue;
        }
        one.whole |= o->whole;
        r->touch.v[i] = r->touch.v[--r->touch.n];
        i = 0; /* what was no neighbour before may be one now */
    }
    return yk_array_push(&r->touch, one) ? YK_OK : YK_ENOMEM;
}

/* Arguments that no expression covers. */
static yk_status put_unbounded(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l)
{
    for (unsigned i = 0; i < k->nargs; i++) {
        const struct yk_facts_arg *a = &k->arg[i];
        if (a->bounded || l->arg[i].bytes || !l->arg[i].size ||
            (a->kind != YK_ARG_GLOBAL && a->kind != YK_ARG_CONSTANT))
            continue;
        struct yk_touch t = {.region = yk_region_plain(0, l->arg[i].size), .arg = (uint16_t)i, .whole = true};
        bool failed = a->read && put(r, &t) != YK_OK;
        t.kind = a->atomic ? YK_ACCESS_ATOMIC : YK_ACCESS_WRITE;
        if (failed || ((a->written || a->atomic) && put(r, &t) != YK_OK))
            return YK_ENOMEM;
    }
    return YK_OK;
}

/* Cut BOX before a work-group from which on F >= 0 is sure, or is possible no more. False: there is none. */
static bool cut(const struct yk_form_vars *v, const struct yk_form *f, const struct yk_box *box, struct yk_box part[2])
{
    int64_t k = 0, least = f->c, most = f->c; /* F without the dimension that moves it most */
    unsigned d = 3;
    for (unsigned i = 0; i < f->n; i++)
        if (f->var[i] < 3 && llabs(f->k[i]) > llabs(k)) {
            k = f->k[i];
            d = f->var[i];
        }
    for (unsigned i = 0; i < f->n; i++) {
        if (v->v[f->var[i]].free)
            return false;
        if (f->var[i] != d && !yk_form_add_range(f->k[i], v->v[f->var[i]].lo, v->v[f->var[i]].hi, &least, &most))
            return false;
    }
    if (d == 3)
        return false;
    int64_t first = (int64_t)box->first[d], end = first + (int64_t)box->count[d],
            sure = k < 0 ? yk_floor_div(least, -k) + 1 : -yk_floor_div(least, k),
            possible = k < 0 ? yk_floor_div(most, -k) + 1 : -yk_floor_div(most, k),
            at = sure > first && sure < end ? sure : possible;
    if (at <= first || at >= end)
        return false;
    part[0] = part[1] = *box;
    part[0].count[d] = (uint64_t)(at - first);
    part[1].first[d] = (uint64_t)at;
    part[1].count[d] = (uint64_t)(end - at);
    return true;
}

/* A write that is not exact only because a condition holds for a part of some work-groups, as at a ragged end: where to
 * cut BOX so that those are by themselves. */
static bool cut_for(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_facts_access *a, uint64_t size,
                    const struct yk_box *box, struct yk_box part[2])
{
    struct yk_touch t[2];
    struct yk_conditions c;
    unsigned vars = r->vars.n;
    bool found = false;
    if (a->kind != YK_ACCESS_WRITE || !a->exact || !a->nguards || pieces(r, k, a, size, t) != 1 || t[0].exact ||
        t[0].whole)
        return false;
    conditions_of(r, k, a, &c);
    for (unsigned i = 0; i < c.n && !c.unknown && !found; i++)
        found = cut(&r->vars, &c.at_least_0[i], box, part);
    if (!found && !c.unknown && c.crosses)
        found = cut(&r->vars, &c.not_0, box, part);
    r->vars.n = vars;
    return found;
}

static yk_status add_box(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                         const struct yk_box *box, unsigned cuts)
{
    struct yk_box part[2];
    yk_reach_forms(r, k, l, box);
    for (unsigned i = 0; i < k->naccesses && cuts < MAX_CUTS; i++) {
        const struct yk_facts_access *a = &k->access[i];
        if (!k->arg[a->arg].bounded || !cut_for(r, k, a, l->arg[a->arg].size, box, part))
            continue;
        yk_status s = add_box(r, k, l, &part[0], cuts + 1);
        return s == YK_OK ? add_box(r, k, l, &part[1], cuts + 1) : s;
    }
    for (unsigned i = 0; i < k->naccesses; i++) {
        const struct yk_facts_access *a = &k->access[i];
        struct yk_touch t[2];
        unsigned n = k->arg[a->arg].bounded ? pieces(r, k, a, l->arg[a->arg].size, t) : 0;
        for (unsigned p = 0; p < n; p++)
            if (put(r, &t[p]) != YK_OK)
                return YK_ENOMEM;
    }
    return YK_OK;
}

static yk_status begin(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l)
{
    r->touch.n = 0;
    if (r->nforms < k->nnodes && !yk_array_grow_((void **)&r->form, &r->nforms, k->nnodes, sizeof *r->form))
        return YK_ENOMEM;
    return put_unbounded(r, k, l);
}

yk_status yk_reach_box(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                       const struct yk_box *box)
{
    yk_status s = begin(r, k, l);
    return s == YK_OK ? add_box(r, k, l, box, 0) : s;
}

yk_status yk_reach_share(struct yk_reach *r, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                         const struct yk_share *share)
{
    yk_status s = begin(r, k, l);
    for (unsigned i = 0; i < share->n && s == YK_OK; i++)
        s = add_box(r, k, l, &share->box[i], 0);
    return s;
}

void yk_reach_finish(struct yk_reach *r)
{
    yk_array_finish(&r->touch);
    free(r->form);
    *r = (struct yk_reach){0};
}
