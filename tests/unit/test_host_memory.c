/* device/host_memory.c over drivers made by hand: is a buffer over the host's memory that memory itself? */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/machine.h"
#include "device/opencl/real.h"
#include "tests/unit/main.h"

/* Transfers that do as told. */
static enum { SHADOW_OUT, SHADOW_IN, MOVES_MAP, STUCK, HONEST } manner;
static unsigned char *app, shadow[65536];
static size_t mem_size = 8192;

/* Memory of the host that is aligned to less is copied. */
static size_t least = 1;
static bool copied;

static cl_context some_context(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                               void (*f)(const char *, const void *, size_t, void *), void *u, cl_int *err)
{
    (void)p, (void)n, (void)d, (void)f, (void)u;
    *err = CL_SUCCESS;
    return (cl_context)(uintptr_t)1;
}
static cl_command_queue some_queue(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *err)
{
    (void)c, (void)d, (void)p;
    *err = CL_SUCCESS;
    return (cl_command_queue)(uintptr_t)1;
}
static cl_mem some_buffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *err)
{
    (void)c;
    ck_assert_uint_le(size, sizeof shadow);
    mem_size = size;
    *err = CL_SUCCESS;
    if (flags & CL_MEM_USE_HOST_PTR)
        app = host, copied = (uintptr_t)host % least != 0;
    return (cl_mem)(uintptr_t)(flags & CL_MEM_USE_HOST_PTR ? 1 : 2);
}
static cl_int fill(cl_command_queue q, cl_mem b, const void *v, size_t n, size_t off, size_t size, cl_uint w,
                   const cl_event *l, cl_event *e)
{
    (void)q, (void)b, (void)n, (void)off, (void)w, (void)l;
    memset(manner == SHADOW_OUT || copied ? shadow : app, *(const unsigned char *)v, size);
    *e = (cl_event)(uintptr_t)1;
    return CL_SUCCESS;
}
static cl_int copy(cl_command_queue q, cl_mem a, cl_mem b, size_t o, size_t p, size_t size, cl_uint w,
                   const cl_event *l, cl_event *e)
{
    (void)q, (void)a, (void)b, (void)o, (void)p, (void)w, (void)l;
    if (manner != SHADOW_IN)
        memcpy(shadow, app, size);
    *e = (cl_event)(uintptr_t)1;
    return CL_SUCCESS;
}
static cl_int read_back(cl_command_queue q, cl_mem b, cl_bool block, size_t off, size_t size, void *to, cl_uint w,
                        const cl_event *l, cl_event *e)
{
    (void)q, (void)b, (void)block, (void)off, (void)w, (void)l;
    memcpy(to, shadow, size);
    *e = (cl_event)(uintptr_t)1;
    return CL_SUCCESS;
}
static void *map(cl_command_queue q, cl_mem b, cl_bool block, cl_map_flags f, size_t off, size_t size, cl_uint w,
                 const cl_event *l, cl_event *e, cl_int *err)
{
    (void)q, (void)b, (void)block, (void)f, (void)off, (void)size, (void)w, (void)l;
    *e = (cl_event)(uintptr_t)1;
    *err = CL_SUCCESS;
    return manner == MOVES_MAP ? shadow : app;
}
static cl_int unmap(cl_command_queue q, cl_mem b, void *p, cl_uint w, const cl_event *l, cl_event *e)
{
    (void)q, (void)b, (void)p, (void)w, (void)l;
    *e = (cl_event)(uintptr_t)1;
    return CL_SUCCESS;
}
static cl_int flush(cl_command_queue q)
{
    (void)q;
    return CL_SUCCESS;
}
static cl_int event_state(cl_event e, cl_event_info what, size_t room, void *out, size_t *ret)
{
    (void)e, (void)what, (void)ret;
    const cl_int state = manner == STUCK ? CL_RUNNING : CL_COMPLETE;
    if (room < sizeof state)
        return CL_INVALID_VALUE;
    memcpy(out, &state, sizeof state);
    return CL_SUCCESS;
}
static cl_int wait_for(cl_uint n, const cl_event *e)
{
    (void)n, (void)e;
    return CL_SUCCESS;
}

START_TEST(host_memory_is_proved_in_every_direction)
{
    struct yk_cl cl = *yk_cl_missing();
    cl.CreateContext = some_context;
    cl.CreateCommandQueue = some_queue;
    cl.CreateBuffer = some_buffer;
    cl.EnqueueFillBuffer = fill;
    cl.EnqueueCopyBuffer = copy;
    cl.EnqueueReadBuffer = read_back;
    cl.EnqueueMapBuffer = map;
    cl.EnqueueUnmapMemObject = unmap;
    cl.Flush = flush;
    cl.GetEventInfo = event_state;
    cl.WaitForEvents = wait_for;
    yk_log_set_level(YK_LOG_ERROR);
    struct yk_device d = {.name = "plain", .type = CL_DEVICE_TYPE_CPU, .mem_align_bits = 1024, .usable = true};
    size_t align;
    for (manner = SHADOW_OUT; manner < HONEST; manner++) {
        uint64_t t = yk_now_ns();
        ck_assert(!yk_device_host_memory(&cl, &d, &align));
        ck_assert_uint_eq(align, 4096);
        static unsigned char *left_alone; /* what a stuck driver might write to stays; LeakSanitizer shall know it */
        left_alone = manner == STUCK ? app : left_alone;
        ck_assert_uint_lt(yk_now_ns() - t, 10000000000u); /* also where the driver never finishes */
    }
    const size_t aligned_to[] = {1, 4, 16, 128, 4096}, found[] = {4, 4, 16, 128, 4096};
    for (unsigned i = 0; i < sizeof found / sizeof *found; i++) {
        least = aligned_to[i];
        ck_assert(yk_device_host_memory(&cl, &d, &align));
        ck_assert_uint_eq(align, found[i]); /* 128: the driver's own */
    }
    d.usable = false;
    ck_assert(!yk_device_host_memory(&cl, &d, &align));
}
END_TEST

YK_TEST_MAIN("host_memory", host_memory_is_proved_in_every_direction)
