/* Programs: source is kept as text; a build looks for #error and finds its kernels. A "binary" is the source behind a
 * mark. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

#define MARK "STUB\n"

static cl_program make(cl_context c, char *source, cl_int *err)
{
    cl_program p = NULL;
    cl_int rc = CL_SUCCESS;
    stub_enter();
    if (!stub_check(c, STUB_CONTEXT))
        rc = CL_INVALID_CONTEXT;
    else if (!source || !(p = stub_make(STUB_PROGRAM, sizeof *p, c->o.device)))
        rc = CL_OUT_OF_HOST_MEMORY;
    if (p) {
        stub_use(c);
        p->context = c;
        p->source = source;
        p->status = CL_BUILD_NONE;
        source = NULL;
    }
    stub_leave();
    free(source);
    if (err)
        *err = rc;
    return p;
}

static void *fail(cl_int *err, cl_int code)
{
    if (err)
        *err = code;
    return NULL;
}

cl_program stub_impl_CreateProgramWithSource(cl_context c, cl_uint n, const char **text, const size_t *length,
                                             cl_int *err)
{
    size_t size = 1;
    if (!n || !text)
        return fail(err, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < n; i++) {
        if (!text[i])
            return fail(err, CL_INVALID_VALUE);
        size += length && length[i] ? length[i] : strlen(text[i]);
    }
    char *source = calloc(1, size);
    for (size_t i = 0, used = 0; source && i < n; i++) {
        size_t m = length && length[i] ? length[i] : strlen(text[i]);
        memcpy(source + used, text[i], m);
        used += m;
    }
    return make(c, source, err);
}

cl_program stub_impl_CreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *devices, const size_t *length,
                                             const unsigned char **binary, cl_int *status, cl_int *err)
{
    const size_t mark = strlen(MARK);
    if (!n || !devices || !length || !binary)
        return fail(err, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < n; i++) {
        bool ok = binary[i] && length[i] > mark && !memcmp(binary[i], MARK, mark);
        if (status)
            status[i] = ok ? CL_SUCCESS : CL_INVALID_BINARY;
        if (!binary[i] || !length[i])
            return fail(err, CL_INVALID_VALUE);
        if (!ok)
            return fail(err, CL_INVALID_BINARY);
    }
    cl_program p = make(c, strndup((const char *)binary[0] + mark, length[0] - mark), err);
    if (p) {
        p->binary = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        p->from_binary = true;
    }
    return p;
}

cl_int stub_impl_RetainProgram(cl_program p)
{
    return stub_retain(p, STUB_PROGRAM, CL_INVALID_PROGRAM);
}

cl_int stub_impl_ReleaseProgram(cl_program p)
{
    return stub_release(p, STUB_PROGRAM, CL_INVALID_PROGRAM);
}

static cl_int build(cl_program p, cl_uint n, const cl_device_id *devices, const char *options, bool compile)
{
    if (!n != !devices)
        return CL_INVALID_VALUE;
    cl_int rc = CL_SUCCESS;
    stub_enter();
    if (!stub_check(p, STUB_PROGRAM)) {
        rc = CL_INVALID_PROGRAM;
    } else if (p->kernels) {
        rc = CL_INVALID_OPERATION;
    } else {
        for (cl_uint i = 0; i < n && rc == CL_SUCCESS; i++) {
            unsigned d = 0;
            while (d < p->context->n && p->context->device[d] != devices[i])
                d++;
            rc = d < p->context->n ? CL_SUCCESS : CL_INVALID_DEVICE;
        }
        if (options && strspn(options, " ") < strlen(options) && options[strspn(options, " ")] != '-')
            rc = compile ? CL_INVALID_COMPILER_OPTIONS : CL_INVALID_BUILD_OPTIONS;
    }
    if (rc == CL_SUCCESS) {
        const char *error = strstr(p->source, "#error");
        char log[160] = "";
        if (error)
            snprintf(log, sizeof log, "stub: %.*s", (int)strcspn(error, "\n"), error);
        free(p->options);
        free(p->log);
        p->options = strdup(options ? options : "");
        p->log = strdup(log);
        p->status = error ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
        p->binary = error     ? CL_PROGRAM_BINARY_TYPE_NONE
                    : compile ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
                              : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        rc = !p->options || !p->log ? CL_OUT_OF_HOST_MEMORY
             : !error               ? CL_SUCCESS
             : compile              ? CL_COMPILE_PROGRAM_FAILURE
                                    : CL_BUILD_PROGRAM_FAILURE;
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_BuildProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                              void (*notify)(cl_program, void *), void *user)
{
    if (!notify && user)
        return CL_INVALID_VALUE;
    cl_int rc = build(p, n, devices, options, false);
    if (notify && (rc == CL_SUCCESS || rc == CL_BUILD_PROGRAM_FAILURE)) {
        notify(p, user); /* on this thread, inside the call: drivers do that */
        rc = CL_SUCCESS;
    }
    return rc;
}

cl_int stub_impl_CompileProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                                cl_uint n_headers, const cl_program *headers, const char **names,
                                void (*notify)(cl_program, void *), void *user)
{
    if ((!notify && user) || !n_headers != !headers || !n_headers != !names)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n_headers; i++) {
        stub_enter();
        bool ok = stub_check(headers[i], STUB_PROGRAM);
        stub_leave();
        if (!ok)
            return CL_INVALID_PROGRAM;
    }
    cl_int rc = build(p, n, devices, options, true);
    if (notify && (rc == CL_SUCCESS || rc == CL_COMPILE_PROGRAM_FAILURE)) {
        notify(p, user);
        rc = CL_SUCCESS;
    }
    return rc;
}

cl_program stub_impl_LinkProgram(cl_context c, cl_uint n, const cl_device_id *devices, const char *options,
                                 cl_uint n_in, const cl_program *in, void (*notify)(cl_program, void *), void *user,
                                 cl_int *err)
{
    if (!n_in || !in || n_in > 64 || !n != !devices || (!notify && user))
        return fail(err, CL_INVALID_VALUE);
    const char *text[64];
    for (cl_uint i = 0; i < n_in; i++) {
        stub_enter();
        cl_int rc = !stub_check(in[i], STUB_PROGRAM)    ? CL_INVALID_PROGRAM
                    : in[i]->status != CL_BUILD_SUCCESS ? CL_INVALID_OPERATION
                                                        : CL_SUCCESS;
        stub_leave();
        if (rc != CL_SUCCESS)
            return fail(err, rc);
        text[i] = in[i]->source;
    }
    cl_program p = stub_impl_CreateProgramWithSource(c, n_in, text, NULL, err);
    if (!p)
        return NULL;
    cl_int rc = build(p, n, devices, options, false);
    if (rc == CL_INVALID_BUILD_OPTIONS) { /* as NVIDIA's */
        stub_impl_ReleaseProgram(p);
        if (notify)
            notify(NULL, user);
        return fail(err, CL_INVALID_LINKER_OPTIONS);
    }
    if (notify)
        notify(p, user);
    fail(err, rc == CL_BUILD_PROGRAM_FAILURE ? CL_LINK_PROGRAM_FAILURE : rc);
    return p;
}

cl_int stub_impl_UnloadPlatformCompiler(cl_platform_id p)
{
    return p && stub_check(p, STUB_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int stub_impl_UnloadCompiler(void)
{
    return CL_SUCCESS;
}

static cl_int binaries(cl_program p, size_t room, unsigned char **to, size_t *size_ret)
{
    cl_int rc = stub_answer(NULL, 0, 0, NULL, NULL);
    if (to && room < p->context->n * sizeof *to)
        return CL_INVALID_VALUE;
    for (unsigned i = 0; to && i < p->context->n; i++) {
        if (!to[i])
            continue;
        memcpy(to[i], MARK, strlen(MARK));
        memcpy(to[i] + strlen(MARK), p->source, strlen(p->source));
    }
    if (size_ret)
        *size_ret = p->context->n * sizeof *to;
    return rc;
}

cl_int stub_impl_GetProgramInfo(cl_program p, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int rc = CL_INVALID_PROGRAM;
    char names[STUB_ARGS][64], list[STUB_ARGS * 64] = "";
    size_t sizes[STUB_DEVICES], n = 0;
    const cl_bool no = CL_FALSE;
    stub_enter();
    if (!stub_check(p, STUB_PROGRAM)) {
        stub_leave();
        return rc;
    }
    if (name == CL_PROGRAM_NUM_KERNELS || name == CL_PROGRAM_KERNEL_NAMES) {
        n = stub_kernel_names(p->source, names, STUB_ARGS);
        for (unsigned i = 0; i < n; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ";" : "", names[i]);
    }
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        rc = stub_answer(&p->o.refs, sizeof p->o.refs, size, value, size_ret);
        break;
    case CL_PROGRAM_CONTEXT:
        rc = stub_answer(&p->context, sizeof p->context, size, value, size_ret);
        break;
    case CL_PROGRAM_NUM_DEVICES:
        rc = stub_answer(&p->context->n, sizeof p->context->n, size, value, size_ret);
        break;
    case CL_PROGRAM_DEVICES:
        rc = stub_answer(p->context->device, p->context->n * sizeof(cl_device_id), size, value, size_ret);
        break;
    case CL_PROGRAM_SOURCE:
        rc = stub_answer(p->source, strlen(p->source) + 1, size, value, size_ret);
        break;
    case CL_PROGRAM_BINARY_SIZES:
        for (unsigned i = 0; i < p->context->n; i++)
            sizes[i] = p->status == CL_BUILD_SUCCESS ? strlen(MARK) + strlen(p->source) : 0;
        rc = stub_answer(sizes, p->context->n * sizeof *sizes, size, value, size_ret);
        break;
    case CL_PROGRAM_BINARIES:
        rc = binaries(p, size, value, size_ret);
        break;
    case CL_PROGRAM_NUM_KERNELS:
        rc = p->status == CL_BUILD_SUCCESS ? stub_answer(&n, sizeof n, size, value, size_ret)
                                           : CL_INVALID_PROGRAM_EXECUTABLE;
        break;
    case CL_PROGRAM_KERNEL_NAMES:
        rc = p->status == CL_BUILD_SUCCESS ? stub_answer(list, strlen(list) + 1, size, value, size_ret)
                                           : CL_INVALID_PROGRAM_EXECUTABLE;
        break;
    case CL_PROGRAM_IL:
        rc = stub_answer(NULL, 0, size, value, size_ret);
        break;
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        rc = stub_answer(&no, sizeof no, size, value, size_ret);
        break;
    default:
        rc = CL_INVALID_VALUE;
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_GetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info name, size_t size, void *value,
                                     size_t *size_ret)
{
    const size_t none = 0;
    cl_int rc = CL_INVALID_PROGRAM;
    stub_enter();
    if (stub_check(p, STUB_PROGRAM)) {
        const char *options = p->options ? p->options : "", *log = p->log ? p->log : "";
        unsigned i = 0;
        while (i < p->context->n && p->context->device[i] != d)
            i++;
        if (i == p->context->n)
            rc = CL_INVALID_DEVICE;
        else if (name == CL_PROGRAM_BUILD_STATUS)
            rc = stub_answer(&p->status, sizeof p->status, size, value, size_ret);
        else if (name == CL_PROGRAM_BUILD_OPTIONS)
            rc = stub_answer(options, strlen(options) + 1, size, value, size_ret);
        else if (name == CL_PROGRAM_BUILD_LOG)
            rc = stub_answer(log, strlen(log) + 1, size, value, size_ret);
        else if (name == CL_PROGRAM_BINARY_TYPE)
            rc = stub_answer(&p->binary, sizeof p->binary, size, value, size_ret);
        else if (name == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
            rc = stub_answer(&none, sizeof none, size, value, size_ret);
        else
            rc = CL_INVALID_VALUE;
    }
    stub_leave();
    return rc;
}
