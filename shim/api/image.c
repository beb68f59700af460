/* Images, samplers and pipes, which the primary has; of some images and samplers other devices have copies (image.h).
 * Commands on images: enqueue_image.c. */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/memory/mem.h"
#include "shim/core/sampler.h"

/* HOST: what the program's host may not do with it, of which the driver knows nothing. */
static cl_mem wrap(struct yk_context *ctx, cl_mem real, cl_mem_flags host, void *host_ptr, struct yk_mem *parent,
                   cl_int err, cl_int *errcode_ret)
{
    struct yk_mem *m = NULL;
    if (real) {
        cl_mem_object_type type = 0;
        cl_mem_flags flags = 0;
        const cl_mem_flags pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
        YK_CL_P->GetMemObjectInfo(real, CL_MEM_TYPE, sizeof type, &type, NULL);
        YK_CL_P->GetMemObjectInfo(real, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
        if (parent) /* the buffer below may be over memory of yoke's, not the program's */
            flags = (flags & ~pointer_flags) | (parent->flags & pointer_flags);
        if (host & YK_MEM_HOST_ACCESS && !yk_store_driver_flags(host))
            flags = 0; /* the driver's default for none at all */
        flags |= host & YK_MEM_HOST_ACCESS;
        m = yk_mem_wrap(ctx, type, flags, flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL, parent, real);
        if (!m)
            err = CL_OUT_OF_HOST_MEMORY;
        else if (!parent && type != CL_MEM_OBJECT_PIPE)
            m->image = yk_image_describe(real, type, flags);
    }
    yk_set_err(errcode_ret, err);
    return (cl_mem)(void *)m;
}

static cl_mem create_image(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                           const cl_image_format *image_format, const cl_image_desc *image_desc, void *host_ptr,
                           cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_SUCCESS;
    if (!ctx) {
        yk_set_err(errcode_ret, CL_INVALID_CONTEXT);
        return NULL;
    }
    struct yk_mem *parent = NULL;
    cl_image_desc desc;
    if (image_desc) {
        desc = *image_desc;
        if (desc.mem_object) {
            parent = yk_mem_from(desc.mem_object);
            if (!parent) {
                yk_set_err(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
                return NULL;
            }
            if (yk_store_host_only(parent->store)) {
                yk_set_err(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
                return NULL;
            }
            if (!yk_mem_host_agrees(parent->flags, flags)) {
                yk_set_err(errcode_ret, CL_INVALID_VALUE);
                return NULL;
            }
            if (!(flags & YK_MEM_HOST_ACCESS)) /* inherited */
                flags |= parent->flags & YK_MEM_HOST_ACCESS;
            desc.mem_object = yk_mem_real(parent, YK_P);
            /* Only the primary has the image, and launches over it run there; which of the buffer's bytes they write is
             * not known (yk_mem_bytes): from now on only the primary has it. */
            if (parent->store)
                yk_store_pin(parent->store);
        }
    }
    cl_mem_flags seen = yk_store_driver_flags(flags);
    cl_mem real =
        properties && properties[0]
            ? YK_CL_P->CreateImageWithProperties(ctx->real[YK_P], properties, seen, image_format,
                                                 image_desc ? &desc : NULL, host_ptr, &err)
            : YK_CL_P->CreateImage(ctx->real[YK_P], seen, image_format, image_desc ? &desc : NULL, host_ptr, &err);
    cl_mem image = wrap(ctx, real, flags, host_ptr, parent, err, errcode_ret);
    if (image && !yk_mem_keep_properties((struct yk_mem *)(void *)image, properties)) {
        yk_handle_release((struct yk_handle *)(void *)image);
        yk_set_err(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    if (image && properties && properties[0]) { /* perhaps over memory of another API */
        free(((struct yk_mem *)(void *)image)->image);
        ((struct yk_mem *)(void *)image)->image = NULL;
    }
    return image;
}

cl_mem yk_api_CreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return create_image(context, NULL, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem yk_api_CreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                        const cl_image_format *image_format, const cl_image_desc *image_desc,
                                        void *host_ptr, cl_int *errcode_ret)
{
    return create_image(context, properties, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem yk_api_CreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_mem real = ctx ? YK_CL_P->CreateImage2D(ctx->real[YK_P], yk_store_driver_flags(flags), image_format, image_width,
                                               image_height, image_row_pitch, host_ptr, &err)
                      : NULL;
    return wrap(ctx, real, flags, host_ptr, NULL, err, errcode_ret);
}

cl_mem yk_api_CreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                            size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_mem real =
        ctx ? YK_CL_P->CreateImage3D(ctx->real[YK_P], yk_store_driver_flags(flags), image_format, image_width,
                                     image_height, image_depth, image_row_pitch, image_slice_pitch, host_ptr, &err)
            : NULL;
    return wrap(ctx, real, flags, host_ptr, NULL, err, errcode_ret);
}

cl_mem yk_api_CreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                         const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_mem real =
        ctx ? YK_CL_P->CreatePipe(ctx->real[YK_P], flags, pipe_packet_size, pipe_max_packets, properties, &err) : NULL;
    return wrap(ctx, real, 0, NULL, NULL, err, errcode_ret);
}

cl_int yk_api_GetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    struct yk_mem *m = yk_mem_from(pipe);
    return m && m->type == CL_MEM_OBJECT_PIPE ? YK_CL_P->GetPipeInfo(yk_mem_real(m, YK_P), param_name, param_value_size,
                                                                     param_value, param_value_size_ret)
                                              : CL_INVALID_MEM_OBJECT;
}

cl_int yk_api_GetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats)
{
    struct yk_context *ctx = yk_context_from(context);
    return ctx ? YK_CL_P->GetSupportedImageFormats(ctx->real[YK_P], flags, image_type, num_entries, image_formats,
                                                   num_image_formats)
               : CL_INVALID_CONTEXT;
}

cl_int yk_api_GetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    struct yk_mem *m = yk_mem_from(image);
    if (!m || !yk_mem_is_image(m))
        return CL_INVALID_MEM_OBJECT;
    if (param_name == CL_IMAGE_BUFFER)
        YK_INFO(cl_mem, m->parent && m->parent->store ? (cl_mem)(void *)m->parent : NULL);
    return YK_CL_P->GetImageInfo(yk_mem_real(m, YK_P), param_name, param_value_size, param_value, param_value_size_ret);
}

/* Has the LIST, which ends with 0, only what a sampler of OpenCL 1.2 has? */
static bool is_plain(const cl_sampler_properties *list)
{
    for (; list && *list; list += 2)
        if (*list != CL_SAMPLER_NORMALIZED_COORDS && *list != CL_SAMPLER_ADDRESSING_MODE &&
            *list != CL_SAMPLER_FILTER_MODE)
            return false;
    return true;
}

static cl_sampler wrap_sampler(struct yk_context *ctx, cl_sampler real, bool plain, cl_int err, cl_int *errcode_ret)
{
    struct yk_sampler *s = real ? yk_sampler_wrap(ctx, real, plain) : NULL;
    yk_set_err(errcode_ret, real && !s ? CL_OUT_OF_HOST_MEMORY : err);
    return (cl_sampler)(void *)s;
}

cl_sampler yk_api_CreateSampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
                                cl_filter_mode filter_mode, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_sampler real =
        ctx ? YK_CL_P->CreateSampler(ctx->real[YK_P], normalized_coords, addressing_mode, filter_mode, &err) : NULL;
    return wrap_sampler(ctx, real, true, err, errcode_ret);
}

cl_sampler yk_api_CreateSamplerWithProperties(cl_context context, const cl_sampler_properties *sampler_properties,
                                              cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_sampler real = ctx ? YK_CL_P->CreateSamplerWithProperties(ctx->real[YK_P], sampler_properties, &err) : NULL;
    return wrap_sampler(ctx, real, is_plain(sampler_properties), err, errcode_ret);
}

cl_int yk_api_RetainSampler(cl_sampler sampler)
{
    struct yk_sampler *s = yk_sampler_from(sampler);
    if (!s)
        return CL_INVALID_SAMPLER;
    yk_handle_retain(&s->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseSampler(cl_sampler sampler)
{
    struct yk_sampler *s = yk_sampler_from(sampler);
    if (!s || !yk_handle_owned(&s->h))
        return CL_INVALID_SAMPLER;
    yk_handle_release(&s->h);
    return CL_SUCCESS;
}

cl_int yk_api_GetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    struct yk_sampler *s = yk_sampler_from(sampler);
    if (!s)
        return CL_INVALID_SAMPLER;
    if (param_name == CL_SAMPLER_REFERENCE_COUNT)
        YK_INFO(cl_uint, yk_handle_refs(&s->h));
    if (param_name == CL_SAMPLER_CONTEXT)
        YK_INFO(cl_context, (cl_context)(void *)s->ctx);
    return YK_CL_P->GetSamplerInfo(s->real, param_name, param_value_size, param_value, param_value_size_ret);
}
