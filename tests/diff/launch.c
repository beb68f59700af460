#include "launch.h"
#include "record.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

struct launcher {
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[2];
};

/* What one plan needs while it runs. */
struct run {
    struct launcher *launcher;
    const struct plan *plan;
    cl_program program;
    cl_mem *buffers;
    void **host; /* memory of USE_HOST_PTR buffers, and of writes in flight */
    cl_event last;
    unsigned last_queue;
    bool failed;
};

static bool check(struct run *run, cl_int error, const char *call, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "diffgen: seed %llu: %s: %s: error %d\n", (unsigned long long)run->plan->seed, what, call,
                error);
        run->failed = true;
    }
    return error == CL_SUCCESS;
}

static void must(cl_int error, const char *call)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "diffgen: %s: error %d\n", call, error);
        exit(2);
    }
}

struct launcher *launcher_open(unsigned device)
{
    struct launcher *launcher = alloc_or_end(sizeof(*launcher));
    cl_platform_id platforms[16];
    cl_uint count = 0, seen = 0;
    must(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < 16 && !launcher->device; p++) {
        cl_device_id devices[32];
        cl_uint n = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 32, devices, &n) == CL_SUCCESS && device < seen + n) {
            launcher->device = devices[device - seen];
        }
        seen += n;
    }
    if (!launcher->device) {
        fprintf(stderr, "diffgen: no device %u: there are %u\n", device, seen);
        exit(2);
    }
    cl_int error;
    launcher->context = clCreateContext(NULL, 1, &launcher->device, NULL, NULL, &error);
    must(error, "clCreateContext");
    for (int i = 0; i < 2; i++) {
        launcher->queues[i] = clCreateCommandQueue(launcher->context, launcher->device, 0, &error);
        must(error, "clCreateCommandQueue");
    }
    return launcher;
}

bool launcher_has_double(const struct launcher *launcher)
{
    cl_device_fp_config config = 0;
    clGetDeviceInfo(launcher->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(config), &config, NULL);
    return config != 0;
}

void launcher_close(struct launcher *launcher)
{
    clReleaseCommandQueue(launcher->queues[0]);
    clReleaseCommandQueue(launcher->queues[1]);
    clReleaseContext(launcher->context);
    free(launcher);
}

/* Some programs are linked: all of the text, and a part that only shares its header. */
static bool is_linked(const struct plan *plan)
{
    return plan->seed % 5 == 2;
}

static cl_int link_with_another(struct run *run)
{
    const char *text[] = {run->plan->source.v,
                          "#include \"other.h\"\nint other_part(int a) { return other(a) + SEED; }\n",
                          "static int other(int a) { return a ^ 3; }\n"};
    const char *name = "other.h";
    cl_program part[3] = {NULL};
    cl_device_id device = run->launcher->device;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < 3 && error == CL_SUCCESS; i++) {
        part[i] = clCreateProgramWithSource(run->launcher->context, 1, &text[i], NULL, &error);
    }
    for (unsigned i = 0; i < 2 && error == CL_SUCCESS; i++) {
        error = clCompileProgram(part[i], 1, &device, run->plan->options, 1, &part[2], &name, NULL, NULL);
    }
    if (error == CL_SUCCESS) {
        run->program = clLinkProgram(run->launcher->context, 1, &device, "", 2, part, NULL, NULL, &error);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (part[i]) {
            clReleaseProgram(part[i]);
        }
    }
    return error;
}

static bool build(struct run *run)
{
    const char *source = run->plan->source.v;
    cl_device_id device = run->launcher->device;
    cl_int error;
    if (is_linked(run->plan)) {
        return check(run, link_with_another(run), "clLinkProgram", run->plan->options);
    }
    run->program = clCreateProgramWithSource(run->launcher->context, 1, &source, NULL, &error);
    if (!check(run, error, "clCreateProgramWithSource", "program")) {
        return false;
    }
    error = clBuildProgram(run->program, 1, &device, run->plan->options, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(run->program, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    return check(run, error, "clBuildProgram", run->plan->options);
}

/* The middle of a larger buffer, which nothing else refers to. */
static cl_mem make_part(struct run *run, cl_mem_flags flags, size_t bytes, cl_int *error)
{
    enum { BEFORE = 4096, BEHIND = 512 }; /* as aligned as any device asks */
    cl_buffer_region region = {BEFORE, bytes};
    cl_mem whole = clCreateBuffer(run->launcher->context, flags, BEFORE + bytes + BEHIND, NULL, error);
    cl_mem part =
        *error == CL_SUCCESS ? clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, error) : NULL;
    if (whole) {
        clReleaseMemObject(whole);
    }
    return part;
}

static bool make_buffer(struct run *run, unsigned number)
{
    const struct plan_buffer *b = &run->plan->buffers[number];
    cl_command_queue queue = run->launcher->queues[0];
    size_t bytes = b->count * bases[b->base].size;
    void *memory = alloc_or_end(bytes);
    cl_int error;
    plan_buffer_fill(b, memory);
    cl_mem_flags flags = b->written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    flags |= b->fill == FILL_COPY ? CL_MEM_COPY_HOST_PTR : b->fill == FILL_USE ? CL_MEM_USE_HOST_PTR : 0;
    bool given = b->fill == FILL_COPY || b->fill == FILL_USE;
    bool part = b->part && !given;
    cl_mem buffer = part ? make_part(run, flags, bytes, &error)
                         : clCreateBuffer(run->launcher->context, flags, bytes, given ? memory : NULL, &error);
    if (check(run, error, part ? "clCreateSubBuffer" : "clCreateBuffer", b->name) && b->fill == FILL_WRITE) {
        error = clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, memory, 0, NULL, NULL);
        check(run, error, "clEnqueueWriteBuffer", b->name);
    } else if (!run->failed && b->fill == FILL_MAP) {
        void *mapped =
            clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &error);
        if (check(run, error, "clEnqueueMapBuffer", b->name)) {
            memcpy(mapped, memory, bytes);
            check(run, clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject",
                  b->name);
        }
    }
    run->buffers[number] = buffer;
    run->host[number] = memory;
    return !run->failed;
}

/* Sub-buffers for the arguments of K that are given one. */
static void make_views(struct run *run, const struct plan_kernel *k, cl_mem view[PLAN_ARGS])
{
    for (unsigned a = 0; a < k->arg_count && !run->failed; a++) {
        const struct plan_arg *arg = &k->args[a];
        if (arg->kind != ARG_BUFFER || !arg->view_count) {
            continue;
        }
        size_t size = bases[run->plan->buffers[arg->buffer].base].size;
        cl_buffer_region region = {arg->view_at * size, arg->view_count * size};
        cl_int error;
        view[a] = clCreateSubBuffer(run->buffers[arg->buffer], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        check(run, error, "clCreateSubBuffer", k->name);
    }
}

static bool set_args(struct run *run, const struct plan_kernel *k, cl_kernel kernel, unsigned launch,
                     const cl_mem view[PLAN_ARGS])
{
    for (unsigned a = 0; a < k->arg_count && !run->failed; a++) {
        const struct plan_arg *arg = &k->args[a];
        cl_int error;
        if (arg->kind == ARG_BUFFER) {
            int other = launch % 2 == 0        ? -1
                        : (int)a == k->swap[0] ? k->swap[1]
                        : (int)a == k->swap[1] ? k->swap[0]
                                               : -1;
            unsigned buffer = other >= 0 ? k->args[other].buffer : arg->buffer;
            error = clSetKernelArg(kernel, a, sizeof(cl_mem), view[a] ? &view[a] : &run->buffers[buffer]);
        } else {
            error = clSetKernelArg(kernel, a, arg->bytes, arg->kind == ARG_LOCAL ? NULL : arg->value[launch]);
        }
        check(run, error, "clSetKernelArg", k->name);
    }
    return !run->failed;
}

/* The next command goes to QUEUE: one event to wait for if the one before went to the other. */
static cl_uint wait_for(struct run *run, unsigned queue)
{
    if (!run->last || run->last_queue == queue) {
        return 0;
    }
    check(run, clFlush(run->launcher->queues[run->last_queue]), "clFlush", "queue");
    return 1;
}

static void went(struct run *run, unsigned queue, cl_event event)
{
    if (run->last) {
        clReleaseEvent(run->last);
    }
    run->last = event;
    run->last_queue = queue;
}

/* The host writes the second quarter of the first buffer that the kernel writes. */
static void touch(struct run *run, const struct plan_kernel *k)
{
    for (unsigned a = 0; a < k->arg_count; a++) {
        const struct plan_arg *arg = &k->args[a];
        if (arg->kind != ARG_BUFFER || !run->plan->buffers[arg->buffer].written) {
            continue;
        }
        const struct plan_buffer *b = &run->plan->buffers[arg->buffer];
        size_t size = bases[b->base].size, at = b->count / 4 * size, bytes = b->count / 4 * size;
        struct plan_buffer as = *b;
        as.seed ^= 77;
        void *memory = alloc_or_end(b->count * size);
        plan_buffer_fill(&as, memory);
        cl_event event = NULL;
        cl_uint waits = wait_for(run, 0);
        cl_int error = clEnqueueWriteBuffer(run->launcher->queues[0], run->buffers[arg->buffer], CL_TRUE, at, bytes,
                                            memory, waits, waits ? &run->last : NULL, &event);
        if (check(run, error, "clEnqueueWriteBuffer", b->name)) {
            went(run, 0, event);
        }
        /* And it reads some of what the kernel left. */
        check(run,
              clEnqueueReadBuffer(run->launcher->queues[0], run->buffers[arg->buffer], CL_TRUE, at / 2, bytes, memory,
                                  0, NULL, NULL),
              "clEnqueueReadBuffer", b->name);
        free(memory);
        return;
    }
}

static void launch_kernel(struct run *run, const struct plan_kernel *k)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(run->program, k->name, &error);
    if (!check(run, error, "clCreateKernel", k->name)) {
        return;
    }
    cl_mem view[PLAN_ARGS] = {NULL};
    make_views(run, k, view);
    for (unsigned l = 0; l < k->launches && !run->failed && set_args(run, k, kernel, l, view); l++) {
        cl_event event = NULL;
        cl_uint waits = wait_for(run, k->queue);
        error =
            clEnqueueNDRangeKernel(run->launcher->queues[k->queue], kernel, k->dims, k->has_offset ? k->offset : NULL,
                                   k->global, k->has_local ? k->local : NULL, waits, waits ? &run->last : NULL, &event);
        if (check(run, error, "clEnqueueNDRangeKernel", k->name)) {
            went(run, k->queue, event);
        }
        if (k->touched && l + 1 < k->launches) {
            touch(run, k);
        }
    }
    for (unsigned a = 0; a < k->arg_count; a++) {
        if (view[a]) {
            clReleaseMemObject(view[a]); /* launches may be pending */
        }
    }
    clReleaseKernel(kernel);
}

static void read_buffer(struct run *run, unsigned number, FILE *file)
{
    const struct plan_buffer *b = &run->plan->buffers[number];
    cl_command_queue queue = run->launcher->queues[0];
    cl_mem buffer = run->buffers[number];
    size_t bytes = b->count * bases[b->base].size, half = bytes / 3;
    char *memory = alloc_or_end(bytes);
    cl_int error;
    if (b->read == READ_MAP) {
        void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
        if (check(run, error, "clEnqueueMapBuffer", b->name)) {
            memcpy(memory, mapped, bytes);
            check(run, clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject",
                  b->name);
        }
    } else if (b->read == READ_HALVES) {
        error = clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, half, memory, 0, NULL, NULL);
        check(run, error, "clEnqueueReadBuffer", b->name);
        error = clEnqueueReadBuffer(queue, buffer, CL_FALSE, half, bytes - half, memory + half, 0, NULL, NULL);
        check(run, error, "clEnqueueReadBuffer", b->name);
        check(run, clFinish(queue), "clFinish", b->name);
    } else {
        error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, memory, 0, NULL, NULL);
        check(run, error, "clEnqueueReadBuffer", b->name);
    }
    const struct plan_kernel *k = &run->plan->kernels[b->kernel];
    struct record record = {RECORD_MAGIC, b->kernel, number, b->base, run->plan->seed, bytes, k->inexact, "", ""};
    memcpy(record.kernel_name, k->name, sizeof(record.kernel_name));
    memcpy(record.name, b->name, sizeof(record.name));
    if (!run->failed && file) {
        fwrite(&record, sizeof(record), 1, file);
        fwrite(memory, 1, bytes, file);
    }
    free(memory);
}

bool launcher_run(struct launcher *launcher, const struct plan *plan, int only, FILE *file)
{
    struct run run = {.launcher = launcher, .plan = plan};
    run.buffers = alloc_or_end(plan->buffer_count * sizeof(cl_mem));
    run.host = alloc_or_end(plan->buffer_count * sizeof(void *));
    bool built = build(&run);
    for (unsigned i = 0; built && i < plan->buffer_count && make_buffer(&run, i); i++) {
    }
    for (unsigned i = 0; i < plan->kernel_count && !run.failed; i++) {
        if (only < 0 || (unsigned)only == i) {
            launch_kernel(&run, &plan->kernels[i]);
        }
    }
    for (int i = 1; i >= 0; i--) {
        check(&run, clFinish(launcher->queues[i]), "clFinish", "queue");
    }
    for (unsigned i = 0; i < plan->buffer_count; i++) {
        if (!run.failed && (only < 0 || plan->buffers[i].kernel == (unsigned)only)) {
            read_buffer(&run, i, file);
        }
    }
    clFinish(launcher->queues[0]);
    if (run.last) {
        clReleaseEvent(run.last);
    }
    for (unsigned i = 0; i < plan->buffer_count; i++) {
        if (run.buffers[i]) {
            clReleaseMemObject(run.buffers[i]);
        }
        free(run.host[i]);
    }
    if (run.program) {
        clReleaseProgram(run.program);
    }
    free(run.buffers);
    free(run.host);
    return !run.failed;
}
