/* Memory object entry points that are no commands: creation, reference counts, queries. */
#include "shim/memory/mem.h"
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/memory/svm_range.h"
#include "shim/queue/callback.h"

static cl_mem create_buffer(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
                            void *host_ptr, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    struct yk_mem *m = ctx ? yk_mem_create_buffer(ctx, flags, size, host_ptr, properties, &err) : NULL;
    yk_set_err(errcode_ret, err);
    return (cl_mem)(void *)m;
}

cl_mem yk_api_CreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    return create_buffer(context, NULL, flags, size, host_ptr, errcode_ret);
}

cl_mem yk_api_CreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                         size_t size, void *host_ptr, cl_int *errcode_ret)
{
    return create_buffer(context, properties, flags, size, host_ptr, errcode_ret);
}

cl_mem yk_api_CreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
                              const void *buffer_create_info, cl_int *errcode_ret)
{
    struct yk_mem *parent = yk_buffer_from(buffer), *m = NULL;
    const cl_buffer_region *region = buffer_create_info;
    cl_int err = !parent || parent->parent                                       ? CL_INVALID_MEM_OBJECT
                 : buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION || !region ? CL_INVALID_VALUE
                 : region->size && (region->origin > parent->size || region->size > parent->size - region->origin)
                     ? CL_INVALID_VALUE
                     : CL_SUCCESS;
    if (err == CL_SUCCESS)
        m = yk_mem_create_sub(parent, flags, region->origin, region->size, &err);
    yk_set_err(errcode_ret, err);
    return (cl_mem)(void *)m;
}

cl_int yk_api_RetainMemObject(cl_mem memobj)
{
    struct yk_mem *m = yk_mem_from(memobj);
    if (!m)
        return CL_INVALID_MEM_OBJECT;
    yk_handle_retain(&m->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseMemObject(cl_mem memobj)
{
    struct yk_mem *m = yk_mem_from(memobj);
    if (!m || !yk_handle_owned(&m->h))
        return CL_INVALID_MEM_OBJECT;
    bool told = m->callbacks;
    yk_handle_release(&m->h);
    if (told)
        yk_callback_due();
    return CL_SUCCESS;
}

cl_int yk_api_GetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret)
{
    struct yk_mem *m = yk_mem_from(memobj);
    if (!m)
        return CL_INVALID_MEM_OBJECT;
    switch (param_name) {
    case CL_MEM_TYPE:
        YK_INFO(cl_mem_object_type, m->type);
    case CL_MEM_SIZE:
        if (yk_store_host_only(m->store))
            YK_INFO(size_t, m->size);
        break;
    case CL_MEM_FLAGS:
        YK_INFO(cl_mem_flags, m->flags);
    case CL_MEM_HOST_PTR:
        YK_INFO(void *, m->host_ptr);
    case CL_MEM_MAP_COUNT:
        YK_INFO(cl_uint, __atomic_load_n(&m->map_count, __ATOMIC_RELAXED));
    case CL_MEM_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&m->h));
    case CL_MEM_CONTEXT:
        YK_INFO(cl_context, (cl_context)(void *)m->ctx);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        YK_INFO(cl_mem, (cl_mem)(void *)m->parent);
    case CL_MEM_OFFSET:
        YK_INFO(size_t, m->parent && m->store ? m->origin : 0);
    case CL_MEM_USES_SVM_POINTER:
        if (yk_store_host_only(m->store))
            YK_INFO(cl_bool, m->host_ptr && yk_svm_range_has(m->host_ptr));
        break;
    case CL_MEM_PROPERTIES:
        return yk_answer(m->properties, m->nproperties * sizeof *m->properties, param_value_size, param_value,
                         param_value_size_ret);
    default:
        break;
    }
    return YK_CL_P->GetMemObjectInfo(yk_mem_real(m, YK_P), param_name, param_value_size, param_value,
                                     param_value_size_ret);
}

cl_int yk_api_SetMemObjectDestructorCallback(cl_mem memobj, void (*pfn_notify)(cl_mem memobj, void *user_data),
                                             void *user_data)
{
    struct yk_mem *m = yk_mem_from(memobj);
    if (!m)
        return CL_INVALID_MEM_OBJECT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    struct yk_mem_callback *c = malloc(sizeof *c);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->fn = pfn_notify;
    c->data = user_data;
    c->post = yk_callback_post_last;
    yk_lock_take(&m->lock);
    c->next = m->callbacks;
    m->callbacks = c;
    yk_lock_drop(&m->lock);
    return CL_SUCCESS;
}
