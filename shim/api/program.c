/* Program entry points. */
#include "shim/object/program.h"
#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "shim/api/api.h"
#include "shim/queue/callback.h"

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

static cl_program wrap(struct yk_context *ctx, enum yk_program_origin origin, cl_program real, const char *source,
                       cl_int err, cl_int *errcode_ret)
{
    struct yk_program *p = real ? yk_program_wrap(ctx, origin, real, source) : NULL;
    yk_set_err(errcode_ret, real && !p ? CL_OUT_OF_HOST_MEMORY : err);
    return (cl_program)(void *)p;
}

/* The primary's devices for an app's list (NULL: all of the context); few need no memory. */
struct devices {
    cl_uint n;
    const cl_device_id *id;
    cl_device_id few[4], *more;
};

static void finish_devices(struct devices *d)
{
    free(d->more);
}

/* CL_SUCCESS, or why a device list is wrong; then D needs no finish. */
static cl_int get_devices(const struct yk_context *ctx, cl_uint num_devices, const cl_device_id *list,
                          struct devices *d)
{
    *d = (struct devices){.n = ctx->ndevices, .id = ctx->real_device};
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
            finish_devices(d);
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
    cl_program real = YK_CL_P->CreateProgramWithSource(ctx->real[YK_P], count, strings, lengths, &err);
    cl_program p = wrap(ctx, YK_PROGRAM_SOURCE, real, source, err, errcode_ret);
    free(source);
    return p;
}

static void set_status(cl_int *binary_status, cl_uint n, cl_int err)
{
    for (cl_uint i = 0; binary_status && i < n; i++)
        binary_status[i] = err;
}

/* A binary that yoke gave out: the primary's own, with what lets its launches be split. */
static cl_program from_container(struct yk_context *ctx, const struct yk_container *c, cl_int *binary_status,
                                 cl_int *errcode_ret)
{
    const unsigned char *binary = c->binary;
    cl_int err = CL_SUCCESS;
    cl_program real = YK_CL_P->CreateProgramWithBinary(ctx->real[YK_P], 1, ctx->real_device, &c->binary_size, &binary,
                                                       binary_status, &err);
    cl_program made = wrap(ctx, YK_PROGRAM_BINARY, real, c->source, err, errcode_ret);
    struct yk_program *p = (struct yk_program *)(void *)made;
    if (p && !(p->options = strdup(c->options))) {
        yk_handle_release(&p->h);
        yk_set_err(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    return made;
}

cl_program yk_api_CreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                          const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                          cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct devices devices;
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
        err = get_devices(ctx, num_devices, device_list, &devices);
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
        p = from_container(ctx, &container, binary_status, errcode_ret);
    } else {
        cl_program real = YK_CL_P->CreateProgramWithBinary(ctx->real[YK_P], num_devices, devices.id, lengths, binaries,
                                                           binary_status, &err);
        p = wrap(ctx, YK_PROGRAM_BINARY, real, NULL, err, errcode_ret);
    }
    finish_devices(&devices);
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
    return wrap(ctx, YK_PROGRAM_IL, real, NULL, err, errcode_ret);
}

cl_program yk_api_CreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                  const cl_device_id *device_list, const char *kernel_names,
                                                  cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct devices devices;
    cl_int err = !ctx                                            ? CL_INVALID_CONTEXT
                 : !device_list || !num_devices || !kernel_names ? CL_INVALID_VALUE
                                                                 : get_devices(ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program real =
        YK_CL_P->CreateProgramWithBuiltInKernels(ctx->real[YK_P], devices.n, devices.id, kernel_names, &err);
    finish_devices(&devices);
    cl_program p = wrap(ctx, YK_PROGRAM_BUILTIN, real, NULL, err, errcode_ret);
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

/* The app's notify function, called from yoke's own thread. */
struct notify {
    struct yk_program *p;
    struct devices devices;
    char *options;
    void (*fn)(cl_program, void *);
    void *data;
    bool build; /* else compile or link: nothing is left to do */
};

/* A driver refuses to build a program again while it has kernels. The app's are gone; yoke's own are given back by
 * launches which end a moment after the app has seen their end. Is it worth trying again, after a while that is over
 * then? *TRIES: how often that has been so. */
static bool kernels_may_leave(struct yk_program *p, cl_int err, unsigned *tries)
{
    enum { MOST = 1000, HOLDS = 2 };
    struct yk_build *b = err == CL_INVALID_OPERATION && *tries < MOST ? yk_program_build(p) : NULL;
    if (!b)
        return false;
    bool others = __atomic_load_n(&b->holds, __ATOMIC_ACQUIRE) > HOLDS; /* than P and this function */
    yk_build_drop(b);
    if (!others && *tries) /* they may have gone since ERR */
        return false;
    long us = 20 * (long)++*tries;
    nanosleep(&(struct timespec){0, 1000 * (us < 1000 ? us : 1000)}, NULL);
    return true;
}

static cl_int build_now(struct yk_program *p, const struct devices *d, const char *options)
{
    struct timespec begun;
    clock_gettime(CLOCK_REALTIME_COARSE, &begun);
    struct yk_build *b = yk_program_begin(p, options, &begun);
    if (!b)
        return CL_OUT_OF_HOST_MEMORY;
    uint64_t start = yk_now_ns();
    unsigned tries = 0;
    cl_int err;
    do {
        err = YK_CL_P->BuildProgram(p->real, d->n, d->id, options, NULL, NULL);
    } while (kernels_may_leave(p, err, &tries));
    if (err == CL_SUCCESS)
        yk_program_built(p, b, (double)(yk_now_ns() - start) * 1e-9);
    else
        yk_build_drop(b);
    return err;
}

static void run_notify(void *arg)
{
    struct notify *n = arg;
    if (n->build)
        build_now(n->p, &n->devices, n->options);
    n->fn((cl_program)(void *)n->p, n->data);
    yk_drop(&n->p->h);
    finish_devices(&n->devices);
    free(n->options);
    free(n);
}

/* Call FN on the callback thread; with DEVICES (taken over) after building for them there. */
static cl_int notify_later(struct yk_program *p, struct devices *devices, const char *options,
                           void (*fn)(cl_program, void *), void *data)
{
    struct notify *n = calloc(1, sizeof *n);
    if (n)
        *n = (struct notify){.p = p, .options = options ? strdup(options) : NULL, .fn = fn, .data = data};
    if (!n || (options && !n->options)) {
        if (devices)
            finish_devices(devices);
        free(n);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (devices) {
        n->build = true;
        n->devices = *devices;
        if (devices->id == devices->few)
            n->devices.id = n->devices.few;
    }
    yk_hold(&p->h);
    if (yk_callback_post(run_notify, n))
        return CL_SUCCESS;
    yk_drop(&p->h);
    finish_devices(&n->devices);
    free(n->options);
    free(n);
    return CL_OUT_OF_RESOURCES;
}

cl_int yk_api_BuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                           const char *options, void (*pfn_notify)(cl_program program, void *user_data),
                           void *user_data)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    if (!pfn_notify && user_data)
        return CL_INVALID_VALUE;
    struct devices devices;
    cl_int err = get_devices(p->ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS)
        return err;
    if (__atomic_load_n(&p->kernels, __ATOMIC_RELAXED))
        err = CL_INVALID_OPERATION;
    else if (pfn_notify)
        return notify_later(p, &devices, options, pfn_notify, user_data);
    else
        err = build_now(p, &devices, options);
    finish_devices(&devices);
    return err;
}

/* The primary's programs behind a list of the app's; NULL with *ERR. */
static cl_program *real_programs(cl_uint n, const cl_program *list, cl_int *err)
{
    cl_program *real = malloc(n * sizeof *real);
    if (!real)
        *err = CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; real && i < n; i++) {
        struct yk_program *p = yk_program_from(list[i]);
        if (!p) {
            free(real);
            *err = CL_INVALID_PROGRAM;
            return NULL;
        }
        real[i] = p->real;
    }
    return real;
}

cl_int yk_api_CompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                             const char *options, cl_uint num_input_headers, const cl_program *input_headers,
                             const char **header_include_names, void (*pfn_notify)(cl_program program, void *user_data),
                             void *user_data)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    if ((!pfn_notify && user_data) || !num_input_headers != !input_headers ||
        !num_input_headers != !header_include_names)
        return CL_INVALID_VALUE;
    struct devices devices;
    cl_int err = get_devices(p->ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS)
        return err;
    if (__atomic_load_n(&p->kernels, __ATOMIC_RELAXED))
        err = CL_INVALID_OPERATION;
    cl_program *headers =
        err == CL_SUCCESS && num_input_headers ? real_programs(num_input_headers, input_headers, &err) : NULL;
    unsigned tries = 0;
    if (err == CL_SUCCESS)
        do {
            err = YK_CL_P->CompileProgram(p->real, devices.n, devices.id, options, num_input_headers, headers,
                                          header_include_names, NULL, NULL);
        } while (kernels_may_leave(p, err, &tries));
    free(headers);
    finish_devices(&devices);
    if (pfn_notify && (err == CL_SUCCESS || err == CL_COMPILE_PROGRAM_FAILURE))
        return notify_later(p, NULL, NULL, pfn_notify, user_data);
    return err;
}

cl_program yk_api_LinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                              const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                              void (*pfn_notify)(cl_program program, void *user_data), void *user_data,
                              cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct devices devices;
    cl_int err = !ctx                                                                   ? CL_INVALID_CONTEXT
                 : !num_input_programs || !input_programs || (!pfn_notify && user_data) ? CL_INVALID_VALUE
                                                                                        : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = get_devices(ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program *inputs = real_programs(num_input_programs, input_programs, &err), real = NULL;
    if (inputs)
        real = YK_CL_P->LinkProgram(ctx->real[YK_P], devices.n, devices.id, options, num_input_programs, inputs, NULL,
                                    NULL, &err);
    free(inputs);
    finish_devices(&devices);
    cl_program p = wrap(ctx, YK_PROGRAM_LINKED, real, NULL, err, errcode_ret);
    if (p && err == CL_SUCCESS)
        yk_program_is_built((struct yk_program *)(void *)p, options);
    if (p && pfn_notify)
        notify_later((struct yk_program *)(void *)p, NULL, NULL, pfn_notify, user_data);
    return p;
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
