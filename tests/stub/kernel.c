/* Kernel objects, their arguments and queries. */
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

/* Locked. */
static cl_kernel make(cl_program p, const char *name, cl_int *rc)
{
    struct stub_signature s;
    const struct stub_function *f = stub_function(name);
    *rc = CL_INVALID_KERNEL_NAME;
    if (!stub_signature(p->source, name, &s) || (!f && p->from_binary)) /* of which bits may have been changed */
        return NULL;
    if (!f)
        stub_die("kernel \"%s\" has no C function in tests/stub/functions.c", name);
    *rc = CL_INVALID_KERNEL_DEFINITION;
    if (s.n < f->args) /* more: the hidden ones of a variant, which the C function can do without */
        return NULL;
    cl_kernel k = stub_make(STUB_KERNEL, sizeof *k, p->o.device);
    *rc = k ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!k)
        return NULL;
    stub_use(p);
    p->kernels++;
    k->program = p;
    k->signature = s;
    k->function = f;
    return k;
}

cl_kernel stub_impl_CreateKernel(cl_program p, const char *name, cl_int *err)
{
    cl_kernel k = NULL;
    cl_int rc = name ? CL_SUCCESS : CL_INVALID_VALUE;
    stub_enter();
    if (!stub_check(p, STUB_PROGRAM))
        rc = CL_INVALID_PROGRAM;
    else if (p->status != CL_BUILD_SUCCESS || p->binary != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        rc = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (rc == CL_SUCCESS)
        k = make(p, name, &rc);
    stub_leave();
    if (err)
        *err = rc;
    return k;
}

cl_int stub_impl_CreateKernelsInProgram(cl_program p, cl_uint n, cl_kernel *out, cl_uint *n_ret)
{
    char names[STUB_ARGS][64];
    cl_int rc = CL_SUCCESS;
    stub_enter();
    if (!stub_check(p, STUB_PROGRAM)) {
        rc = CL_INVALID_PROGRAM;
    } else if (p->status != CL_BUILD_SUCCESS) {
        rc = CL_INVALID_PROGRAM_EXECUTABLE;
    } else {
        unsigned found = stub_kernel_names(p->source, names, STUB_ARGS);
        if (out && n < found)
            rc = CL_INVALID_VALUE;
        unsigned made = 0;
        while (out && made < found && rc == CL_SUCCESS)
            made += (out[made] = make(p, names[made], &rc)) != NULL;
        while (rc != CL_SUCCESS && made) { /* all or none */
            p->kernels--;
            stub_unref(out[--made]);
        }
        if (n_ret && rc == CL_SUCCESS)
            *n_ret = found;
    }
    stub_leave();
    return rc;
}

cl_kernel stub_impl_CloneKernel(cl_kernel k, cl_int *err)
{
    cl_kernel made = NULL;
    cl_int rc = CL_INVALID_KERNEL;
    stub_enter();
    if (stub_check(k, STUB_KERNEL))
        made = make(k->program, k->signature.name, &rc);
    if (made)
        memcpy(made->value, k->value, sizeof k->value);
    stub_leave();
    if (err)
        *err = rc;
    return made;
}

cl_int stub_impl_RetainKernel(cl_kernel k)
{
    return stub_retain(k, STUB_KERNEL, CL_INVALID_KERNEL);
}

cl_int stub_impl_ReleaseKernel(cl_kernel k)
{
    stub_enter();
    if (k && stub_check(k, STUB_KERNEL) && k->o.refs == 1)
        k->program->kernels--;
    stub_leave();
    return stub_release(k, STUB_KERNEL, CL_INVALID_KERNEL);
}

cl_int stub_impl_SetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    cl_int rc = CL_INVALID_KERNEL;
    stub_enter();
    if (stub_check(k, STUB_KERNEL)) {
        const struct stub_param *p = &k->signature.param[index < STUB_ARGS ? index : 0];
        struct stub_value v = {.set = true, .size = size};
        rc = CL_SUCCESS;
        if (index >= k->signature.n) {
            rc = CL_INVALID_ARG_INDEX;
        } else if (p->kind == STUB_ARG_LOCAL) {
            rc = value ? CL_INVALID_ARG_VALUE : !size ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
        } else if (p->kind == STUB_ARG_VALUE) {
            if (!value)
                rc = CL_INVALID_ARG_VALUE;
            else if (!size || size > sizeof v.bytes || (p->size && size != p->size))
                rc = CL_INVALID_ARG_SIZE;
            else
                memcpy(v.bytes, value, size);
        } else {
            if (size != sizeof(cl_mem))
                rc = CL_INVALID_ARG_SIZE;
            else if (value)
                memcpy(&v.mem, value, sizeof v.mem);
            if (rc == CL_SUCCESS && v.mem)
                stub_check(v.mem, STUB_MEM);
        }
        if (rc == CL_SUCCESS)
            k->value[index] = v;
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_GetKernelInfo(cl_kernel k, cl_kernel_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int rc = CL_INVALID_KERNEL;
    stub_enter();
    if (stub_check(k, STUB_KERNEL)) {
        switch (name) {
        case CL_KERNEL_FUNCTION_NAME:
            rc = stub_answer(k->signature.name, strlen(k->signature.name) + 1, size, value, size_ret);
            break;
        case CL_KERNEL_NUM_ARGS:
            rc = stub_answer(&k->signature.n, sizeof k->signature.n, size, value, size_ret);
            break;
        case CL_KERNEL_REFERENCE_COUNT:
            rc = stub_answer(&k->o.refs, sizeof k->o.refs, size, value, size_ret);
            break;
        case CL_KERNEL_CONTEXT:
            rc = stub_answer(&k->program->context, sizeof(cl_context), size, value, size_ret);
            break;
        case CL_KERNEL_PROGRAM:
            rc = stub_answer(&k->program, sizeof k->program, size, value, size_ret);
            break;
        case CL_KERNEL_ATTRIBUTES:
            rc = stub_answer("", 1, size, value, size_ret);
            break;
        default:
            rc = CL_INVALID_VALUE;
        }
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_GetKernelArgInfo(cl_kernel k, cl_uint index, cl_kernel_arg_info name, size_t size, void *value,
                                  size_t *size_ret)
{
    static const cl_kernel_arg_address_qualifier where[] = {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                            CL_KERNEL_ARG_ADDRESS_CONSTANT,
                                                            CL_KERNEL_ARG_ADDRESS_LOCAL};
    const cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    const cl_kernel_arg_type_qualifier no = CL_KERNEL_ARG_TYPE_NONE;
    cl_int rc = CL_INVALID_KERNEL;
    stub_enter();
    if (stub_check(k, STUB_KERNEL)) {
        const struct stub_param *p = &k->signature.param[index < STUB_ARGS ? index : 0];
        if (index >= k->signature.n)
            rc = CL_INVALID_ARG_INDEX;
        else if (name == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
            rc = stub_answer(&where[p->kind], sizeof *where, size, value, size_ret);
        else if (name == CL_KERNEL_ARG_ACCESS_QUALIFIER)
            rc = stub_answer(&access, sizeof access, size, value, size_ret);
        else if (name == CL_KERNEL_ARG_TYPE_NAME)
            rc = stub_answer(p->type, strlen(p->type) + 1, size, value, size_ret);
        else if (name == CL_KERNEL_ARG_TYPE_QUALIFIER)
            rc = stub_answer(&no, sizeof no, size, value, size_ret);
        else if (name == CL_KERNEL_ARG_NAME)
            rc = stub_answer(p->name, strlen(p->name) + 1, size, value, size_ret);
        else
            rc = CL_INVALID_VALUE;
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_GetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info name, size_t size,
                                        void *value, size_t *size_ret)
{
    const size_t max = 1024, multiple = 8, required[3] = {0, 0, 0};
    cl_ulong local = 0;
    const cl_ulong no = 0;
    cl_int rc = CL_INVALID_KERNEL;
    stub_enter();
    if (stub_check(k, STUB_KERNEL)) {
        cl_context c = k->program->context;
        unsigned i = 0;
        while (d && i < c->n && c->device[i] != d)
            i++;
        for (unsigned a = 0; a < k->signature.n; a++)
            local += k->signature.param[a].kind == STUB_ARG_LOCAL && k->value[a].set ? k->value[a].size : 0;
        if (i == c->n || (!d && c->n > 1))
            rc = CL_INVALID_DEVICE;
        else if (name == CL_KERNEL_WORK_GROUP_SIZE)
            rc = stub_answer(&max, sizeof max, size, value, size_ret);
        else if (name == CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
            rc = stub_answer(required, sizeof required, size, value, size_ret);
        else if (name == CL_KERNEL_LOCAL_MEM_SIZE)
            rc = stub_answer(&local, sizeof local, size, value, size_ret);
        else if (name == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
            rc = stub_answer(&multiple, sizeof multiple, size, value, size_ret);
        else if (name == CL_KERNEL_PRIVATE_MEM_SIZE)
            rc = stub_answer(&no, sizeof no, size, value, size_ret);
        else
            rc = CL_INVALID_VALUE;
    }
    stub_leave();
    return rc;
}
