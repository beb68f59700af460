#include "shim/queue/value.h"
#include <stdlib.h>

bool yk_value_copy_bytes(struct yk_value *to, const struct yk_value *from)
{
    *to = *from;
    if (from->kind == YK_VALUE_BYTES && from->size > sizeof from->u.bytes) {
        to->u.more = malloc(from->size);
        if (!to->u.more) {
            to->kind = YK_VALUE_NONE;
            return false;
        }
        memcpy(to->u.more, from->u.more, from->size);
    }
    return true;
}

void yk_value_finish_bytes(struct yk_value *v)
{
    if (v->kind == YK_VALUE_BYTES && v->size > sizeof v->u.bytes)
        free(v->u.more);
    v->kind = YK_VALUE_NONE;
}

bool yk_value_copy(struct yk_value *to, const struct yk_value *from)
{
    if (!yk_value_copy_bytes(to, from))
        return false;
    if (from->kind == YK_VALUE_MEM)
        yk_hold(&to->u.mem->h);
    return true;
}

void yk_value_finish(struct yk_value *v)
{
    if (v->kind == YK_VALUE_MEM)
        yk_drop(&v->u.mem->h);
    yk_value_finish_bytes(v);
}

cl_int yk_value_set(const struct yk_cl *cl, cl_kernel k, cl_uint i, const struct yk_value *v, unsigned dev)
{
    switch (v->kind) {
    case YK_VALUE_BYTES:
        return cl->SetKernelArg(k, i, v->size, yk_value_bytes(v));
    case YK_VALUE_MEM: {
        cl_mem real = yk_mem_real(v->u.mem, dev);
        return real ? cl->SetKernelArg(k, i, sizeof real, &real) : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    case YK_VALUE_NULL:
        return cl->SetKernelArg(k, i, sizeof(cl_mem), NULL);
    case YK_VALUE_LOCAL:
        return cl->SetKernelArg(k, i, v->size, NULL);
    case YK_VALUE_SAMPLER: {
        /* Not the program's own, which it may have released since. */
        cl_sampler real = yk_sampler_on(v->u.sampler.ctx, dev, &v->u.sampler.sampling);
        return real ? cl->SetKernelArg(k, i, sizeof real, &real) : CL_OUT_OF_RESOURCES;
    }
    case YK_VALUE_PRIMARY:
        return cl->SetKernelArg(k, i, sizeof(void *), &v->u.pointer);
    case YK_VALUE_SVM:
        return cl->SetKernelArgSVMPointer(k, i, v->u.pointer);
    case YK_VALUE_NONE:
        break;
    }
    return CL_INVALID_KERNEL_ARGS;
}
