#include "shim/queue/exec_info.h"
#include <stdlib.h>
#include <string.h>

static struct yk_exec_info *entry(cl_kernel_exec_info what, size_t size, const void *value)
{
    struct yk_exec_info *e = size < SIZE_MAX - sizeof *e ? malloc(sizeof *e + size) : NULL;
    if (!e)
        return NULL;
    *e = (struct yk_exec_info){.holds = 1, .what = what, .size = size};
    memcpy(e->bytes, value, size);
    return e;
}

struct yk_exec_info *yk_exec_info_with(struct yk_exec_info *old, cl_kernel_exec_info what, size_t size,
                                       const void *value)
{
    struct yk_exec_info *first = entry(what, size, value), *last = first;
    for (const struct yk_exec_info *e = old; last && e; e = e->next)
        if (e->what != what)
            last = last->next = entry(e->what, e->size, e->bytes);
    if (!last) {
        yk_exec_info_drop(first);
        return NULL;
    }
    yk_exec_info_drop(old);
    return first;
}

struct yk_exec_info *yk_exec_info_hold(struct yk_exec_info *e)
{
    if (e)
        __atomic_fetch_add(&e->holds, 1, __ATOMIC_RELAXED);
    return e;
}

void yk_exec_info_drop(struct yk_exec_info *e)
{
    while (e && !__atomic_sub_fetch(&e->holds, 1, __ATOMIC_ACQ_REL)) {
        struct yk_exec_info *next = e->next;
        free(e);
        e = next;
    }
}

cl_int yk_exec_info_set(const struct yk_exec_info *e, const struct yk_cl *cl, cl_kernel k)
{
    cl_int err = CL_SUCCESS;
    for (; e && err == CL_SUCCESS; e = e->next)
        err = cl->SetKernelExecInfo(k, e->what, e->size, e->bytes);
    return err;
}
