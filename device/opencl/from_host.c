#include "device/opencl/from_host.h"
#include <stdint.h>

static const struct yk_cl *under;
static struct yk_cl table;
static void (*call)(const void *ptr, size_t len); /* atomic */

static inline void ask(const void *ptr, size_t len)
{
    void (*before)(const void *, size_t) = __atomic_load_n(&call, __ATOMIC_ACQUIRE);
    if (before)
        before(ptr, len);
}

/* Of these the ones that are in the table are used. */
#define YK_CL(ret, name, version, params, args)                                                                        \
    __attribute__((unused)) static ret asking_##name params                                                            \
    {                                                                                                                  \
        ask(NULL, 0);                                                                                                  \
        return under->name args;                                                                                       \
    }
#include "device/opencl/api.def"

static size_t kept(cl_mem_flags flags, const void *ptr, size_t len)
{
    return ptr && flags & CL_MEM_USE_HOST_PTR ? len : 0;
}

static cl_mem CL_API_CALL keeping_CreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *ptr,
                                               cl_int *err)
{
    ask(ptr, kept(flags, ptr, size));
    return under->CreateBuffer(context, flags, size, ptr, err);
}

static cl_mem CL_API_CALL keeping_CreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size, void *ptr, cl_int *err)
{
    ask(ptr, kept(flags, ptr, size));
    return under->CreateBufferWithProperties(context, properties, flags, size, ptr, err);
}

static cl_mem CL_API_CALL keeping_CreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *ptr, cl_int *err)
{
    ask(NULL, kept(flags, ptr, SIZE_MAX));
    return under->CreateImage(context, flags, format, desc, ptr, err);
}

static cl_mem CL_API_CALL keeping_CreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *ptr, cl_int *err)
{
    ask(NULL, kept(flags, ptr, SIZE_MAX));
    return under->CreateImageWithProperties(context, properties, flags, format, desc, ptr, err);
}

static cl_mem CL_API_CALL keeping_CreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t pitch, void *ptr, cl_int *err)
{
    ask(NULL, kept(flags, ptr, SIZE_MAX));
    return under->CreateImage2D(context, flags, format, width, height, pitch, ptr, err);
}

static cl_mem CL_API_CALL keeping_CreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t row, size_t slice,
                                                void *ptr, cl_int *err)
{
    ask(NULL, kept(flags, ptr, SIZE_MAX));
    return under->CreateImage3D(context, flags, format, width, height, depth, row, slice, ptr, err);
}

const struct yk_cl *yk_cl_from_host(const struct yk_cl *below)
{
    if (under)
        return below == under ? &table : below;
    under = below;
    table = *below;
    table.CreateBuffer = keeping_CreateBuffer;
    table.CreateBufferWithProperties = keeping_CreateBufferWithProperties;
    table.CreateImage = keeping_CreateImage;
    table.CreateImageWithProperties = keeping_CreateImageWithProperties;
    table.CreateImage2D = keeping_CreateImage2D;
    table.CreateImage3D = keeping_CreateImage3D;
    table.EnqueueReadBuffer = asking_EnqueueReadBuffer;
    table.EnqueueWriteBuffer = asking_EnqueueWriteBuffer;
    table.EnqueueReadBufferRect = asking_EnqueueReadBufferRect;
    table.EnqueueWriteBufferRect = asking_EnqueueWriteBufferRect;
    table.EnqueueReadImage = asking_EnqueueReadImage;
    table.EnqueueWriteImage = asking_EnqueueWriteImage;
    table.EnqueueSVMMemcpy = asking_EnqueueSVMMemcpy;
    return &table;
}

const struct yk_cl *yk_cl_under_from_host(const struct yk_cl *t)
{
    return t == &table ? under : t;
}

void yk_from_host_call(void (*before)(const void *ptr, size_t len))
{
    __atomic_store_n(&call, before, __ATOMIC_RELEASE);
}
