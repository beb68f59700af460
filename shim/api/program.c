/* Entry points that make and hold programs; program_build.c builds them. */
#include "shim/api/program.h"
#include <stdlib.h>
#include "shim/api/api.h"

/* The strings of clCreateProgramWithSource as one. NULL: no memory. */
static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
    size_t n = 1;
    for (cl_uint i = 0; i < count; i++)
        n += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    char *all = malloc(n), *p = all;
    for (cl_uint i = 0; all && i < count; i++) {
        size_t k = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(p, strings[i], k);
        p += k;
    }
    if (all)
        *p = 0;
    return all;
}

/* pyopencl ends its sources in a constant of a new name each time, where it does not know the platform, "to defeat
 * implementation caches": a driver's compiler would be at work for each (PySPH on PoCL: 28 s and 8 more of first
 * launches, for what bare, where pyopencl knows the platform, is cached). Binaries of cached programs are as good with
 * the drivers that yoke knows. The bytes of SOURCE before that constant; all of them where there is none. */
static size_t without_new_name(const char *source)
{
    static const char head[] = "\n\n__constant int pyopencl_defeat_cache_", end[] = " = 0;";
    const size_t digits = 32, tail = sizeof head - 1 + digits + sizeof end - 1, n = strlen(source);
    const char *at = n > tail ? source + n - tail : "";
    return strncmp(at, head, sizeof head - 1) == 0 && strspn(at + sizeof head - 1, "0123456789abcdef") == digits &&
                   strcmp(at + sizeof head - 1 + digits, end) == 0
               ? n - tail
               : n;
}

cl_program yk_program_made(struct yk_context *ctx, enum yk_program_origin origin, cl_program real, const char *source,
                           cl_int err, cl_int *errcode_ret)
{
    struct yk_program *p = real ? yk_program_wrap(ctx, origin, real, source) : NULL;
    yk_set_err(errcode_ret, real && !p ? CL_OUT_OF_HOST_MEMORY : err);
    return (cl_program)(void *)p;
}

void yk_program_devices_finish(struct yk_program_devices *d)
{
    free(d->more);
}

cl_int yk_program_devices_get(const struct yk_context *ctx, cl_uint num_devices, const cl_device_id *list,
                              struct yk_program_devices *d)
{
    *d = (struct yk_program_devices){.n = ctx->ndevices, .id = ctx->real_device};
    if ((list == NULL) != (num_devices == 0))
        return CL_INVALID_VALUE;
    if (!list)
        return CL_SUCCESS;
    cl_device_id *to = d->few;
    if (num_devices > sizeof d->few / sizeof *d->few)
        to = d->more = malloc(num_devices * sizeof *to);
    if (!to)
        return CL_OUT_OF_HOST_MEMORY;
    d->id = to;
    d->n = num_devices;
    for (cl_uint i = 0; i < num_devices; i++)
        if (!(to[i] = yk_context_device(ctx, list[i]))) {
            yk_program_devices_finish(d);
            return CL_INVALID_DEVICE;
        }
    return CL_SUCCESS;
}

cl_program yk_api_CreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                          const size_t *lengths, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = !ctx ? CL_INVALID_CONTEXT : !count || !strings ? CL_INVALID_VALUE : CL_SUCCESS;
    for (cl_uint i = 0; err == CL_SUCCESS && i < count; i++)
        if (!strings[i])
            err = CL_INVALID_VALUE;
    char *source = err == CL_SUCCESS ? join(count, strings, lengths) : NULL;
    if (err == CL_SUCCESS && !source)
        err = CL_OUT_OF_HOST_MEMORY;
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    const size_t kept = without_new_name(source);
    char *asked = source[kept] ? strdup(source) : NULL;
    const char *less = source;
    if (asked)
        source[kept] = 0;
    cl_program real = asked ? YK_CL_P->CreateProgramWithSource(ctx->real[YK_P], 1, &less, NULL, &err)
                            : YK_CL_P->CreateProgramWithSource(ctx->real[YK_P], count, strings, lengths, &err);
    cl_program p = yk_program_made(ctx, YK_PROGRAM_SOURCE, real, source, err, errcode_ret);
    if (p)
        ((struct yk_program *)(void *)p)->asked = asked;
    else
        free(asked);
    free(source);
    return p;
}

static void set_status(cl_int *binary_status, cl_uint n, cl_int err)
{
    for (cl_uint i = 0; binary_status && i < n; i++)
        binary_status[i] = err;
}

/* A binary that yoke gave out: the primary's own, with what lets its launches be split. */
static cl_program from_container(struct yk_context *ctx, const struct yk_container *c, struct yk_hash hash,
                                 cl_int *binary_status, cl_int *errcode_ret)
{
    const unsigned char *binary = c->binary;
    cl_int err = CL_SUCCESS;
    cl_program real = YK_CL_P->CreateProgramWithBinary(ctx->real[YK_P], 1, ctx->real_device, &c->binary_size, &binary,
                                                       binary_status, &err);
    cl_program made = yk_program_made(ctx, YK_PROGRAM_BINARY, real, c->source, err, errcode_ret);
    struct yk_program *p = (struct yk_program *)(void *)made;
    if (p && !(p->options = strdup(c->options))) {
        yk_handle_release(&p->h);
        yk_set_err(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    if (p)
        p->binary = hash;
    return made;
}

cl_program yk_api_CreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                          const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                          cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct yk_program_devices devices;
    cl_int err = !ctx                                                    ? CL_INVALID_CONTEXT
                 : !device_list || !num_devices || !lengths || !binaries ? CL_INVALID_VALUE
                                                                         : CL_SUCCESS;
    for (cl_uint i = 0; err == CL_SUCCESS && i < num_devices; i++)
        if (!lengths[i] || !binaries[i]) {
            set_status(binary_status, num_devices, CL_SUCCESS);
            if (binary_status)
                binary_status[i] = CL_INVALID_VALUE;
            err = CL_INVALID_VALUE;
        }
    if (err == CL_SUCCESS)
        err = yk_program_devices_get(ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    struct yk_container container;
    cl_program p;
    enum yk_container_is is =
        num_devices == 1 ? yk_container_read(binaries[0], lengths[0], &container) : YK_CONTAINER_NONE;
    if (is == YK_CONTAINER_BAD || (is == YK_CONTAINER_GOOD && ctx->whole)) {
        set_status(binary_status, num_devices, CL_INVALID_BINARY);
        yk_set_err(errcode_ret, CL_INVALID_BINARY);
        p = NULL;
    } else if (is == YK_CONTAINER_GOOD) {
        p = from_container(ctx, &container, yk_hash_bytes((struct yk_hash){0, 0}, binaries[0], lengths[0]),
                           binary_status, errcode_ret);
    } else {
        cl_program real = YK_CL_P->CreateProgramWithBinary(ctx->real[YK_P], num_devices, devices.id, lengths, binaries,
                                                           binary_status, &err);
        p = yk_program_made(ctx, YK_PROGRAM_BINARY, real, NULL, err, errcode_ret);
    }
    yk_program_devices_finish(&devices);
    return p;
}

cl_program yk_api_CreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx) {
        yk_set_err(errcode_ret, CL_INVALID_CONTEXT);
        return NULL;
    }
    cl_int err = CL_SUCCESS;
    cl_program real = YK_CL_P->CreateProgramWithIL(ctx->real[YK_P], il, length, &err);
    return yk_program_made(ctx, YK_PROGRAM_IL, real, NULL, err, errcode_ret);
}

cl_program yk_api_CreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                  const cl_device_id *device_list, const char *kernel_names,
                                                  cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct yk_program_devices devices;
    cl_int err = !ctx ? CL_INVALID_CONTEXT
                 : !device_list || !num_devices || !kernel_names
                     ? CL_INVALID_VALUE
                     : yk_program_devices_get(ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program real =
        YK_CL_P->CreateProgramWithBuiltInKernels(ctx->real[YK_P], devices.n, devices.id, kernel_names, &err);
    yk_program_devices_finish(&devices);
    cl_program p = yk_program_made(ctx, YK_PROGRAM_BUILTIN, real, NULL, err, errcode_ret);
    if (p && yk_program_is_built((struct yk_program *)(void *)p, NULL) != CL_SUCCESS) {
        yk_handle_release((struct yk_handle *)(void *)p);
        yk_set_err(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    return p;
}

cl_int yk_api_RetainProgram(cl_program program)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    yk_handle_retain(&p->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseProgram(cl_program program)
{
    struct yk_program *p = yk_program_from(program);
    if (!p || !yk_handle_owned(&p->h))
        return CL_INVALID_PROGRAM;
    yk_handle_release(&p->h);
    return CL_SUCCESS;
}

cl_int yk_api_SetProgramReleaseCallback(cl_program program, void (*pfn_notify)(cl_program program, void *user_data),
                                        void *user_data)
{
    (void)user_data;
    if (!yk_program_from(program))
        return CL_INVALID_PROGRAM;
    /* Deprecated and optional: for destructors of program-scope objects, which no device here has. */
    return pfn_notify ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
}

cl_int yk_api_SetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                               const void *spec_value)
{
    struct yk_program *p = yk_program_from(program);
    return p ? YK_CL_P->SetProgramSpecializationConstant(p->real, spec_id, spec_size, spec_value) : CL_INVALID_PROGRAM;
}
