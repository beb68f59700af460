/* The numeric probe: a kernel of inexact operations over many operands, as a hash of every bit it gives. */
#include "base/log.h"
#include "device/numeric.h"
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 256, GROUP = 32, WORDS = 64 };

/* Operands come from the bits of an integer hash: ordinary numbers, denormals, large ones for the range reduction. What
 * is compared is everything a compiler may do in more than one way: library functions, contraction, division,
 * denormals, conversions. Conversions stay in range: outside, even one compiler is free. */
static const char source[] =
    "uint bits(uint x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }\n"
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "void put(__global uint *o, double x) { ulong v = as_ulong(x); o[0] = (uint)v; o[1] = (uint)(v >> 32); }\n"
    "#endif\n"
    "__kernel void probe(__global uint *out, __global const float *scale)\n"
    "{\n"
    "    uint id = get_global_id(0), r = bits(id + 1u), s = bits(r), t = bits(s);\n"
    "    __global uint *o = out + id * 64u;\n"
    "    float a = (float)(r >> 8) * 0x1p-24f * scale[id % 4u], b = (float)(s >> 8) * 0x1p-22f + 0.5f;\n"
    "    float c = (float)(t >> 8) * 0x1p-23f - 1.0f, d = as_float((r & 0x007fffffu) | 1u);\n"
    "    o[0] = as_uint(exp(c * 20.0f)); o[1] = as_uint(exp2(c)); o[2] = as_uint(log(b)); o[3] = as_uint(log2(b));\n"
    "    o[4] = as_uint(sin(a)); o[5] = as_uint(cos(a)); o[6] = as_uint(tan(c)); o[7] = as_uint(asin(c));\n"
    "    o[8] = as_uint(atan2(a, b)); o[9] = as_uint(tanh(c)); o[10] = as_uint(pow(b, c)); o[11] = as_uint(sqrt(b));\n"
    "    o[12] = as_uint(rsqrt(b)); o[13] = as_uint(cbrt(a)); o[14] = as_uint(hypot(b, c));\n"
    "    o[15] = as_uint(erf(c)); o[16] = as_uint(a / b); o[17] = as_uint(c / 3.0f); o[18] = as_uint(1.0f / b);\n"
    "    o[19] = as_uint(a * b + c); o[20] = as_uint(a * b - b * c); o[21] = as_uint(mad(a, b, c));\n"
    "    o[22] = as_uint(fma(a, b, c)); o[23] = as_uint(d * 0.5f); o[24] = as_uint(d * 3.0f + d);\n"
    "    o[25] = as_uint(0x1p-120f * c * 0x1p-20f); o[26] = as_uint(native_exp(c)); o[27] = as_uint(native_sin(c));\n"
    "    o[28] = as_uint(native_recip(b)); o[29] = as_uint(half_sqrt(b)); o[30] = as_uint(fmod(a, b));\n"
    "    o[31] = (uint)(int)(c * 1000.0f); o[32] = as_uint((float)r); o[33] = (uint)convert_int_rte(c * 1e6f);\n"
    "    float4 v = (float4)(a, b, c, d), w = v.wzyx;\n"
    "    o[34] = as_uint(dot(v, w)); o[35] = as_uint(length(v)); o[36] = as_uint(normalize(v).y);\n"
    "    float sum = 0.0f; for (uint i = 0; i < 9u; i++) sum += scale[i % 4u] * b + c / (float)(i + 1u);\n"
    "    o[37] = as_uint(sum); o[38] = as_uint(exp(sin(c) * b)); o[39] = as_uint(log1p(c * 0.5f));\n"
    "    vstore_half(c, 0, (__global half *)(o + 40)); vstore_half(b * 1e3f, 1, (__global half *)(o + 40));\n"
    "    o[41] = as_uint(vload_half(0, (__global const half *)&o[40]) * b);\n"
    "#ifdef cl_khr_fp64\n"
    "    double x = (double)a * 1.1, y = (double)b + (double)d, z = (double)c / 7.0;\n"
    "    put(o + 42, exp(z * 20.0)); put(o + 44, sin(x)); put(o + 46, pow(y, z)); put(o + 48, log(y));\n"
    "    put(o + 50, x / y); put(o + 52, x * y + z); put(o + 54, sqrt(y)); put(o + 56, atan2(x, y));\n"
    "    put(o + 58, 0x1p-1040 * z); o[60] = as_uint((float)(x * y)); o[61] = (uint)(int)(z * 1e6);\n"
    "#endif\n"
    "}\n";

struct run {
    const struct yk_cl *cl;
    const struct yk_device *d;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem out, scale;
};

static cl_int build(struct run *r)
{
    const char *text = source;
    char options[64] = "";
    cl_int err;
    if (r->d->twin) /* see twin in device.h */
        snprintf(options, sizeof options, "-DYK_TWIN=%u", r->d->twin);
    r->program = r->cl->CreateProgramWithSource(r->context, 1, &text, NULL, &err);
    if (!r->program)
        return err;
    err = r->cl->BuildProgram(r->program, 1, &r->d->id, options, NULL, NULL);
    if (err == CL_BUILD_PROGRAM_FAILURE) {
        char log[800] = "";
        r->cl->GetProgramBuildInfo(r->program, r->d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        yk_info("build log of the numeric probe on %s: %s", r->d->name, log);
    }
    if (err == CL_SUCCESS)
        r->kernel = r->cl->CreateKernel(r->program, "probe", &err);
    return err;
}

static cl_int launch(struct run *r, uint32_t *out, size_t bytes)
{
    float scale[4] = {1.0f, 30.0f, 1e4f, 1e-3f};
    const size_t global = ITEMS, group = r->d->max_group < GROUP ? 1 : GROUP; /* divides ITEMS */
    cl_int err;
    r->out = r->cl->CreateBuffer(r->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, out, &err);
    if (!r->out)
        return err;
    r->scale = r->cl->CreateBuffer(r->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof scale, scale, &err);
    if (!r->scale)
        return err;
    err = r->cl->SetKernelArg(r->kernel, 0, sizeof r->out, &r->out);
    if (err == CL_SUCCESS)
        err = r->cl->SetKernelArg(r->kernel, 1, sizeof r->scale, &r->scale);
    if (err == CL_SUCCESS)
        err = r->cl->EnqueueNDRangeKernel(r->queue, r->kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    if (err == CL_SUCCESS)
        err = r->cl->EnqueueReadBuffer(r->queue, r->out, CL_TRUE, 0, bytes, out, 0, NULL, NULL);
    return err;
}

static void release(struct run *r)
{
    if (r->scale)
        r->cl->ReleaseMemObject(r->scale);
    if (r->out)
        r->cl->ReleaseMemObject(r->out);
    if (r->kernel)
        r->cl->ReleaseKernel(r->kernel);
    if (r->program)
        r->cl->ReleaseProgram(r->program);
    if (r->queue)
        r->cl->ReleaseCommandQueue(r->queue);
    if (r->context)
        r->cl->ReleaseContext(r->context);
}

yk_status yk_numeric_run(const struct yk_device *d, struct yk_hash *result)
{
    enum { BYTES = ITEMS * WORDS * 4 };
    struct run r = {.cl = d->trial, .d = d};
    cl_int err = CL_SUCCESS;
    uint32_t *out = calloc(1, BYTES);
    if (!out)
        return YK_ENOMEM;
    r.context = r.cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err);
    if (r.context)
        r.queue = r.cl->CreateCommandQueue(r.context, d->id, 0, &err);
    if (r.queue)
        err = build(&r);
    if (r.kernel)
        err = launch(&r, out, BYTES);
    release(&r);
    if (err == CL_SUCCESS)
        *result = yk_hash_bytes((struct yk_hash){0, 0}, out, BYTES);
    else
        yk_warn("the numeric probe fails on %s (%s): it is taken to compute unlike any other device", d->name,
                yk_cl_error_name(err));
    free(out);
    return err == CL_SUCCESS ? YK_OK : err == CL_BUILD_PROGRAM_FAILURE ? YK_EBUILD : YK_EDEVICE;
}
