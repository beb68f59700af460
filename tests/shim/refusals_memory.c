/* refusals.c's memory objects: creation and queries. */
#include "tests/shim/refusals.h"

static char host[65536];

static void CL_CALLBACK gone(cl_mem m, void *data)
{
    (void)m, (void)data;
}

void refuse_buffers(struct world *w)
{
    const cl_context c = w->x.context;
    const cl_mem_properties unknown[] = {0x7777, 1, 0};
    const cl_buffer_region odd = {3, 64}, none = {0, 0}, out = {BYTES - 1024, 2048}, far = {BYTES + 1024, 64},
                           good = {1024, 64};
    cl_ulong most = 0;
    cl_uint n;
    clGetDeviceInfo(w->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    MADE(clReleaseMemObject, clCreateBuffer(NULL, 0, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, 0, 0, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, 0, most + 1, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, 0, SIZE_MAX, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, 1 << 20, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_USE_HOST_PTR, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, 0, BYTES, host, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_ALLOC_HOST_PTR, BYTES, host, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, BYTES, host, &err));
    MADE(clReleaseMemObject, clCreateBuffer(c, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, BYTES, host, &err));
    MADE(clReleaseMemObject, clCreateBufferWithProperties(c, unknown, 0, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateBufferWithProperties(NULL, NULL, 0, BYTES, NULL, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(NULL, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.image, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, 0, 77, &good, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &out, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &far, &err));
    MADE(clReleaseMemObject,
         clCreateSubBuffer(w->x.buffer, CL_MEM_USE_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject,
         clCreateSubBuffer(w->x.buffer, CL_MEM_COPY_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject, clCreateSubBuffer(w->x.buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                               CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject,
         clCreateSubBuffer(w->read_only, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject,
         clCreateSubBuffer(w->read_only, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject,
         clCreateSubBuffer(w->host_read_only, CL_MEM_HOST_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    MADE(clReleaseMemObject,
         clCreateSubBuffer(w->host_no_access, CL_MEM_HOST_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
    CODE(clGetMemObjectInfo(NULL, CL_MEM_TYPE, sizeof n, &n, NULL));
    CODE(clGetMemObjectInfo(w->x.buffer, 0x7777, sizeof n, &n, NULL));
    CODE(clGetMemObjectInfo(w->x.buffer, CL_MEM_TYPE, 1, &n, NULL));
    CODE(clSetMemObjectDestructorCallback(NULL, gone, NULL));
    CODE(clSetMemObjectDestructorCallback(w->x.buffer, NULL, NULL));
    CODE(clRetainMemObject(NULL));
    CODE(clReleaseMemObject(NULL));
}

static cl_image_desc desc(cl_mem_object_type type, size_t x, size_t y, size_t z, size_t n)
{
    return (cl_image_desc){
        .image_type = type, .image_width = x, .image_height = y, .image_depth = z, .image_array_size = n};
}

static void refuse_descriptors(struct world *w)
{
    const cl_context c = w->x.context;
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
    size_t widest = 0;
    clGetDeviceInfo(w->device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof widest, &widest, NULL);
    cl_image_desc d[] = {
        desc(CL_MEM_OBJECT_IMAGE2D, 0, H, 0, 0),          desc(CL_MEM_OBJECT_IMAGE2D, W, 0, 0, 0),
        desc(CL_MEM_OBJECT_IMAGE2D, widest + 1, H, 0, 0), desc(CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0),
        desc(CL_MEM_OBJECT_IMAGE3D, W, H, 0, 0),          desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, W, H, 0, 0),
        desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, W, 0, 0, 0),    desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, W, 0, 0, 0),
        desc(CL_MEM_OBJECT_BUFFER, W, 0, 0, 0),           desc(0x7777, W, H, 0, 0),
        desc(CL_MEM_OBJECT_IMAGE2D, W, H, 0, 0),          desc(CL_MEM_OBJECT_IMAGE2D, W, H, 0, 0),
        desc(CL_MEM_OBJECT_IMAGE2D, W, H, 0, 0),          desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, BYTES, 0, 0, 0),
        desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, W, 0, 0, 0),   desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, W, 0, 0, 0)};
    d[10].image_row_pitch = W * 4; /* without a host pointer */
    d[11].mem_object = w->x.buffer;
    d[12].mem_object = w->x.image;
    d[13].mem_object = w->other.buffer;
    for (unsigned i = 0; i < sizeof d / sizeof *d; i++) {
        printf("descriptor %u, ", i);
        MADE(clReleaseMemObject, clCreateImage(c, CL_MEM_READ_WRITE, &rgba, &d[i], NULL, &err));
    }
}

void refuse_images(struct world *w)
{
    const cl_context c = w->x.context;
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8}, order = {0x7777, CL_UNSIGNED_INT8},
                          type = {CL_RGBA, 0x7777}, pair = {CL_RGB, CL_UNSIGNED_INT8};
    const cl_image_desc d = desc(CL_MEM_OBJECT_IMAGE2D, W, H, 0, 0);
    const cl_mem_properties unknown[] = {0x7777, 1, 0};
    cl_image_format f;
    cl_uint n;
    MADE(clReleaseMemObject, clCreateImage(NULL, 0, &rgba, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, 0, NULL, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, 0, &rgba, NULL, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, 0, &order, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, 0, &type, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, 0, &pair, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, 1 << 20, &rgba, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, CL_MEM_USE_HOST_PTR, &rgba, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, CL_MEM_COPY_HOST_PTR, &rgba, &d, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage(c, CL_MEM_READ_WRITE, &rgba, &d, host, &err));
    MADE(clReleaseMemObject, clCreateImageWithProperties(c, unknown, CL_MEM_READ_WRITE, &rgba, &d, NULL, &err));
    refuse_descriptors(w);
    MADE(clReleaseMemObject, clCreateImage2D(NULL, 0, &rgba, W, H, 0, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage2D(c, CL_MEM_READ_WRITE, &rgba, 0, H, 0, NULL, &err));
    MADE(clReleaseMemObject, clCreateImage2D(c, CL_MEM_READ_WRITE, &rgba, W, H, 3, host, &err));
    MADE(clReleaseMemObject, clCreateImage3D(c, CL_MEM_READ_WRITE, &rgba, W, H, 0, 0, 0, NULL, &err));
    CODE(clGetSupportedImageFormats(NULL, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 1, &f, &n));
    CODE(clGetSupportedImageFormats(c, CL_MEM_READ_WRITE, 0x7777, 1, &f, &n));
    CODE(clGetSupportedImageFormats(c, CL_MEM_READ_WRITE, CL_MEM_OBJECT_BUFFER, 1, &f, &n));
    CODE(clGetSupportedImageFormats(c, 1 << 20, CL_MEM_OBJECT_IMAGE2D, 1, &f, &n));
    CODE(clGetSupportedImageFormats(c, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, &f, &n));
    CODE(clGetImageInfo(NULL, CL_IMAGE_WIDTH, 0, NULL, NULL));
    CODE(clGetImageInfo(w->x.image, 0x7777, 0, NULL, NULL));
    CODE(clGetImageInfo(w->x.image, CL_IMAGE_WIDTH, 1, &n, NULL));
    const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_NEAREST, 0},
                                odd[] = {0x7777, 1, 0}, value[] = {CL_SAMPLER_FILTER_MODE, 0x7777, 0};
    MADE(clReleaseSampler, clCreateSampler(NULL, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err));
    MADE(clReleaseSampler, clCreateSampler(c, CL_FALSE, 0x7777, CL_FILTER_NEAREST, &err));
    MADE(clReleaseSampler, clCreateSampler(c, CL_FALSE, CL_ADDRESS_NONE, 0x7777, &err));
    MADE(clReleaseSampler, clCreateSamplerWithProperties(NULL, NULL, &err));
    MADE(clReleaseSampler, clCreateSamplerWithProperties(c, twice, &err));
    MADE(clReleaseSampler, clCreateSamplerWithProperties(c, odd, &err));
    MADE(clReleaseSampler, clCreateSamplerWithProperties(c, value, &err));
    CODE(clGetSamplerInfo(NULL, CL_SAMPLER_FILTER_MODE, 0, NULL, NULL));
    CODE(clGetSamplerInfo(w->x.sampler, 0x7777, 0, NULL, NULL));
    CODE(clGetSamplerInfo(w->x.sampler, CL_SAMPLER_FILTER_MODE, 1, &n, NULL));
    CODE(clRetainSampler(NULL));
    CODE(clReleaseSampler(NULL));
    MADE(clReleaseMemObject, clCreatePipe(NULL, 0, 4, 16, NULL, &err));
    MADE(clReleaseMemObject, clCreatePipe(c, 0, 0, 16, NULL, &err));
    MADE(clReleaseMemObject, clCreatePipe(c, CL_MEM_USE_HOST_PTR, 4, 16, NULL, &err));
    CODE(clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, sizeof n, &n, NULL));
    CODE(clGetPipeInfo(w->x.buffer, CL_PIPE_PACKET_SIZE, sizeof n, &n, NULL));
}

static void free_first(void *p, cl_context c)
{
    clSVMFree(c, p);
}

void refuse_shared_memory(struct world *w)
{
    const cl_context c = w->x.context;
    const cl_command_queue q = w->x.queue;
    const size_t huge = (size_t)1 << 62;
    void *made[] = {clSVMAlloc(NULL, 0, 64, 0),
                    clSVMAlloc(c, 0, 0, 0),
                    clSVMAlloc(c, 0, huge, 0),
                    clSVMAlloc(c, 0, 64, 3),
                    clSVMAlloc(c, 0, 64, 1 << 20),
                    clSVMAlloc(c, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0),
                    clSVMAlloc(c, CL_MEM_SVM_ATOMICS, 64, 0),
                    clSVMAlloc(c, 1 << 20, 64, 0),
                    clSVMAlloc(c, 0, 64, 0)};
    enum { MADES = sizeof made / sizeof *made };
    for (int i = 0; i < MADES; i++)
        printf("shared memory %d: %s\n", i, made[i] ? "made" : "nothing");
    char *p = made[MADES - 1];
    void *none = NULL;
    const void *first = p;
    if (p) {
        ENQUEUED(clEnqueueSVMMemcpy(NULL, CL_FALSE, p, host, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemcpy(q, CL_FALSE, NULL, host, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemcpy(q, CL_FALSE, p, NULL, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemcpy(q, CL_FALSE, p, p + 8, 32, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemcpy(q, CL_FALSE, p, host, 64, 1, NULL, &event));
        ENQUEUED(clEnqueueSVMMemcpy(q, CL_FALSE, p, host, 64, 1, &w->other.event, &event));
        ENQUEUED(clEnqueueSVMMemFill(q, NULL, host, 4, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemFill(q, p, host, 3, 63, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemFill(q, p, host, 0, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemFill(q, p, host, 4, 63, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMemFill(q, p + 1, host, 4, 32, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMap(q, CL_FALSE, CL_MAP_READ, NULL, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMap(q, CL_FALSE, CL_MAP_READ, p, 0, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMap(q, CL_FALSE, 1 << 20, p, 64, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMUnmap(q, NULL, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMigrateMem(q, 0, NULL, NULL, 0, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMigrateMem(q, 1, NULL, NULL, 0, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMMigrateMem(q, 1, &first, NULL, 1 << 20, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMFree(q, 1, NULL, NULL, NULL, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMFree(q, 0, &none, NULL, NULL, 0, NULL, &event));
        ENQUEUED(clEnqueueSVMFree(NULL, 1, &none, NULL, NULL, 0, NULL, &event));
    }
    CODE(clSetKernelArgSVMPointer(NULL, 0, p));
    CODE(clSetKernelArgSVMPointer(w->bare, 7, p));
    CODE(clSetKernelArgSVMPointer(w->bare, 1, p));
    CODE(clSetKernelArgSVMPointer(w->bare, 0, p));
    CODE(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
    CODE(clSetKernelExecInfo(w->bare, 0x7777, sizeof p, &p));
    CODE(clSetKernelExecInfo(w->bare, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &p));
    CODE(clSetKernelExecInfo(w->bare, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, NULL));
    for (int i = 0; i < MADES; i++)
        free_first(made[i], c);
}
