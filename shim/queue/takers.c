#include "shim/queue/takers.h"
#include "base/log.h"
#include "device/numeric.h"
#include "shim/queue/images.h"
#include "shim/queue/remember.h"

static bool quarantined[YK_MAX_DEVICES];

void yk_takers_quarantine(unsigned dev, cl_int err, bool in_time)
{
    static unsigned strikes[YK_MAX_DEVICES];
    const unsigned enough = 3;
    /* Or the launch itself may be wrong, in a way that only drivers see. */
    bool launch = err <= CL_INVALID_KERNEL_ARGS && err >= CL_INVALID_GLOBAL_OFFSET;
    bool memory = err == CL_OUT_OF_RESOURCES || err == CL_OUT_OF_HOST_MEMORY || err == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (in_time && (launch || memory) && __atomic_add_fetch(&strikes[dev], 1, __ATOMIC_RELAXED) < enough) {
        yk_info("device %u refuses a share (%s); it takes none of this launch", dev, yk_cl_error_name(err));
        return;
    }
    if (!__atomic_exchange_n(&quarantined[dev], true, __ATOMIC_RELAXED))
        yk_warn("device %u (%s) failed a share (%s); it takes none any more", dev, yk_rt.machine->device[dev].name,
                yk_cl_error_name(err));
}

/* Why DEV may not take a share of a launch of this kernel, the numerics aside; NULL: it may. *LATE: not yet, but it is
 * being built for and works in the host's memory, or the primary does, which can begin then: its share can begin when
 * it is ready. */
static const char *cannot_take(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev, size_t group,
                               bool *late)
{
    *late = false;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    struct yk_build *b = l->code->build;
    if (!d->usable)
        return "no second device is in use";
    if (__atomic_load_n(&quarantined[dev], __ATOMIC_RELAXED))
        return "the other device has failed a share";
    if (d->max_group < group)
        return "the work-groups are too large for the other device";
    if (f->fp64 && !d->fp64)
        return "the other device has no double precision";
    if ((dev != yk_rt.machine->primary || f->needs_variant) && !__atomic_load_n(&b->done[dev], __ATOMIC_ACQUIRE)) {
        if (!(d->host_memory || yk_rt.primary->host_memory) || !__atomic_load_n(&b->wanted, __ATOMIC_ACQUIRE))
            return "the other device was not ready for the kernel";
        *late = true;
        if (!(yk_remember_alone(l) > 0))
            return "the other device was not ready for the kernel";
    } else if (!yk_build_has(b, dev, f->needs_variant)) {
        if (__atomic_load_n(&b->reads_other[dev], __ATOMIC_RELAXED))
            return "the other device's compiler makes another text of the program";
        return b->kept_only && d->type & CL_DEVICE_TYPE_CPU ? "the other device was not ready for the kernel"
                                                            : "the other device could not build the kernel";
    }
    if (!yk_images_possible(l, dev))
        return "the other device cannot have an image";
    uint64_t local = 0;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_store *s = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem->store : NULL;
        if (s && s->size > d->max_alloc)
            return "a buffer is larger than the other device allocates";
        if (l->value[i].kind == YK_VALUE_LOCAL)
            local += l->value[i].size;
    }
    return local <= d->local_mem ? NULL : "the other device has less local memory than the kernel asks for";
}

static bool one_class(const struct yk_facts_kernel *f, enum yk_numerics n)
{
    return (f->inexact || f->float_arith) && n != YK_NUMERICS_ANY && !(n == YK_NUMERICS_MIXED && !f->inexact_escapes);
}

bool yk_takers_one_class(const struct yk_facts_kernel *f)
{
    return one_class(f, yk_rt.options.numerics);
}

static bool numerics_allow(const struct yk_facts_kernel *f, unsigned dev, enum yk_numerics n)
{
    return !one_class(f, n) || dev == yk_rt.machine->primary ||
           yk_numeric_class(&yk_rt.machine->device[dev]) == yk_numeric_class(yk_rt.primary);
}

unsigned yk_takers_find(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d,
                        bool *left_out, bool *would_mixed, const char **why)
{
    unsigned takers = 0;
    *why = "no second device is in use";
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const char *not = cannot_take(l, f, i, d->local[0] * d->local[1] * d->local[2], &d->late[i]);
        d->takes[i] = false;
        if (not ) {
            *why = yk_rt.machine->device[i].usable ? not : *why;
            continue;
        }
        d->takes[i] = numerics_allow(f, i, yk_rt.options.numerics);
        takers += d->takes[i];
        *left_out |= !d->takes[i];
        *would_mixed |= !d->takes[i] && numerics_allow(f, i, YK_NUMERICS_MIXED);
    }
    return takers;
}
