/* What tests over the stub start from: the stub behind yk_cl_real, one context and one queue per device. */
#ifndef YK_TESTS_STUB_RIG_H
#define YK_TESTS_STUB_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "device/opencl/cl.h"

enum { RIG_DEVICES = 4 };

struct rig {
    const struct yk_cl *cl;
    cl_uint n;
    cl_device_id device[RIG_DEVICES];
    cl_context context[RIG_DEVICES];
    cl_command_queue queue[RIG_DEVICES];
    cl_program program[RIG_DEVICES];
};

static const char rig_source[] =
    "kernel void vadd(global const float *a, global const float *b, global float *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
    "kernel void iota(global uint *out) { out[get_global_id(0)] = get_global_id(0); }\n"
    "kernel void scale_inplace(global float *a, float f) { a[get_global_id(0)] *= f; }\n"
    "/* kernel void not_me(void) {} */\n"
    "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void ids(__global uint *out) { }\n"
    "kernel void group_sum(global const uint *in, global uint *out, local uint *scratch) { }\n"
    "kernel void nothing(void) { }\n";

/* The loader is the stub with DEVICES ("cpu,gpu"); FAULT: YOKE_STUB_FAULT or NULL. */
static inline const struct yk_cl *rig_load(const char *devices, const char *fault)
{
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    setenv("YOKE_STUB_DEVICES", devices, 1);
    if (fault)
        setenv("YOKE_STUB_FAULT", fault, 1);
    const struct yk_cl *cl = yk_cl_guarded();
    ck_assert_ptr_nonnull(cl);
    return cl;
}

#define rig_ok(call) ck_assert_int_eq((call), CL_SUCCESS)

static inline void rig_open(struct rig *r, const struct yk_cl *cl, cl_command_queue_properties properties)
{
    cl_platform_id platform;
    const char *text = rig_source;
    cl_int rc;
    *r = (struct rig){.cl = cl};
    rig_ok(cl->GetPlatformIDs(1, &platform, NULL));
    rig_ok(cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, RIG_DEVICES, r->device, &r->n));
    for (cl_uint d = 0; d < r->n; d++) {
        r->context[d] = cl->CreateContext(NULL, 1, &r->device[d], NULL, NULL, &rc);
        rig_ok(rc);
        r->queue[d] = cl->CreateCommandQueue(r->context[d], r->device[d], properties, &rc);
        rig_ok(rc);
        r->program[d] = cl->CreateProgramWithSource(r->context[d], 1, &text, NULL, &rc);
        rig_ok(rc);
        rig_ok(cl->BuildProgram(r->program[d], 0, NULL, "", NULL, NULL));
    }
}

static inline void rig_close(struct rig *r)
{
    for (cl_uint d = 0; d < r->n; d++) {
        rig_ok(r->cl->ReleaseProgram(r->program[d]));
        rig_ok(r->cl->ReleaseCommandQueue(r->queue[d]));
        rig_ok(r->cl->ReleaseContext(r->context[d]));
    }
}

static inline cl_mem rig_buffer(struct rig *r, unsigned d, size_t bytes)
{
    cl_int rc;
    cl_mem m = r->cl->CreateBuffer(r->context[d], CL_MEM_READ_WRITE, bytes, NULL, &rc);
    rig_ok(rc);
    return m;
}

static inline cl_kernel rig_kernel(struct rig *r, unsigned d, const char *name)
{
    cl_int rc;
    cl_kernel k = r->cl->CreateKernel(r->program[d], name, &rc);
    rig_ok(rc);
    return k;
}

#endif
