/* Platform entry points: one platform "yoke" with one device (design, section 2). */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/api/command_buffer.h"
#include "shim/api/extensions.h"

cl_int yk_api_GetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && !num_entries))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = yk_platform();
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int yk_api_GetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret)
{
    /* NULL: implementation-defined; loaders pass it for the first platform. */
    if (platform && platform != yk_platform())
        return CL_INVALID_PLATFORM;
    switch (yk_rt.options.platform_as_primary ? 0 : param_name) { /* some programs know drivers by these names */
    case CL_PLATFORM_NAME:
        YK_INFO_STR("yoke");
    case CL_PLATFORM_VENDOR:
        YK_INFO_STR("yoke");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        YK_INFO_STR("YOKE");
    }
    switch (param_name) {
    case CL_PLATFORM_EXTENSIONS:
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
        size_t n = 0;
        cl_int err = YK_CL_P->GetPlatformInfo(yk_rt.primary->platform, param_name, 0, NULL, &n);
        char *list = err == CL_SUCCESS ? malloc(n + 1) : NULL;
        if (err != CL_SUCCESS)
            return err;
        if (!list)
            return CL_OUT_OF_HOST_MEMORY;
        err = YK_CL_P->GetPlatformInfo(yk_rt.primary->platform, param_name, n, list, NULL);
        if (err == CL_SUCCESS) {
            n = yk_extensions_filter(param_name == CL_PLATFORM_EXTENSIONS, list, n);
            err = yk_answer(list, n, param_value_size, param_value, param_value_size_ret);
        }
        free(list);
        return err;
    }
    default: /* version, profile, timer resolution: the primary's */
        return YK_CL_P->GetPlatformInfo(yk_rt.primary->platform, param_name, param_value_size, param_value,
                                        param_value_size_ret);
    }
}

cl_int yk_api_GetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                           cl_device_id *devices, cl_uint *num_devices)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (platform && platform != yk_platform())
        return CL_INVALID_PLATFORM;
    if ((!devices && !num_devices) || (devices && !num_entries))
        return CL_INVALID_VALUE;
    if (device_type != CL_DEVICE_TYPE_ALL && (!device_type || (device_type & ~known)))
        return CL_INVALID_DEVICE_TYPE;
    bool found = device_type == CL_DEVICE_TYPE_ALL || (device_type & (yk_rt.device_types | CL_DEVICE_TYPE_DEFAULT));
    if (num_devices)
        *num_devices = found;
    if (!found)
        return CL_DEVICE_NOT_FOUND;
    if (devices)
        devices[0] = yk_device();
    return CL_SUCCESS;
}

cl_int yk_api_UnloadCompiler(void)
{
    return CL_SUCCESS; /* a hint, and other devices' builds may be under way */
}

cl_int yk_api_UnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == yk_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

/* Functions of the core table, and those of extensions that are the same under another name. What a driver alone has
 * would be handed virtual handles. */
static void *own_function(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } table[] = {
#define YK_CL(ret, n, version, params, args) {"cl" #n, (void *)cl##n},
#include "device/opencl/api.def"
        {"clIcdGetPlatformIDsKHR", (void *)clGetPlatformIDs},
        {"clCreateCommandQueueWithPropertiesKHR", (void *)clCreateCommandQueueWithProperties},
        {"clCreateProgramWithILKHR", (void *)clCreateProgramWithIL},
    };
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return table[i].function;
    void *function = name ? yk_command_buffer_function(name) : NULL;
    function = name && !function ? yk_content_size_function(name) : function;
    return name && !function ? yk_suggested_size_function(name) : function;
}

void *yk_api_GetExtensionFunctionAddress(const char *func_name)
{
    return own_function(func_name);
}

void *yk_api_GetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name)
{
    return platform == yk_platform() ? own_function(func_name) : NULL;
}
