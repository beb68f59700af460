/* Entry points that build, compile and link programs. */
#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "shim/api/api.h"
#include "shim/api/program.h"
#include "shim/api/program_notice.h"
#include "shim/object/part.h"

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

/* The devices to build P for, or why it may not be built; then D needs no finish. */
static cl_int begin(const struct yk_program *p, cl_uint num_devices, const cl_device_id *list,
                    struct yk_program_devices *d)
{
    cl_int err = yk_program_devices_get(p->ctx, num_devices, list, d);
    if (err == CL_SUCCESS && __atomic_load_n(&p->kernels, __ATOMIC_RELAXED)) {
        yk_program_devices_finish(d);
        err = CL_INVALID_OPERATION;
    }
    return err;
}

static cl_int build(struct yk_program *p, const struct yk_program_devices *d, const char *options,
                    void (*fn)(cl_program, void *), void *data)
{
    struct timespec begun;
    clock_gettime(CLOCK_REALTIME_COARSE, &begun);
    struct yk_build *b = yk_program_begin(p, options, &begun);
    if (!b)
        return CL_OUT_OF_HOST_MEMORY;
    struct yk_notice *notice = fn ? yk_notice_make(p->ctx, b, fn, data) : NULL;
    if (fn && !notice)
        return CL_OUT_OF_HOST_MEMORY;
    uint64_t start = yk_now_ns();
    unsigned tries = 0;
    cl_int err;
    do {
        if (notice)
            yk_notice_again(notice);
        err = YK_CL_P->BuildProgram(p->real, d->n, d->id, options, notice ? yk_notice_called : NULL, notice);
    } while (kernels_may_leave(p, err, &tries));
    if (notice)
        return yk_notice_returned(notice, p, err);
    if (err == CL_SUCCESS)
        yk_program_built(p, b, (double)(yk_now_ns() - start) * 1e-9);
    else
        yk_build_drop(b);
    return err;
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
    struct yk_program_devices devices;
    cl_int err = begin(p, num_devices, device_list, &devices);
    if (err != CL_SUCCESS)
        return err;
    err = build(p, &devices, options, pfn_notify, user_data);
    yk_program_devices_finish(&devices);
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
    struct yk_program_devices devices;
    cl_int err = begin(p, num_devices, device_list, &devices);
    if (err != CL_SUCCESS)
        return err;
    cl_program *headers = num_input_headers ? real_programs(num_input_headers, input_headers, &err) : NULL;
    struct yk_notice *notice =
        err == CL_SUCCESS && pfn_notify ? yk_notice_make(p->ctx, NULL, pfn_notify, user_data) : NULL;
    if (err == CL_SUCCESS && pfn_notify && !notice)
        err = CL_OUT_OF_HOST_MEMORY;
    struct yk_part *part = err == CL_SUCCESS ? yk_part_compiled(p, options, num_input_headers, input_headers,
                                                                (const char *const *)header_include_names)
                                             : NULL;
    unsigned tries = 0;
    if (err == CL_SUCCESS)
        do {
            if (notice)
                yk_notice_again(notice);
            err = YK_CL_P->CompileProgram(p->real, devices.n, devices.id, options, num_input_headers, headers,
                                          header_include_names, notice ? yk_notice_called : NULL, notice);
        } while (kernels_may_leave(p, err, &tries));
    free(headers);
    yk_program_devices_finish(&devices);
    if (err != CL_SUCCESS) {
        yk_part_drop(part);
        part = NULL;
    }
    if (p->origin == YK_PROGRAM_SOURCE)
        yk_part_set(p, part);
    return notice ? yk_notice_returned(notice, p, err) : err;
}

/* What does linking with OPTIONS make? */
enum linked { EXECUTABLE, LIBRARY, OTHERWISE };

static enum linked linked_as(const char *options)
{
    const char *rest = options ? options : "";
    enum linked as = EXECUTABLE;
    for (size_t n; as != OTHERWISE && *(rest += strspn(rest, " \t")); rest += n) {
        n = strcspn(rest, " \t");
        as = n == strlen("-create-library") && !strncmp(rest, "-create-library", n) ? LIBRARY : OTHERWISE;
    }
    return as;
}

/* P has been linked so, to what PART says, which it takes over; NULL: nobody knows. */
static void remember(struct yk_program *p, enum linked as, struct yk_part *part)
{
    const char *source = part && part->plain ? part->plain : part ? part->text : NULL;
    if (as == EXECUTABLE && part && (p->source = strdup(source)) && !(p->options = strdup(part->options))) {
        free(p->source);
        p->source = NULL;
    }
    yk_part_set(p, part);
}

cl_program yk_api_LinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                              const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                              void (*pfn_notify)(cl_program program, void *user_data), void *user_data,
                              cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct yk_program_devices devices;
    cl_int err = !ctx                                                                   ? CL_INVALID_CONTEXT
                 : !num_input_programs || !input_programs || (!pfn_notify && user_data) ? CL_INVALID_VALUE
                                                                                        : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = yk_program_devices_get(ctx, num_devices, device_list, &devices);
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program *inputs = real_programs(num_input_programs, input_programs, &err), real = NULL;
    enum linked as = linked_as(options);
    struct yk_part *part = inputs && as != OTHERWISE ? yk_part_linked(num_input_programs, input_programs) : NULL;
    struct yk_notice *notice = inputs && pfn_notify ? yk_notice_make(ctx, NULL, pfn_notify, user_data) : NULL;
    if (inputs && pfn_notify && !notice)
        err = CL_OUT_OF_HOST_MEMORY;
    else if (inputs)
        real = YK_CL_P->LinkProgram(ctx->real[YK_P], devices.n, devices.id, options, num_input_programs, inputs,
                                    notice ? yk_notice_called : NULL, notice, &err);
    free(inputs);
    yk_program_devices_finish(&devices);
    cl_program made = yk_program_made(ctx, YK_PROGRAM_LINKED, real, NULL, err, errcode_ret);
    struct yk_program *p = yk_program_from(made);
    if (p && err == CL_SUCCESS) {
        remember(p, as, part);
        yk_program_is_built(p, options);
    } else {
        yk_part_drop(part);
    }
    if (notice)
        yk_notice_returned(notice, p, err);
    return made;
}
