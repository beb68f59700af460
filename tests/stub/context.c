/* Contexts and command-queues. */
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

static void *fail(cl_int *err, cl_int code)
{
    if (err)
        *err = code;
    return NULL;
}

cl_context stub_impl_CreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                                   void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *err)
{
    if (!n || !devices || n > STUB_DEVICES || (user && !notify))
        return fail(err, CL_INVALID_VALUE);
    size_t pairs = 0;
    for (const cl_context_properties *p = properties; p && *p; p += 2, pairs++) {
        if (pairs == 3 || (*p != CL_CONTEXT_PLATFORM && *p != CL_CONTEXT_INTEROP_USER_SYNC))
            return fail(err, CL_INVALID_PROPERTY);
        if (*p == CL_CONTEXT_PLATFORM && !p[1])
            return fail(err, CL_INVALID_PLATFORM);
    }
    for (cl_uint i = 0; i < n; i++)
        if (!stub_check(devices[i], STUB_DEVICE))
            return fail(err, CL_INVALID_DEVICE);
    stub_enter();
    cl_context c = stub_make(STUB_CONTEXT, sizeof *c, devices[0]->o.device);
    if (c) {
        c->n = n;
        memcpy(c->device, devices, n * sizeof *devices);
        if (properties) {
            c->n_properties = 2 * pairs + 1;
            memcpy(c->properties, properties, c->n_properties * sizeof *properties);
        }
    }
    stub_leave();
    fail(err, c ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return c;
}

cl_context stub_impl_CreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                           void (*notify)(const char *, const void *, size_t, void *), void *user,
                                           cl_int *err)
{
    cl_platform_id p = stub_platforms ? &stub_platform[0] : NULL;
    for (const cl_context_properties *at = properties; at && *at; at += 2)
        if (*at == CL_CONTEXT_PLATFORM)
            p = (cl_platform_id)at[1]; /* checked below */
    cl_device_id devices[STUB_DEVICES];
    cl_uint n = 0;
    cl_int rc = stub_impl_GetDeviceIDs(p, type, STUB_DEVICES, devices, &n);
    return rc == CL_SUCCESS ? stub_impl_CreateContext(properties, n, devices, notify, user, err) : fail(err, rc);
}

cl_int stub_impl_RetainContext(cl_context c)
{
    return stub_retain(c, STUB_CONTEXT, CL_INVALID_CONTEXT);
}

cl_int stub_impl_ReleaseContext(cl_context c)
{
    return stub_release(c, STUB_CONTEXT, CL_INVALID_CONTEXT);
}

cl_int stub_impl_GetContextInfo(cl_context c, cl_context_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int rc = CL_INVALID_CONTEXT;
    stub_enter();
    if (stub_check(c, STUB_CONTEXT)) {
        switch (name) {
        case CL_CONTEXT_REFERENCE_COUNT:
            rc = stub_answer(&c->o.refs, sizeof c->o.refs, size, value, size_ret);
            break;
        case CL_CONTEXT_NUM_DEVICES:
            rc = stub_answer(&c->n, sizeof c->n, size, value, size_ret);
            break;
        case CL_CONTEXT_DEVICES:
            rc = stub_answer(c->device, c->n * sizeof *c->device, size, value, size_ret);
            break;
        case CL_CONTEXT_PROPERTIES:
            rc = stub_answer(c->properties, c->n_properties * sizeof *c->properties, size, value, size_ret);
            break;
        default:
            rc = CL_INVALID_VALUE;
        }
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_SetContextDestructorCallback(cl_context c, void (*fn)(cl_context, void *), void *user)
{
    struct stub_destructor *d = malloc(sizeof *d);
    cl_int rc = !d ? CL_OUT_OF_HOST_MEMORY : !fn ? CL_INVALID_VALUE : CL_INVALID_CONTEXT;
    stub_enter();
    if (d && fn && stub_check(c, STUB_CONTEXT)) {
        *d = (struct stub_destructor){(void (*)(void *, void *))fn, user, c->destructors};
        c->destructors = d;
        d = NULL;
        rc = CL_SUCCESS;
    }
    stub_leave();
    free(d);
    return rc;
}

static cl_command_queue make_queue(cl_context c, cl_device_id d, cl_command_queue_properties properties,
                                   const cl_queue_properties *array, size_t n, cl_int *err)
{
    const cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    cl_int rc = CL_SUCCESS;
    cl_command_queue q = NULL;
    stub_join_ended(false);
    stub_enter();
    if (!stub_check(c, STUB_CONTEXT)) {
        rc = CL_INVALID_CONTEXT;
    } else {
        unsigned i = 0;
        while (i < c->n && c->device[i] != d)
            i++;
        if (i == c->n)
            rc = CL_INVALID_DEVICE;
        else if (properties & ~known)
            rc = properties & ~(cl_command_queue_properties)15 ? CL_INVALID_VALUE : CL_INVALID_QUEUE_PROPERTIES;
        else if (!(q = stub_make(STUB_QUEUE, sizeof *q, d->o.device)))
            rc = CL_OUT_OF_HOST_MEMORY;
    }
    if (q) {
        stub_use(c);
        q->context = c;
        q->device = d;
        q->properties = properties;
        q->flushed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        q->n_array = n;
        if (n)
            memcpy(q->array, array, n * sizeof *array);
    }
    stub_leave();
    fail(err, rc);
    return q;
}

cl_command_queue stub_impl_CreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *err)
{
    return make_queue(c, d, p, NULL, 0, err);
}

cl_command_queue stub_impl_CreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_queue_properties *p,
                                                            cl_int *err)
{
    cl_command_queue_properties bits = 0;
    size_t n = 0;
    for (; p && p[n]; n += 2) {
        if (p[n] != CL_QUEUE_PROPERTIES || n >= 6)
            return fail(err, p[n] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE);
        bits = p[n + 1];
    }
    return make_queue(c, d, bits, p, p ? n + 1 : 0, err);
}

cl_int stub_impl_RetainCommandQueue(cl_command_queue q)
{
    return stub_retain(q, STUB_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

cl_int stub_impl_ReleaseCommandQueue(cl_command_queue q)
{
    return stub_release(q, STUB_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

cl_int stub_impl_GetCommandQueueInfo(cl_command_queue q, cl_command_queue_info name, size_t size, void *value,
                                     size_t *size_ret)
{
    cl_int rc = CL_INVALID_COMMAND_QUEUE;
    stub_enter();
    if (stub_check(q, STUB_QUEUE)) {
        switch (name) {
        case CL_QUEUE_CONTEXT:
            rc = stub_answer(&q->context, sizeof q->context, size, value, size_ret);
            break;
        case CL_QUEUE_DEVICE:
            rc = stub_answer(&q->device, sizeof q->device, size, value, size_ret);
            break;
        case CL_QUEUE_REFERENCE_COUNT:
            rc = stub_answer(&q->o.refs, sizeof q->o.refs, size, value, size_ret);
            break;
        case CL_QUEUE_PROPERTIES:
            rc = stub_answer(&q->properties, sizeof q->properties, size, value, size_ret);
            break;
        case CL_QUEUE_PROPERTIES_ARRAY:
            rc = stub_answer(q->array, q->n_array * sizeof *q->array, size, value, size_ret);
            break;
        case CL_QUEUE_SIZE:
            rc = CL_INVALID_COMMAND_QUEUE;
            break;
        default:
            rc = CL_INVALID_VALUE;
        }
    }
    stub_leave();
    return rc;
}
