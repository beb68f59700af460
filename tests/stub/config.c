/* Platforms and devices, from YOKE_STUB_DEVICES: devices by comma, platforms by bar, each
 * TYPE[:BYTES][:host|:separate][:odd][:late][:pocl or :nvidia], as "cpu,gpu:64M|gpu". Default: one cpu. A cpu's memory
 * is the host's unless it says otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "tests/stub/room.h"
#include "tests/stub/stub.h"

struct _cl_platform_id stub_platform[STUB_DEVICES];
struct _cl_device_id stub_device[STUB_DEVICES];
unsigned stub_platforms, stub_devices;
struct yk_fault_script stub_script;
struct yk_fault_state stub_state[STUB_DEVICES + 1];

static void add_device(char *text)
{
    if (stub_devices == STUB_DEVICES)
        stub_die("more than %d devices", STUB_DEVICES);
    struct _cl_device_id *d = &stub_device[stub_devices];
    char *part = strsep(&text, ":");
    *d = (struct _cl_device_id){.o = {.kind = STUB_DEVICE, .device = stub_devices},
                                .platform = &stub_platform[stub_platforms - 1],
                                .memory = 1u << 30};
    d->o.dispatch = d->platform->o.dispatch;
    if (!strcmp(part, "cpu"))
        d->type = CL_DEVICE_TYPE_CPU, d->host = true;
    else if (!strcmp(part, "gpu"))
        d->type = CL_DEVICE_TYPE_GPU;
    else if (!strcmp(part, "accelerator"))
        d->type = CL_DEVICE_TYPE_ACCELERATOR;
    else
        stub_die("YOKE_STUB_DEVICES: no such type \"%s\"", part);
    while ((part = strsep(&text, ":"))) {
        if (!strcmp(part, "host"))
            d->host = true;
        else if (!strcmp(part, "separate"))
            d->host = false;
        else if (!strcmp(part, "odd"))
            d->odd = true;
        else if (!strcmp(part, "late"))
            d->late = true;
        else if (!strcmp(part, "pocl"))
            d->platform->pocl = true;
        else if (!strcmp(part, "nvidia"))
            d->platform->nvidia = true;
        else if (yk_parse_bytes(part, &d->memory) != YK_OK)
            stub_die("YOKE_STUB_DEVICES: host, separate, odd, late, pocl, nvidia or bytes, not \"%s\"", part);
    }
    d->platform->n++;
    stub_devices++;
}

void stub_configure(void)
{
    char text[1024], err[256];
    stub_configure_table(yk_env_str("YOKE_STUB_ICD", ""));
    if (snprintf(text, sizeof text, "%s", yk_env_str("YOKE_STUB_DEVICES", "cpu")) >= (int)sizeof text)
        stub_die("YOKE_STUB_DEVICES is too long");
    /* "none": a loader without platforms. */
    for (char *all = text, *platform; strcmp(text, "none") && (platform = strsep(&all, "|"));) {
        if (stub_platforms == STUB_DEVICES)
            stub_die("more than %d platforms", STUB_DEVICES);
        struct _cl_platform_id *p = &stub_platform[stub_platforms];
        *p = (struct _cl_platform_id){.o = {.dispatch = stub_table(), .kind = STUB_PLATFORM, .device = STUB_DEVICES},
                                      .number = stub_platforms,
                                      .first = stub_devices};
        stub_platforms++;
        for (char *device; (device = strsep(&platform, ","));)
            if (*device)
                add_device(device);
    }
    if (yk_fault_parse(getenv("YOKE_STUB_FAULT"), &stub_script, err, sizeof err) != YK_OK)
        stub_die("YOKE_STUB_FAULT: %s", err);
    for (unsigned d = 0; d <= STUB_DEVICES; d++)
        yk_fault_start(&stub_state[d], &stub_script, d);
}

unsigned stub_fired(void)
{
    unsigned n = 0;
    for (unsigned d = 0; d <= STUB_DEVICES; d++)
        n += atomic_load(&stub_state[d].fired);
    return n;
}

cl_int stub_impl_GetPlatformIDs(cl_uint n, cl_platform_id *out, cl_uint *n_ret)
{
    if ((out && !n) || (!out && !n_ret))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; out && i < n && i < stub_platforms; i++)
        out[i] = &stub_platform[i];
    if (n_ret)
        *n_ret = stub_platforms;
    return stub_platforms ? CL_SUCCESS : -1001;
}

static cl_int text_answer(const char *s, size_t room, void *to, size_t *size_ret)
{
    return stub_answer(s, strlen(s) + 1, room, to, size_ret);
}

cl_int stub_impl_GetPlatformInfo(cl_platform_id p, cl_platform_info name, size_t size, void *value, size_t *size_ret)
{
    char text[64];
    cl_ulong resolution = 1;
    if (!p)
        return CL_INVALID_PLATFORM;
    stub_check(p, STUB_PLATFORM);
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return text_answer("FULL_PROFILE", size, value, size_ret);
    case CL_PLATFORM_VERSION:
        return text_answer("OpenCL 3.0 stub", size, value, size_ret);
    case CL_PLATFORM_NAME:
        if (p->pocl) /* by its name alone */
            return text_answer("Portable Computing Language", size, value, size_ret);
        if (p->nvidia)
            return text_answer("NVIDIA CUDA", size, value, size_ret);
        snprintf(text, sizeof text, "stub platform %u", p->number);
        return text_answer(text, size, value, size_ret);
    case CL_PLATFORM_VENDOR:
        return text_answer("yoke tests", size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS:
        return text_answer(stub_icd() ? "cl_khr_icd" : "cl_khr_global_int32_base_atomics", size, value, size_ret);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return stub_answer(&resolution, sizeof resolution, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static void __attribute__((constructor)) make_room(void)
{
    stub_make_room();
}

cl_int stub_impl_GetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *out, cl_uint *n_ret)
{
    if (!p)
        return CL_INVALID_PLATFORM;
    stub_check(p, STUB_PLATFORM);
    if ((out && !n) || (!out && !n_ret))
        return CL_INVALID_VALUE;
    char asked[STUB_VARIABLE_NAME];
    stub_variable(p->number, asked);
    const char *is = getenv(asked);
    if (!is || !*is)
        setenv(asked, "1", 1);
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known)))
        return CL_INVALID_DEVICE_TYPE;
    cl_uint found = 0;
    for (unsigned i = p->first; i < p->first + p->n; i++) {
        bool is_default = (type & CL_DEVICE_TYPE_DEFAULT) && i == p->first;
        if (type != CL_DEVICE_TYPE_ALL && !(stub_device[i].type & type) && !is_default)
            continue;
        if (out && found < n)
            out[found] = &stub_device[i];
        found++;
    }
    if (n_ret)
        *n_ret = found;
    return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}
