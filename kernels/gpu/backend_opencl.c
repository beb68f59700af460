/* kernels/gpu over an OpenCL device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "kernels/gpu/backend.h"

struct opencl {
    struct yk_gpu g;
    const struct yk_device *d;
    const struct yk_cl *cl;
    cl_context context;
    cl_command_queue queue;
    cl_mem meta;
};

static yk_status failed(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return YK_OK;
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE)
        return YK_EDEVMEM;
    yk_error("sum-product on OpenCL: %s: %s", what, yk_cl_error_name(code));
    return code == CL_OUT_OF_HOST_MEMORY ? YK_ENOMEM : YK_EDEVICE;
}

static struct opencl *self(struct yk_gpu *g)
{
    return (struct opencl *)g;
}

static void cl_close(struct yk_gpu *g)
{
    struct opencl *o = self(g);
    for (struct yk_gpu_kernel *k = g->kernels, *next; k; k = next) {
        next = k->next;
        o->cl->ReleaseKernel(k->kernel);
        free(k);
    }
    if (o->meta)
        o->cl->ReleaseMemObject(o->meta);
    if (o->queue)
        o->cl->ReleaseCommandQueue(o->queue);
    if (o->context)
        o->cl->ReleaseContext(o->context);
    free(o);
}

static yk_status cl_alloc(struct yk_gpu *g, size_t bytes, yk_gpu_memory *m)
{
    cl_int code;
    *m = (yk_gpu_memory)self(g)->cl->CreateBuffer(self(g)->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    return failed(code, "clCreateBuffer");
}

static void cl_free(struct yk_gpu *g, yk_gpu_memory m)
{
    self(g)->cl->ReleaseMemObject((cl_mem)m);
}

static yk_status cl_write(struct yk_gpu *g, yk_gpu_memory m, const void *from, size_t bytes)
{
    return failed(self(g)->cl->EnqueueWriteBuffer(self(g)->queue, (cl_mem)m, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
}

static yk_status cl_read(struct yk_gpu *g, yk_gpu_memory m, void *to, size_t bytes)
{
    return failed(self(g)->cl->EnqueueReadBuffer(self(g)->queue, (cl_mem)m, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
}

static yk_status cl_copy(struct yk_gpu *g, yk_gpu_memory from, yk_gpu_memory to, size_t bytes)
{
    return failed(self(g)->cl->EnqueueCopyBuffer(self(g)->queue, (cl_mem)from, (cl_mem)to, 0, 0, bytes, 0, NULL, NULL),
                  "clEnqueueCopyBuffer");
}

static yk_status cl_finish(struct yk_gpu *g)
{
    return failed(self(g)->cl->Finish(self(g)->queue), "clFinish");
}

static yk_status cl_build(struct yk_gpu *g, const char *text, const char *options, const char *name, bool stored,
                          void **kernel)
{
    struct opencl *o = self(g);
    cl_int code;
    if (stored) /* drivers keep what they compiled themselves, but do not tell */
        return YK_ENOTFOUND;
    cl_program program = o->cl->CreateProgramWithSource(o->context, 1, &text, NULL, &code);
    if (code != CL_SUCCESS)
        return failed(code, "clCreateProgramWithSource");
    code = o->cl->BuildProgram(program, 1, &o->d->id, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[2000] = "";
        o->cl->GetProgramBuildInfo(program, o->d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        yk_error("sum-product kernel does not build on %s (%s): %s", g->name, yk_cl_error_name(code), log);
        o->cl->ReleaseProgram(program);
        return YK_EBUILD;
    }
    *kernel = o->cl->CreateKernel(program, name, &code);
    o->cl->ReleaseProgram(program);
    return failed(code, "clCreateKernel");
}

static yk_status run(struct opencl *o, cl_kernel kernel, size_t blocks, size_t threads, double *seconds)
{
    size_t global = blocks * threads;
    cl_event event = NULL;
    cl_int code = o->cl->EnqueueNDRangeKernel(o->queue, kernel, 1, NULL, &global, &threads, 0, NULL,
                                              seconds && o->g.timed ? &event : NULL);
    if (code == CL_SUCCESS && event) {
        cl_ulong start = 0, end = 0;
        code = o->cl->WaitForEvents(1, &event);
        o->cl->GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
        o->cl->GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        *seconds = (double)(end - start) * 1e-9;
        o->cl->ReleaseEvent(event);
    }
    return failed(code, "a kernel");
}

/* A texture path to buffer M. */
static cl_mem image_of(struct opencl *o, yk_gpu_memory m, size_t cells, bool single, cl_int *code)
{
    const cl_image_format format = {single ? CL_R : CL_RG, single ? CL_FLOAT : CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = cells, .buffer = (cl_mem)m};
    return o->cl->CreateImage(o->context, CL_MEM_READ_ONLY, &format, &desc, NULL, code);
}

static yk_status cl_launch(struct yk_gpu *g, const struct yk_gpu_launch *l, double *seconds)
{
    struct opencl *o = self(g);
    const struct yk_cl *cl = o->cl;
    cl_kernel k = l->kernel;
    cl_mem table = (cl_mem)l->table, out = (cl_mem)l->out, image[YK_CACHE_INPUTS] = {0};
    *seconds = 0;
    /* Blocking: META is the caller's. In order, so that the last launch has read what it replaces. */
    cl_int code =
        cl->EnqueueWriteBuffer(o->queue, o->meta, CL_TRUE, 0, l->nmeta * sizeof *l->meta, l->meta, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = cl->SetKernelArg(k, 0, sizeof o->meta, &o->meta) | cl->SetKernelArg(k, 1, sizeof table, &table) |
               cl->SetKernelArg(k, 2, sizeof out, &out) | cl->SetKernelArg(k, 3, l->local_bytes, NULL);
    for (cl_uint i = 0; i < YK_CACHE_INPUTS && code == CL_SUCCESS; i++) {
        cl_mem in = (cl_mem)l->in[i];
        if (l->texture) {
            uint32_t same = 0; /* inputs beyond the last one are the first once more */
            while (l->in[same] != l->in[i])
                same++;
            if (same == i)
                image[i] = image_of(o, l->in[i], l->in_cells[i], l->single, &code);
            in = image[same];
        }
        if (code == CL_SUCCESS)
            code = cl->SetKernelArg(k, 4 + i, sizeof in, &in);
    }
    yk_status st =
        code == CL_SUCCESS ? run(o, k, l->blocks, l->threads, seconds) : failed(code, "arguments of the kernel");
    for (uint32_t i = 0; i < YK_CACHE_INPUTS; i++)
        if (image[i])
            cl->ReleaseMemObject(image[i]);
    return st;
}

static yk_status cl_plain(struct yk_gpu *g, const struct yk_gpu_plain *l)
{
    struct opencl *o = self(g);
    cl_mem cells = (cl_mem)l->cells, result = (cl_mem)(l->result ? l->result : l->cells);
    cl_ulong n = l->n;
    float single = (float)l->factor;
    cl_int code = o->cl->SetKernelArg(l->kernel, 0, sizeof cells, &cells) |
                  o->cl->SetKernelArg(l->kernel, 1, sizeof result, &result) |
                  o->cl->SetKernelArg(l->kernel, 2, sizeof n, &n) |
                  o->cl->SetKernelArg(l->kernel, 3, l->single ? sizeof single : sizeof l->factor,
                                      l->single ? (const void *)&single : (const void *)&l->factor);
    return code == CL_SUCCESS ? run(o, l->kernel, l->blocks, l->threads, NULL) : failed(code, "arguments of a kernel");
}

static const struct yk_gpu_ops ops = {.head = yk_gpu_head_opencl,
                                      .extra = "",
                                      .close = cl_close,
                                      .alloc = cl_alloc,
                                      .free = cl_free,
                                      .write = cl_write,
                                      .read = cl_read,
                                      .copy = cl_copy,
                                      .finish = cl_finish,
                                      .build = cl_build,
                                      .launch = cl_launch,
                                      .plain = cl_plain};

/* What OpenCL says of a device is little; the rest are figures of its kind, the bandwidth until it is measured. */
static void shape(struct opencl *o)
{
    const struct yk_device *d = o->d;
    bool gpu = d->type == CL_DEVICE_TYPE_GPU;
    double clock = (d->clock_mhz ? d->clock_mhz : 1000) * 1e6, units = d->compute_units;
    for (int single = 0; single < 2; single++)
        o->g.shape[single] = (struct yk_cache_device){
            .units = d->compute_units,
            .threads = gpu ? 2048 : 64,
            .group = d->max_group < 256 ? (uint32_t)d->max_group : 256,
            .local_block = d->local_mem < 1u << 20 ? (uint32_t)d->local_mem : 1u << 20,
            .local_unit = gpu ? (uint32_t)(d->local_mem * 4 < 228u << 10 ? d->local_mem * 4 : 228u << 10) : 1u << 20,
            .flops = units * clock * (gpu ? 256 : 8) / (single ? 1 : 2),
            .bytes = gpu ? 5e11 : 1e10,
            .inner_bytes = gpu ? 1.25e12 : 2e10,
            .local_bytes = units * clock * (gpu ? 128 : 8)};
    o->g.launch_seconds = gpu ? 8e-6 : 7e-5;
}

static bool format_known(struct opencl *o, cl_channel_order order, cl_channel_type type)
{
    cl_image_format formats[256];
    cl_uint n = 0;
    if (o->cl->GetSupportedImageFormats(o->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, 256, formats, &n) !=
        CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < 256; i++)
        if (formats[i].image_channel_order == order && formats[i].image_channel_data_type == type)
            return true;
    return false;
}

yk_status yk_gpu_open_opencl(const struct yk_device *d, bool timed, struct yk_gpu **gpu)
{
    struct opencl *o = calloc(1, sizeof *o);
    if (!o)
        return YK_ENOMEM;
    o->g.ops = &ops;
    o->g.timed = timed;
    o->d = d;
    o->cl = d->cl;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)d->platform, 0};
    cl_int code;
    o->context = o->cl->CreateContext(properties, 1, &d->id, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        o->queue = o->cl->CreateCommandQueue(o->context, d->id, timed ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (code == CL_SUCCESS)
        o->meta = o->cl->CreateBuffer(o->context, CL_MEM_READ_ONLY, YK_GPU_META * sizeof(int32_t), NULL, &code);
    if (code != CL_SUCCESS) {
        cl_close(&o->g);
        return failed(code, "clCreateContext");
    }
    snprintf(o->g.name, sizeof o->g.name, "OpenCL %s", d->name);
    o->g.bytes = d->global_mem;
    o->g.has_double = d->fp64;
    o->g.host_memory = d->type != CL_DEVICE_TYPE_GPU;
    size_t cells = 0;
    o->g.image_double = format_known(o, CL_RG, CL_UNSIGNED_INT32);
    if (d->images && format_known(o, CL_R, CL_FLOAT) &&
        o->cl->GetDeviceInfo(d->id, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof cells, &cells, NULL) == 0)
        o->g.image_cells = cells;
    shape(o);
    *gpu = &o->g;
    return YK_OK;
}
