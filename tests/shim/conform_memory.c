/* Buffers in the corners of the specification that programs stand on: overlapping parts and maps, host pointers,
 * rectangles, fills, shared virtual memory. */
#include "tests/shim/conform.h"

START_TEST(overlapping_sub_buffers_and_maps_are_one_memory)
{
    struct cl c = open_cl(0);
    size_t align = info_uint(&c, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    if (align < sizeof(cl_int))
        align = sizeof(cl_int);
    cl_mem whole = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_buffer_region low = {0, 4 * align}, high = {2 * align, 4 * align};
    cl_int err;
    cl_mem a = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &low, &err);
    OK(err);
    cl_mem b = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &high, &err);
    OK(err);
    set_to(&c, whole, 0);
    cl_int v = 1000;
    OK(clEnqueueFillBuffer(c.queue, a, &v, sizeof v, 0, low.size, 0, NULL, NULL));
    v = 2000;
    OK(clEnqueueFillBuffer(c.queue, b, &v, sizeof v, 0, high.size, 0, NULL, NULL));
    cl_int *m = clEnqueueMapBuffer(c.queue, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, low.size, 0, NULL, NULL, &err);
    OK(err);
    size_t half = 2 * align / sizeof v;
    ck_assert_int_eq(m[half - 1], 1000);
    ck_assert_int_eq(m[half], 2000);
    /* A second map for reading, over a part of the first. */
    cl_int *m2 = clEnqueueMapBuffer(c.queue, whole, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_int_eq(m2[half - 1], 1000);
    ck_assert_int_eq(m2[6 * align / sizeof v], (cl_int)(6 * align / sizeof v));
    cl_uint count;
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    ck_assert(count == 1 || lenient());
    m[0] = 77;
    OK(clEnqueueUnmapMemObject(c.queue, whole, m2, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(c.queue, a, m, 0, NULL, NULL));
    OK(clFinish(c.queue));
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 0);
    IS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(c.queue, a, &err, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, whole, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    ck_assert_int_eq(v, 77);
    /* Invalidated: everything of the region is written anew. */
    m = clEnqueueMapBuffer(c.queue, b, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, align, 0, NULL, NULL, &err);
    OK(err);
    OK(clFinish(c.queue));
    for (size_t i = 0; i < align / sizeof v; i++)
        m[i] = (cl_int)i;
    OK(clEnqueueUnmapMemObject(c.queue, b, m, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, whole, CL_TRUE, high.origin + align - sizeof v, sizeof v, &v, 0, NULL, NULL));
    ck_assert_int_eq(v, (cl_int)(align / sizeof v) - 1);
    OK(clReleaseMemObject(whole)); /* the parts keep it */
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    ck_assert_int_eq(v, 77);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

START_TEST(host_pointers_keep_their_meaning)
{
    struct cl c = open_cl(0);
    cl_int *host = aligned_alloc(4096, BYTES), *copy = malloc(BYTES), err;
    void *asked;
    memset(host, 1, BYTES);
    for (int i = 0; i < N; i++)
        copy[i] = 3 + i;
    cl_mem use = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, host);
    cl_mem copied = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, copy);
    cl_mem both = buffer_of(&c, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, BYTES, copy);
    memset(copy, 0, BYTES);
    ck_assert_int_eq(counted_from(&c, copied, 3), N);
    ck_assert_int_eq(counted_from(&c, both, 3), N);
    OK(clGetMemObjectInfo(use, CL_MEM_HOST_PTR, sizeof asked, &asked, NULL));
    ck_assert_ptr_eq(asked, host);
    OK(clGetMemObjectInfo(copied, CL_MEM_HOST_PTR, sizeof asked, &asked, NULL));
    ck_assert_ptr_null(asked);
    set_to(&c, use, 11);
    cl_int *m = clEnqueueMapBuffer(c.queue, use, CL_TRUE, CL_MAP_READ, 64, 256, 0, NULL, NULL, &err);
    OK(err);
    ck_assert_ptr_eq(m, host + 16);
    ck_assert_int_eq(m[0], 27);
    OK(clEnqueueUnmapMemObject(c.queue, use, m, 0, NULL, NULL));
    /* Devices that work in the host's memory show it without a map, and programs rely on it. */
    const char *fault = getenv("YOKE_FAULT");
    bool shown = !fault || !strstr(fault, "own@");
    set_to(&c, use, 500);
    OK(clFinish(c.queue));
    for (int i = 0; i < N && shown; i++)
        ck_assert_int_eq(host[i], 500 + i);
    set_to(&c, use, 900);
    cl_event e;
    OK(clEnqueueMarker(c.queue, &e));
    OK(clWaitForEvents(1, &e));
    for (int i = 0; i < N && shown; i++)
        ck_assert_int_eq(host[i], 900 + i);
    ck_assert_ptr_null(clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, BYTES, NULL, &err));
    IS(CL_INVALID_HOST_PTR, err);
    ck_assert_ptr_null(clCreateBuffer(c.context, 0, BYTES, host, &err));
    IS(CL_INVALID_HOST_PTR, err);
    ck_assert_ptr_null(clCreateBuffer(c.context, 0, 0, NULL, &err));
    IS(CL_INVALID_BUFFER_SIZE, err);
    ck_assert_ptr_null(clCreateBuffer(c.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, BYTES, NULL, &err));
    IS(CL_INVALID_VALUE, err);
    clReleaseEvent(e);
    OK(clReleaseMemObject(use));
    OK(clReleaseMemObject(copied));
    OK(clReleaseMemObject(both));
    close_cl(&c);
    free(host);
    free(copy);
}
END_TEST

/* A program may fill its memory after it has made the buffer over it: what is there when a command first uses it
 * counts. Then maps show what kernels have written, and kernels what was written in maps, of all and of parts. */
START_TEST(maps_of_host_pointers_and_none_agree_with_kernels)
{
    struct cl c = open_cl(0);
    for (int use = 0; use < 2; use++) {
        cl_int *host = aligned_alloc(4096, BYTES), err;
        for (int i = 0; i < N; i++)
            host[i] = use ? 1 : 40 + i;
        cl_mem b = buffer_of(&c, CL_MEM_READ_WRITE | (use ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR), BYTES, host);
        for (int i = 0; i < N; i++)
            host[i] = use ? 40 + i : 2;
        ck_assert_int_eq(counted_from(&c, b, 40), N);
        set_to(&c, b, 7);
        cl_int *all = clEnqueueMapBuffer(c.queue, b, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
        OK(err);
        ck_assert(!use || all == host);
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(all[i], 7 + i);
        OK(clEnqueueUnmapMemObject(c.queue, b, all, 0, NULL, NULL));
        cl_int *part =
            clEnqueueMapBuffer(c.queue, b, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 256, 128, 0, NULL, NULL, &err);
        OK(err);
        OK(clFinish(c.queue));
        for (int i = 0; i < 32; i++)
            part[i] = -i;
        OK(clEnqueueUnmapMemObject(c.queue, b, part, 0, NULL, NULL));
        cl_int got[N];
        OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i], i >= 64 && i < 96 ? 64 - i : 7 + i);
        cl_mem copy = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
        OK(clEnqueueCopyBuffer(c.queue, b, copy, 0, 0, BYTES, 0, NULL, NULL));
        set_to(&c, b, 1000);
        cl_int *anew =
            clEnqueueMapBuffer(c.queue, copy, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, BYTES, 0, NULL, NULL, &err);
        OK(err);
        for (int i = 0; i < N; i++)
            anew[i] = 3 * i;
        OK(clEnqueueUnmapMemObject(c.queue, copy, anew, 0, NULL, NULL));
        OK(clEnqueueCopyBuffer(c.queue, copy, b, 0, 512, 512, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(got[i], i >= 128 && i < 256 ? 3 * (i - 128) : 1000 + i);
        OK(clReleaseMemObject(copy));
        OK(clReleaseMemObject(b));
        OK(clFinish(c.queue));
        free(host);
    }
    close_cl(&c);
}
END_TEST

START_TEST(rects_and_fills_land_where_they_should)
{
    struct cl c = open_cl(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    enum { ROW = 64, WIDE = 16 };
    cl_uchar got[BYTES];
    const size_t from[3] = {8, 2, 1}, to[3] = {4, 5, 0}, region[3] = {WIDE, 3, 2}, zero[3] = {0, 0, 0},
                 none[3] = {0, 1, 1};
    set_to(&c, a, 0);
    cl_uchar fill = 0xee;
    OK(clEnqueueFillBuffer(c.queue, b, &fill, 1, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(c.queue, a, b, from, to, region, ROW, ROW * 8, ROW, ROW * 16, 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(c.queue, b, CL_TRUE, to, zero, region, ROW, ROW * 16, 0, 0, got, 0, NULL, NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < WIDE / 4; x++) {
                cl_int v;
                memcpy(&v, got + (z * 3 + y) * WIDE + x * 4, sizeof v);
                ck_assert_int_eq(v, (cl_int)(((z + 1) * ROW * 8 + (y + 2) * ROW + 8) / 4 + x));
            }
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    ck_assert_uint_eq(got[3], 0xee);
    ck_assert_uint_eq(got[5 * ROW + 4 + WIDE], 0xee);
    if (!lenient())
        IS(CL_INVALID_VALUE, clEnqueueCopyBufferRect(c.queue, a, b, from, to, none, ROW, 0, ROW, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueCopyBufferRect(c.queue, a, b, from, to, region, 8, 0, ROW, 0, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP,
       clEnqueueCopyBufferRect(c.queue, a, a, zero, zero, region, ROW, ROW * 8, ROW, ROW * 8, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(c.queue, a, a, 0, 8, 16, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(c.queue, b, &fill, 3, 0, 9, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(c.queue, b, got, 4, 2, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(c.queue, b, NULL, 1, 0, 8, 0, NULL, NULL));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

static bool shares_memory(const struct cl *c)
{
    cl_device_svm_capabilities can = 0;
    bool does = clGetDeviceInfo(c->device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL) == CL_SUCCESS &&
                (can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    if (!does)
        puts("skipped: no shared virtual memory");
    return does;
}

/* Drivers of OpenCL 1 lack the entries that would refuse: Oclgrind's never comes back from them. */
static bool can_refuse_to_share(const struct cl *c)
{
    char version[64] = "";
    OK(clGetDeviceInfo(c->device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    return strncmp(version, "OpenCL 1", 8) != 0;
}

START_TEST(shared_virtual_memory_is_one_memory)
{
    struct cl c = open_cl(0);
    if (shares_memory(&c)) {
        cl_int *a = clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0),
               *b = clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0);
        cl_int v = 8;
        ck_assert(a && b);
        cl_kernel k = kernel_of(c.program, "set");
        OK(clSetKernelArgSVMPointer(k, 0, a));
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        run(&c, k, NULL);
        OK(clEnqueueSVMMemcpy(c.queue, CL_FALSE, b, a, BYTES, 0, NULL, NULL));
        OK(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, b, BYTES, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(b[i], 8 + i);
        OK(clEnqueueSVMUnmap(c.queue, b, 0, NULL, NULL));
        OK(clEnqueueSVMMemFill(c.queue, b, &v, sizeof v, BYTES, 0, NULL, NULL));
        OK(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL));
        ck_assert_int_eq(b[N - 1], 8);
        OK(clEnqueueSVMUnmap(c.queue, b, 0, NULL, NULL));
        void *gone[] = {a};
        OK(clEnqueueSVMFree(c.queue, 1, gone, NULL, NULL, 0, NULL, NULL));
        OK(clFinish(c.queue));
        OK(clReleaseKernel(k));
        clSVMFree(c.context, b);
        clSVMFree(c.context, NULL);
    } else if (can_refuse_to_share(&c)) {
        cl_int word = 0;
        ck_assert_ptr_null(clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0));
        IS(CL_INVALID_OPERATION, clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ, &word, sizeof word, 0, NULL, NULL));
    }
    close_cl(&c);
}
END_TEST

/* The kernel reaches shared memory by a pointer in a buffer, of which only clSetKernelExecInfo tells. */
START_TEST(shared_virtual_memory_behind_a_pointer)
{
    struct cl c = open_cl(0);
    if (shares_memory(&c)) {
        struct {
            cl_ulong at;
        } holder;
        cl_int err, *a = clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0);
        ck_assert_ptr_nonnull(a);
        cl_program p = build(&c, "struct holder { ulong at; };\n"
                                 "kernel void chase(global const struct holder *h, global int *out) {\n"
                                 "  out[get_global_id(0)] = ((global int *)h->at)[get_global_id(0)]; }\n");
        cl_kernel k = kernel_of(p, "chase");
        OK(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_WRITE, a, BYTES, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            a[i] = 40 + i;
        OK(clEnqueueSVMUnmap(c.queue, a, 0, NULL, NULL));
        holder.at = (cl_ulong)(uintptr_t)a;
        cl_mem h = buffer_of(&c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof holder, &holder);
        cl_mem out = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
        void *reached[] = {a};
        OK(clSetKernelArg(k, 0, sizeof h, &h));
        OK(clSetKernelArg(k, 1, sizeof out, &out));
        for (int i = 0; i < 3; i++) {
            OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
            set_to(&c, out, i);
            run(&c, k, NULL);
            ck_assert_int_eq(counted_from(&c, out, 40), N);
        }
        cl_kernel clone = clCloneKernel(k, &err);
        OK(err);
        set_to(&c, out, 0);
        run(&c, clone, NULL);
        ck_assert_int_eq(counted_from(&c, out, 40), N);
        OK(clReleaseKernel(clone));
        OK(clFinish(c.queue));
        OK(clReleaseKernel(k));
        OK(clReleaseProgram(p));
        OK(clReleaseMemObject(h));
        OK(clReleaseMemObject(out));
        clSVMFree(c.context, a);
    } else if (can_refuse_to_share(&c)) {
        cl_int word = 0;
        const void *reached[] = {&word};
        cl_kernel k = kernel_of(c.program, "add");
        ck_assert_ptr_null(clSVMAlloc(c.context, CL_MEM_READ_WRITE, BYTES, 0));
        IS(CL_INVALID_OPERATION, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
        OK(clReleaseKernel(k));
    }
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_memory", overlapping_sub_buffers_and_maps_are_one_memory, host_pointers_keep_their_meaning,
             maps_of_host_pointers_and_none_agree_with_kernels, rects_and_fills_land_where_they_should,
             shared_virtual_memory_is_one_memory, shared_virtual_memory_behind_a_pointer)
