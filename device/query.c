/* What one device is: asked of its driver once. */
#include "device/machine.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Drivers pad names with blanks, and one counts bytes without the NUL: TEXT has room for it. */
static void tidy(char *text, char *out, size_t n)
{
    char *from = text, *end;
    while (isspace((unsigned char)*from))
        from++;
    end = from + strlen(from);
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    *end = 0;
    snprintf(out, n, "%s", from);
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' '; /* names go into log lines and tables */
}

void yk_device_string(const struct yk_cl *cl, cl_device_id id, cl_device_info what, char *out, size_t n)
{
    size_t size = 0;
    char *text = NULL;
    *out = 0;
    if (cl->GetDeviceInfo(id, what, 0, NULL, &size) == CL_SUCCESS && size < 1u << 20 && (text = calloc(1, size + 1)) &&
        cl->GetDeviceInfo(id, what, size, text, NULL) == CL_SUCCESS)
        tidy(text, out, n);
    free(text);
}

void yk_platform_string(const struct yk_cl *cl, cl_platform_id id, cl_platform_info what, char *out, size_t n)
{
    size_t size = 0;
    char *text = NULL;
    *out = 0;
    if (cl->GetPlatformInfo(id, what, 0, NULL, &size) == CL_SUCCESS && size < 1u << 20 &&
        (text = calloc(1, size + 1)) && cl->GetPlatformInfo(id, what, size, text, NULL) == CL_SUCCESS)
        tidy(text, out, n);
    free(text);
}

struct asker {
    const struct yk_cl *cl;
    cl_device_id id;
};

/* A number of the type that the specification gives WHAT; DFLT where the driver does not answer. */
static uint64_t ask(const struct asker *a, cl_device_info what, size_t size, uint64_t dflt)
{
    union {
        cl_uint u;
        cl_ulong ul;
        size_t s;
    } v = {.ul = 0};
    if (a->cl->GetDeviceInfo(a->id, what, size, &v, NULL) != CL_SUCCESS)
        return dflt;
    return size == sizeof v.u ? v.u : v.ul;
}

static unsigned version_of(const char *text)
{
    unsigned major = 0, minor = 0;
    if (sscanf(text, "OpenCL %u.%u", &major, &minor) != 2 || major > 99 || minor > 9)
        return 0;
    return major * 100 + minor * 10;
}

static void refuse(struct yk_device *d, const char *why)
{
    if (d->usable)
        snprintf(d->why_not, sizeof d->why_not, "%s", why);
    d->usable = false;
}

static void query_limits(const struct asker *a, struct yk_device *d)
{
    enum { B = sizeof(cl_bool), U = sizeof(cl_uint), L = sizeof(cl_ulong), S = sizeof(size_t) };
    size_t item[16] = {0};
    d->compute_units = (uint32_t)ask(a, CL_DEVICE_MAX_COMPUTE_UNITS, U, 1);
    d->address_bits = (uint32_t)ask(a, CL_DEVICE_ADDRESS_BITS, U, 0);
    d->clock_mhz = (uint32_t)ask(a, CL_DEVICE_MAX_CLOCK_FREQUENCY, U, 0);
    d->mem_align_bits = (uint32_t)ask(a, CL_DEVICE_MEM_BASE_ADDR_ALIGN, U, 1024);
    d->little_endian = ask(a, CL_DEVICE_ENDIAN_LITTLE, B, 1);
    d->fp64 = ask(a, CL_DEVICE_DOUBLE_FP_CONFIG, L, 0) != 0;
    d->out_of_order = ask(a, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, L, 0) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    d->images = ask(a, CL_DEVICE_IMAGE_SUPPORT, B, 0);
    d->global_mem = ask(a, CL_DEVICE_GLOBAL_MEM_SIZE, L, 0);
    d->max_alloc = ask(a, CL_DEVICE_MAX_MEM_ALLOC_SIZE, L, 0);
    d->local_mem = ask(a, CL_DEVICE_LOCAL_MEM_SIZE, L, 0);
    d->constant_mem = ask(a, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, L, 0);
    d->max_group = ask(a, CL_DEVICE_MAX_WORK_GROUP_SIZE, S, 0);
    cl_int err = a->cl->GetDeviceInfo(a->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof item, item, NULL);
    memcpy(d->max_item, item, sizeof d->max_item);
    if (!d->max_group || err != CL_SUCCESS)
        refuse(d, "it does not say how large a work-group may be");
    if (!ask(a, CL_DEVICE_AVAILABLE, B, 0))
        refuse(d, "the driver says it is not available");
    if (!ask(a, CL_DEVICE_COMPILER_AVAILABLE, B, 0))
        refuse(d, "the driver has no compiler for it");
    if (d->version < 110)
        refuse(d, "OpenCL before 1.1 has no global offset");
    if (d->type & CL_DEVICE_TYPE_CUSTOM)
        refuse(d, "a custom device runs built-in kernels only");
}

bool yk_device_query(const struct yk_cl *cl, cl_platform_id platform, cl_device_id id, struct yk_device *d)
{
    struct asker a = {cl, id};
    char version[YK_NAME_MAX];
    *d = (struct yk_device){.cl = cl, .platform = platform, .id = id, .usable = true};
    if (cl->GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof d->type, &d->type, NULL) != CL_SUCCESS)
        return false;
    yk_device_string(cl, id, CL_DEVICE_NAME, d->name, sizeof d->name);
    yk_device_string(cl, id, CL_DEVICE_VENDOR, d->vendor, sizeof d->vendor);
    yk_device_string(cl, id, CL_DRIVER_VERSION, d->driver, sizeof d->driver);
    yk_device_string(cl, id, CL_DEVICE_VERSION, version, sizeof version);
    yk_platform_string(cl, platform, CL_PLATFORM_NAME, d->platform_name, sizeof d->platform_name);
    d->version = version_of(version);
    query_limits(&a, d);
    return true;
}
