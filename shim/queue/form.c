#include "shim/queue/form.h"
#include <string.h>
#include "device/warm/request.h"
#include "shim/queue/box.h"
#include "shim/queue/bring.h"
#include "shim/queue/decide.h"

/* Handing so many launches to the worker costs less than compiling for one. */
enum { LAUNCHES = 64 };

static bool is_wide(const size_t *global, unsigned dims)
{
    uint64_t g[3] = {0};
    for (unsigned i = 0; i < dims; i++)
        g[i] = global[i];
    return yk_warm_wide(g);
}

void yk_form_shared(const struct yk_launch *l, unsigned dev, const size_t *local, const struct yk_box *box)
{
    struct yk_code *code = l->code;
    const struct yk_facts_kernel *f = yk_code_facts(code);
    if (dev != yk_rt.machine->primary || !(yk_rt.primary->type & CL_DEVICE_TYPE_CPU) || !f || !f->needs_variant ||
        __atomic_load_n(&code->own_ran, __ATOMIC_RELAXED))
        return;
    size_t global[3];
    for (unsigned i = 0; i < 3; i++)
        global[i] = box->count[i] * local[i];
    bool wide = is_wide(global, 3);
    yk_lock_take(&code->lock);
    bool same = !memcmp(code->apart_local, local, sizeof code->apart_local);
    if (!same)
        memcpy(code->apart_local, local, sizeof code->apart_local);
    code->apart_wide = wide || (same && code->apart_wide);
    if (!code->apart_begun)
        __atomic_store_n(&code->apart, LAUNCHES, __ATOMIC_RELAXED);
    code->apart_begun = true;
    yk_lock_drop(&code->lock);
}

/* The range of L in work-groups of the size for which a share was compiled. False: it is another, or a wider range. */
static bool served(const struct yk_launch *l, struct yk_decision *d)
{
    struct yk_code *code = l->code;
    if (!l->has_local)
        return false;
    d->range.dims = l->dims;
    d->total = 1;
    for (unsigned i = 0; i < 3; i++) {
        d->local[i] = i < l->dims ? l->local[i] : 1;
        d->range.groups[i] = 1;
        if (l->has_offset && l->offset[i]) /* another thing to compile, for either code */
            return false;
        if (i < l->dims && (!l->local[i] || l->global[i] % l->local[i]))
            return false;
        if (i < l->dims)
            d->range.groups[i] = l->global[i] / l->local[i];
    }
    if (!yk_range_total(&d->range, &d->total) || !d->total)
        return false;
    yk_lock_take(&code->lock);
    bool same =
        !memcmp(code->apart_local, d->local, sizeof d->local) && (code->apart_wide || !is_wide(l->global, l->dims));
    yk_lock_drop(&code->lock);
    return same;
}

static bool one_less(struct yk_code *code)
{
    unsigned n = __atomic_load_n(&code->apart, __ATOMIC_RELAXED);
    while (n && !__atomic_compare_exchange_n(&code->apart, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return n > 0;
}

cl_int yk_form_whole(struct yk_launch *l, cl_event *real)
{
    struct yk_decision d = {.split = false};
    struct yk_code *code = l->code;
    unsigned p = yk_rt.machine->primary;
    const struct yk_facts_kernel *f = yk_code_facts(code);
    struct yk_code_kernel *k =
        yk_form_open(code) && f && served(l, &d) && one_less(code) ? yk_code_take(code, p, true) : NULL;
    if (!k)
        return yk_launch_whole(l, real);
    struct yk_box all = yk_range_box(&d.range);
    struct yk_left left;
    cl_int err = yk_bring_whole(l, f, &left);
    if (err == CL_SUCCESS)
        err = yk_launch_set_args(l, k->real, p);
    yk_bring_hold(&left);
    if (err == CL_SUCCESS)
        err = yk_box_enqueue(l, f, &d, p, l->c.queue->real, k->real, &all, real);
    yk_code_give(code, p, true, k);
    if (err == CL_SUCCESS)
        yk_launch_primary_writes(l, f);
    yk_bring_let_go(&left);
    return err;
}
