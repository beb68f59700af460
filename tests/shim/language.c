/* Every kernel of one OpenCL C source by itself over several ranges, and a line for what it wrote: language.c SOURCE
 * [OPTION]... A plain OpenCL program that knows nothing of yoke; kernels take (in, out) or (in, out, local). */
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16384, INTS = 4 * ROOM, LOCAL_BYTES = 1024 * sizeof(cl_int), MOST_KERNELS = 64 };

static const struct range {
    cl_uint dims;
    size_t offset[3], global[3], local[3];
} ranges[] = {{1, {37, 0, 0}, {256, 1, 1}, {64, 1, 1}}, {3, {0, 2, 1}, {8, 4, 8}, {4, 4, 4}}};

static void fail(const char *what, cl_int err)
{
    printf("%s: %d\n", what, err);
    exit(1);
}

static char *text_of(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    if (!f || !text || !fread(text, 1, (1 << 16) - 1, f))
        fail(path, 0);
    fclose(f);
    return text;
}

/* FNV-1a */
static uint64_t hash_of(const void *bytes, size_t n)
{
    uint64_t h = 0xcbf29ce484222325;
    for (const unsigned char *p = bytes; n--; p++)
        h = (h ^ *p) * 0x100000001b3;
    return h;
}

struct world {
    cl_command_queue queue;
    cl_mem in, out;
    cl_int *host;
};

static void refill(struct world *w)
{
    uint32_t x = 12345;
    for (int i = 0; i < INTS; i++)
        w->host[i] = (cl_int)((x = x * 1664525 + 1013904223) >> 3);
    clEnqueueWriteBuffer(w->queue, w->in, CL_TRUE, 0, INTS * sizeof(cl_int), w->host, 0, NULL, NULL);
    memset(w->host, 0, INTS * sizeof(cl_int));
    clEnqueueWriteBuffer(w->queue, w->out, CL_TRUE, 0, INTS * sizeof(cl_int), w->host, 0, NULL, NULL);
}

static uint64_t read_hash(struct world *w, cl_mem m)
{
    cl_int err = clEnqueueReadBuffer(w->queue, m, CL_TRUE, 0, INTS * sizeof(cl_int), w->host, 0, NULL, NULL);
    return err == CL_SUCCESS ? hash_of(w->host, INTS * sizeof(cl_int)) : (uint64_t)err;
}

static void run_alone(struct world *w, cl_kernel k, const char *name)
{
    cl_uint nargs = 0;
    clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof nargs, &nargs, NULL);
    cl_int err = clSetKernelArg(k, 0, sizeof w->in, &w->in) | clSetKernelArg(k, 1, sizeof w->out, &w->out);
    if (nargs > 2)
        err |= clSetKernelArg(k, 2, LOCAL_BYTES, NULL);
    for (unsigned r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        const struct range *g = &ranges[r];
        refill(w);
        cl_int first = clEnqueueNDRangeKernel(w->queue, k, g->dims, g->offset, g->global, g->local, 0, NULL, NULL);
        uint64_t once = read_hash(w, w->out);
        cl_int again = clEnqueueNDRangeKernel(w->queue, k, g->dims, g->offset, g->global, g->local, 0, NULL, NULL);
        printf("%s over range %u: %d %d %d %016llx %016llx in %016llx\n", name, r, err, first, again,
               (unsigned long long)once, (unsigned long long)read_hash(w, w->out),
               (unsigned long long)read_hash(w, w->in));
        fflush(stdout);
    }
}

/* All of them behind one another, each on what those before have left. */
static void run_together(struct world *w, cl_kernel *k, cl_uint n)
{
    refill(w);
    for (cl_uint i = 0; i < n; i++)
        clEnqueueNDRangeKernel(w->queue, k[i], 1, ranges->offset, ranges->global, ranges->local, 0, NULL, NULL);
    printf("all together: %016llx\n", (unsigned long long)read_hash(w, w->out));
}

static int by_name(const void *a, const void *b)
{
    char x[64] = "", y[64] = "";
    clGetKernelInfo(*(const cl_kernel *)a, CL_KERNEL_FUNCTION_NAME, sizeof x, x, NULL);
    clGetKernelInfo(*(const cl_kernel *)b, CL_KERNEL_FUNCTION_NAME, sizeof y, y, NULL);
    return strcmp(x, y);
}

int main(int argc, char **argv)
{
    char options[1024] = "";
    if (argc < 2)
        return 2;
    for (int i = 2; i < argc; i++)
        strncat(strncat(options, argv[i], 400), " ", 2);
    cl_platform_id platform;
    cl_device_id device = NULL;
    cl_int err = clGetPlatformIDs(1, &platform, NULL);
    if (err != CL_SUCCESS || (err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) != CL_SUCCESS)
        fail("device", err);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    struct world w = {.queue = clCreateCommandQueue(context, device, 0, &err), .host = malloc(INTS * sizeof(cl_int))};
    w.in = clCreateBuffer(context, CL_MEM_READ_WRITE, INTS * sizeof(cl_int), NULL, &err);
    w.out = clCreateBuffer(context, CL_MEM_READ_WRITE, INTS * sizeof(cl_int), NULL, &err);
    char *read = text_of(argv[1]);
    const char *text = read;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    err = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (err != CL_SUCCESS)
        fail("build", err);
    cl_kernel k[MOST_KERNELS];
    cl_uint n = 0;
    if ((err = clCreateKernelsInProgram(program, MOST_KERNELS, k, &n)) != CL_SUCCESS)
        fail("kernels", err);
    qsort(k, n, sizeof *k, by_name);
    for (cl_uint i = 0; i < n; i++) {
        char name[64] = "";
        clGetKernelInfo(k[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        run_alone(&w, k[i], name);
    }
    run_together(&w, k, n);
    for (cl_uint i = 0; i < n; i++)
        clReleaseKernel(k[i]);
    clReleaseProgram(program);
    clReleaseMemObject(w.in);
    clReleaseMemObject(w.out);
    clReleaseCommandQueue(w.queue);
    clReleaseContext(context);
    free(read);
    free(w.host);
    return 0;
}
