/* Device entry points: the one virtual device, which speaks for the primary (design, section 2), and its sub-devices,
 * which are the primary's. */
#include <stdio.h>
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/api/extensions.h"
#include "shim/core/subdevice.h"
#include "shim/memory/room.h"

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

static cl_int extensions(cl_device_id real, cl_device_info param_name, size_t param_value_size, void *param_value,
                         size_t *param_value_size_ret)
{
    size_t n = 0;
    cl_int err = YK_CL_P->GetDeviceInfo(real, param_name, 0, NULL, &n);
    if (err != CL_SUCCESS)
        return err;
    char *list = malloc(n + 1);
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    err = YK_CL_P->GetDeviceInfo(real, param_name, n, list, NULL);
    if (err == CL_SUCCESS) {
        n = yk_extensions_filter(param_name == CL_DEVICE_EXTENSIONS, list, n);
        err = yk_answer(list, n, param_value_size, param_value, param_value_size_ret);
    }
    free(list);
    return err;
}

/* What only the root device answers by itself. False: as for any device. */
static bool root_info(cl_device_info param_name, size_t param_value_size, void *param_value,
                      size_t *param_value_size_ret, cl_int *err)
{
    const cl_device_partition_property not_cut = 0;
    cl_uint align, one = 1;
    cl_ulong memory;
    const void *answer;
    size_t n;
    switch (param_name) {
    case CL_DEVICE_TYPE: /* of several programs take the first that they look for: pyopencl code for CPUs, on a GPU */
        answer = &yk_rt.device_type, n = sizeof yk_rt.device_type;
        break;
    case CL_DEVICE_REFERENCE_COUNT:
        answer = &one, n = sizeof one;
        break;
    case CL_DEVICE_PARTITION_TYPE: /* though the primary may itself be a part of a device */
        answer = &not_cut;
        n = YK_CL_P->GetDeviceInfo(yk_rt.primary->id, param_name, 0, NULL, &n) == CL_SUCCESS && !n ? 0 : sizeof not_cut;
        break;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        align = largest(param_name);
        answer = &align, n = sizeof align;
        break;
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        if (!(memory = yk_room_told()))
            return false;
        answer = &memory, n = sizeof memory;
        break;
    default:
        return false;
    }
    *err = yk_answer(answer, n, param_value_size, param_value, param_value_size_ret);
    return true;
}

cl_int yk_api_GetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret)
{
    cl_device_id real = yk_device_real(device);
    struct yk_subdevice *sub = yk_subdevice_from(device);
    cl_int err;
    if (!real)
        return CL_INVALID_DEVICE;
    if (!sub && root_info(param_name, param_value_size, param_value, param_value_size_ret, &err))
        return err;
    switch (param_name) {
    case CL_DEVICE_PLATFORM:
        YK_INFO(cl_platform_id, yk_platform());
    case CL_DEVICE_NAME:
        if (!yk_rt.options.as_primary)
            return device_name(param_value_size, param_value, param_value_size_ret);
        break;
    case CL_DRIVER_VERSION:
        return driver_version(param_value_size, param_value, param_value_size_ret);
    case CL_DEVICE_PARENT_DEVICE:
        YK_INFO(cl_device_id, !sub ? NULL : sub->parent ? (cl_device_id)(void *)sub->parent : yk_device());
    case CL_DEVICE_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&sub->h));
    case CL_DEVICE_EXTENSIONS:
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return extensions(real, param_name, param_value_size, param_value, param_value_size_ret);
    }
    return YK_CL_P->GetDeviceInfo(real, param_name, param_value_size, param_value, param_value_size_ret);
}

static bool can_be_cut(cl_device_id real)
{
    cl_device_partition_property ways[16] = {0};
    size_t n = 0;
    return YK_CL_P->GetDeviceInfo(real, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &n) == CL_SUCCESS && n &&
           ways[0];
}

cl_int yk_api_CreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    cl_device_id real = yk_device_real(in_device);
    if (!real)
        return CL_INVALID_DEVICE;
    cl_uint n = 0;
    if (!properties || !can_be_cut(real))
        return CL_INVALID_VALUE;
    cl_int err = YK_CL_P->CreateSubDevices(real, properties, num_devices, out_devices, &n);
    if (err != CL_SUCCESS)
        return err;
    for (cl_uint i = 0; out_devices && i < n; i++) {
        struct yk_subdevice *s = yk_subdevice_wrap(yk_subdevice_from(in_device), out_devices[i]);
        out_devices[i] = (cl_device_id)(void *)s;
        if (s)
            continue;
        for (cl_uint k = 0; k < n; k++)
            if (k < i)
                yk_handle_release((struct yk_handle *)(void *)out_devices[k]);
            else if (k > i)
                YK_CL_P->ReleaseDevice(out_devices[k]);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (num_devices_ret)
        *num_devices_ret = n;
    return CL_SUCCESS;
}

cl_int yk_api_CreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties,
                                  cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    (void)properties, (void)num_entries, (void)out_devices, (void)num_devices;
    /* cl_ext_device_fission is not advertised: clCreateSubDevices does the same. */
    return yk_device_real(in_device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* A root device is not counted. */
cl_int yk_api_RetainDevice(cl_device_id device)
{
    struct yk_subdevice *s = yk_subdevice_from(device);
    if (s)
        yk_handle_retain(&s->h);
    return s || device == yk_device() ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int yk_api_ReleaseDevice(cl_device_id device)
{
    struct yk_subdevice *s = yk_subdevice_from(device);
    bool counted = s && yk_handle_owned(&s->h);
    if (counted)
        yk_handle_release(&s->h);
    return counted || device == yk_device() ? CL_SUCCESS : CL_INVALID_DEVICE;
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
    cl_device_id real = yk_device_real(device);
    return real ? YK_CL_P->GetDeviceAndHostTimer(real, device_timestamp, host_timestamp) : CL_INVALID_DEVICE;
}

cl_int yk_api_GetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    cl_device_id real = yk_device_real(device);
    return real ? YK_CL_P->GetHostTimer(real, host_timestamp) : CL_INVALID_DEVICE;
}
