/* Platform and device entry points: one platform "yoke" with one device, which speaks for the primary (design, section
 * 2). */
#include <stdio.h>
#include <stdlib.h>
#include "shim/api/api.h"

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
    switch (param_name) {
    case CL_PLATFORM_NAME:
        YK_INFO_STR("yoke");
    case CL_PLATFORM_VENDOR:
        YK_INFO_STR("yoke");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        YK_INFO_STR("YOKE");
    default: /* version, profile, extensions, timer resolution: the primary's */
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

/* The largest of a cl_uint over the usable devices. */
static cl_uint largest(cl_device_info what)
{
    cl_uint most = 0, v;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        if (d->usable && d->cl->GetDeviceInfo(d->id, what, sizeof v, &v, NULL) == CL_SUCCESS && v > most)
            most = v;
    }
    return most;
}

static cl_int driver_version(size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    char text[128];
    snprintf(text, sizeof text, "%s+%08llx", YOKE_VERSION, (unsigned long long)(yk_rt.machine->id.lo & 0xffffffff));
    YK_INFO_STR(text);
}

static cl_int device_name(size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    char text[YK_NAME_MAX + 64];
    unsigned n = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        n += yk_rt.machine->device[i].usable;
    /* Programs key their own caches by the name: version and device set are in it. */
    snprintf(text, sizeof text, "yoke %s (%u x, %08llx) %s", YOKE_VERSION, n,
             (unsigned long long)(yk_rt.machine->id.lo & 0xffffffff), yk_rt.primary->name);
    YK_INFO_STR(text);
}

cl_int yk_api_GetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret)
{
    if (device != yk_device())
        return CL_INVALID_DEVICE;
    switch (param_name) {
    case CL_DEVICE_PLATFORM:
        YK_INFO(cl_platform_id, yk_platform());
    case CL_DEVICE_NAME:
        return device_name(param_value_size, param_value, param_value_size_ret);
    case CL_DRIVER_VERSION:
        return driver_version(param_value_size, param_value, param_value_size_ret);
    case CL_DEVICE_TYPE:
        YK_INFO(cl_device_type, yk_rt.device_types | CL_DEVICE_TYPE_DEFAULT);
    case CL_DEVICE_PARENT_DEVICE:
        YK_INFO(cl_device_id, NULL);
    case CL_DEVICE_REFERENCE_COUNT:
        YK_INFO(cl_uint, 1);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        YK_INFO(cl_uint, 1);
    case CL_DEVICE_PARTITION_PROPERTIES:
        YK_INFO(cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        YK_INFO(cl_device_affinity_domain, 0);
    case CL_DEVICE_PARTITION_TYPE:
        YK_INFO(cl_device_partition_property, 0);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        YK_INFO(cl_uint, largest(CL_DEVICE_MEM_BASE_ADDR_ALIGN));
    default:
        return YK_CL_P->GetDeviceInfo(yk_rt.primary->id, param_name, param_value_size, param_value,
                                      param_value_size_ret);
    }
}

cl_int yk_api_CreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    (void)num_devices, (void)out_devices, (void)num_devices_ret;
    if (in_device != yk_device())
        return CL_INVALID_DEVICE;
    /* The device reports no way to be cut: its parts would be parts of several real devices. */
    return properties && properties[0] ? CL_INVALID_VALUE : CL_INVALID_VALUE;
}

cl_int yk_api_CreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties,
                                  cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    (void)properties, (void)num_entries, (void)out_devices, (void)num_devices;
    return in_device == yk_device() ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* A root device is not counted. */
cl_int yk_api_RetainDevice(cl_device_id device)
{
    return device == yk_device() ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int yk_api_ReleaseDevice(cl_device_id device)
{
    return device == yk_device() ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int yk_api_RetainDeviceEXT(cl_device_id device)
{
    return yk_api_RetainDevice(device);
}

cl_int yk_api_ReleaseDeviceEXT(cl_device_id device)
{
    return yk_api_ReleaseDevice(device);
}

cl_int yk_api_GetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp)
{
    if (device != yk_device())
        return CL_INVALID_DEVICE;
    return YK_CL_P->GetDeviceAndHostTimer(yk_rt.primary->id, device_timestamp, host_timestamp);
}

cl_int yk_api_GetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    if (device != yk_device())
        return CL_INVALID_DEVICE;
    return YK_CL_P->GetHostTimer(yk_rt.primary->id, host_timestamp);
}

cl_int yk_api_UnloadCompiler(void)
{
    return CL_SUCCESS; /* a hint, and other devices' builds may be under way */
}

cl_int yk_api_UnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == yk_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

/* Only functions of the core table: a vendor's extension would be handed virtual handles. */
static void *core_function(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } table[] = {
#define YK_CL(ret, n, version, params, args) {"cl" #n, (void *)cl##n},
#include "device/opencl/api.def"
    };
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return table[i].function;
    return NULL;
}

void *yk_api_GetExtensionFunctionAddress(const char *func_name)
{
    return core_function(func_name);
}

void *yk_api_GetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name)
{
    return platform == yk_platform() ? core_function(func_name) : NULL;
}
