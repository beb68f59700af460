/* cl_pocl_content_size: how much of a buffer is worth moving, a hint to PoCL about its own moving. */
#include "shim/api/api.h"
#include "shim/api/extensions.h"
#include "shim/memory/mem.h"

typedef cl_int(CL_API_CALL *set_fn)(cl_mem buffer, cl_mem size_buffer);

static cl_int CL_API_CALL set(cl_mem buffer, cl_mem size_buffer)
{
    struct yk_mem *m = yk_buffer_from(buffer), *size = yk_buffer_from(size_buffer);
    if (!m || !size)
        return CL_INVALID_MEM_OBJECT;
    void *p = YK_CL_P->GetExtensionFunctionAddressForPlatform(yk_rt.primary->platform, "clSetContentSizeBufferPoCL");
    set_fn real;
    memcpy(&real, &p, sizeof p);
    if (!real)
        return CL_INVALID_OPERATION;
    yk_driver_depth++;
    cl_int err = real(yk_mem_real(m, YK_P), yk_mem_real(size, YK_P));
    yk_driver_depth--;
    return err;
}

void *yk_content_size_function(const char *name)
{
    bool asked = !strcmp(name, "clSetContentSizeBufferPoCL");
    return asked && YK_CL_P->GetExtensionFunctionAddressForPlatform(yk_rt.primary->platform, name) ? (void *)set : NULL;
}
