/* The stub's memory: bytes of every transfer, host pointers, sub-buffers, a device that is full. */
#include <stdint.h>
#include "tests/stub/rig.h"
#include "tests/unit/main.h"

static struct rig r;

/* Bytes of rectangles, fills, copies and maps against plain loops. */
START_TEST(transfers_move_the_right_bytes)
{
    rig_open(&r, rig_load("cpu,gpu", NULL), 0);
    for (unsigned d = 0; d < r.n; d++) {
        unsigned char host[64], back[64], want[64];
        cl_int rc;
        for (int i = 0; i < 64; i++)
            host[i] = (unsigned char)i;
        cl_mem m = r.cl->CreateBuffer(r.context[d], CL_MEM_COPY_HOST_PTR, 64, host, &rc);
        rig_ok(rc);
        memcpy(want, host, 64);
        const unsigned short pattern = 0xbeef;
        rig_ok(r.cl->EnqueueFillBuffer(r.queue[d], m, &pattern, 2, 8, 6, 0, NULL, NULL));
        for (int i = 8; i < 14; i += 2)
            memcpy(want + i, &pattern, 2);
        rig_ok(r.cl->EnqueueCopyBuffer(r.queue[d], m, m, 0, 32, 8, 0, NULL, NULL));
        memcpy(want + 32, want, 8);
        ck_assert_int_eq(r.cl->EnqueueCopyBuffer(r.queue[d], m, m, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
        rig_ok(r.cl->EnqueueWriteBufferRect(r.queue[d], m, CL_TRUE, (size_t[]){2, 5, 0}, (size_t[]){1, 0, 0},
                                            (size_t[]){3, 2, 1}, 8, 0, 16, 0, host, 0, NULL, NULL));
        for (int y = 0; y < 2; y++)
            memcpy(want + 8 * (5 + y) + 2, host + 16 * y + 1, 3);
        unsigned char *p =
            r.cl->EnqueueMapBuffer(r.queue[d], m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 60, 4, 0, NULL, NULL, &rc);
        rig_ok(rc);
        ck_assert_uint_eq(p[1], 61);
        p[1] = want[61] = 7;
        rig_ok(r.cl->EnqueueUnmapMemObject(r.queue[d], m, p, 0, NULL, NULL));
        ck_assert_int_eq(r.cl->EnqueueUnmapMemObject(r.queue[d], m, p, 0, NULL, NULL), CL_INVALID_VALUE);
        rig_ok(r.cl->EnqueueReadBuffer(r.queue[d], m, CL_TRUE, 0, 64, back, 0, NULL, NULL));
        ck_assert_mem_eq(back, want, 64);
        ck_assert_int_eq(r.cl->EnqueueReadBuffer(r.queue[d], m, CL_TRUE, 60, 5, back, 0, NULL, NULL), CL_INVALID_VALUE);
        rig_ok(r.cl->ReleaseMemObject(m));
    }
    rig_close(&r);
}
END_TEST

START_TEST(host_pointers_are_shared_only_by_host_devices)
{
    rig_open(&r, rig_load("cpu,gpu", NULL), 0);
    for (unsigned d = 0; d < r.n; d++) {
        static _Alignas(128) uint32_t host[32];
        cl_int rc;
        memset(host, 0, sizeof host);
        cl_mem m = r.cl->CreateBuffer(r.context[d], CL_MEM_USE_HOST_PTR, sizeof host, host, &rc);
        cl_kernel k = rig_kernel(&r, d, "iota");
        rig_ok(r.cl->SetKernelArg(k, 0, sizeof m, &m));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){32}, NULL, 0, NULL, NULL));
        rig_ok(r.cl->Finish(r.queue[d]));
        ck_assert_uint_eq(host[31], d ? 0 : 31);
        void *p = r.cl->EnqueueMapBuffer(r.queue[d], m, CL_TRUE, CL_MAP_READ, 4, 124, 0, NULL, NULL, &rc);
        ck_assert_ptr_eq(p, host + 1);
        ck_assert_uint_eq(host[31], 31);
        rig_ok(r.cl->EnqueueUnmapMemObject(r.queue[d], m, p, 0, NULL, NULL));
        rig_ok(r.cl->Finish(r.queue[d]));
        rig_ok(r.cl->ReleaseKernel(k));
        rig_ok(r.cl->ReleaseMemObject(m));
    }
    rig_close(&r);
}
END_TEST

START_TEST(sub_buffers_see_their_parent)
{
    rig_open(&r, rig_load("gpu", NULL), 0);
    cl_int rc;
    cl_mem m = rig_buffer(&r, 0, 512);
    const cl_buffer_region good = {128, 128}, crooked = {4, 128}, wide = {384, 256};
    cl_mem s = r.cl->CreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &rc);
    rig_ok(rc);
    r.cl->CreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &rc);
    ck_assert_int_eq(rc, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    r.cl->CreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &wide, &rc);
    ck_assert_int_eq(rc, CL_INVALID_VALUE);
    rig_ok(r.cl->ReleaseMemObject(m)); /* the sub-buffer keeps it */
    uint32_t v = 42, got = 0;
    rig_ok(r.cl->EnqueueWriteBuffer(r.queue[0], s, CL_TRUE, 64, 4, &v, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], s, CL_TRUE, 64, 4, &got, 0, NULL, NULL));
    ck_assert_uint_eq(got, 42);
    rig_ok(r.cl->ReleaseMemObject(s));
    rig_close(&r);
}
END_TEST

START_TEST(device_memory_ends)
{
    rig_open(&r, rig_load("gpu:1M", NULL), 0);
    cl_int rc;
    cl_mem m = rig_buffer(&r, 0, 1 << 20);
    ck_assert_ptr_null(r.cl->CreateBuffer(r.context[0], 0, 1, NULL, &rc));
    ck_assert_int_eq(rc, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    rig_ok(r.cl->ReleaseMemObject(m));
    rig_ok(r.cl->ReleaseMemObject(rig_buffer(&r, 0, 1 << 20)));
    rig_close(&r);
}
END_TEST

YK_TEST_MAIN("stub memory", transfers_move_the_right_bytes, host_pointers_are_shared_only_by_host_devices,
             sub_buffers_see_their_parent, device_memory_ends)
