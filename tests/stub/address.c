/* Extension functions: the stub has none beyond its own entry points. */
#include <string.h>
#include "tests/stub/stub.h"

void *stub_impl_GetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    (void)platform;
#define YK_CL(ret, entry, version, params, args)                                                                       \
    if (name && !strcmp(name, "cl" #entry))                                                                            \
        return (void *)cl##entry;
#include "device/opencl/api.def"
    return NULL;
}

void *stub_impl_GetExtensionFunctionAddress(const char *name)
{
    return stub_impl_GetExtensionFunctionAddressForPlatform(NULL, name);
}
