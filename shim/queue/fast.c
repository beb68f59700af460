#include "shim/queue/fast.h"
#include <sched.h>
#include <sys/single_threaded.h>
#include "shim/core/registry.h"

static cl_int give_late(cl_kernel real, uint64_t late, const struct yk_value *v, unsigned n)
{
    cl_int err = CL_SUCCESS;
    for (late &= ~YK_LATE_BUSY; late && err == CL_SUCCESS; late &= late - 1) {
        unsigned i = (unsigned)__builtin_ctzll(late);
        if (i < n && (v[i].kind != YK_VALUE_MEM || yk_registry_has(v[i].u.mem)))
            err = yk_value_set(yk_rt.primary->cl, real, i, &v[i], yk_rt.primary->index);
    }
    bool memory = err == CL_OUT_OF_HOST_MEMORY || err == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return err == CL_SUCCESS || memory ? err : CL_OUT_OF_RESOURCES;
}

cl_int yk_fast_settle_now(struct yk_fast *f, const struct yk_value *v, unsigned n)
{
    uint64_t late = __atomic_load_n(&f->late, __ATOMIC_ACQUIRE);
    if (__libc_single_threaded) {
        cl_int err = give_late(f->real, late, v, n);
        if (err == CL_SUCCESS)
            __atomic_store_n(&f->late, 0, __ATOMIC_RELAXED);
        return err;
    }
    while (late) {
        if (late & YK_LATE_BUSY) {
            sched_yield();
            late = __atomic_load_n(&f->late, __ATOMIC_ACQUIRE);
        } else if (__atomic_compare_exchange_n(&f->late, &late, late | YK_LATE_BUSY, false, __ATOMIC_ACQ_REL,
                                               __ATOMIC_ACQUIRE)) {
            cl_int err = give_late(f->real, late, v, n);
            __atomic_and_fetch(&f->late, err == CL_SUCCESS ? ~(late | YK_LATE_BUSY) : ~YK_LATE_BUSY, __ATOMIC_ACQ_REL);
            return err;
        }
    }
    return CL_SUCCESS;
}
