/* device/machine.c over a driver made by hand: what no driver here can show. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/machine.h"
#include "device/opencl/real.h"
#include "tests/unit/main.h"

struct fake {
    const char *name, *version;
    cl_device_type type;
    cl_uint bits, units;
    cl_bool little, available, compiler, unified, silent, mute; /* mute: does not tell its limits */
};

static struct fake fake[40];
static cl_uint n_fakes;
static bool by_counts, equally;
static unsigned contexts, released;

static cl_int get_platforms(cl_uint n, cl_platform_id *p, cl_uint *count)
{
    if (p && n)
        p[0] = (cl_platform_id)(uintptr_t)1;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int get_devices(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *d, cl_uint *count)
{
    (void)p;
    (void)type;
    for (cl_uint i = 0; d && i < n && i < n_fakes; i++)
        d[i] = (cl_device_id)&fake[i];
    if (count)
        *count = n_fakes;
    return n_fakes ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int answer(const void *value, size_t size, size_t room, void *out, size_t *ret)
{
    if (ret)
        *ret = size;
    if (out && room < size)
        return CL_INVALID_VALUE;
    if (out)
        memcpy(out, value, size);
    return CL_SUCCESS;
}

#define ANSWER(type, v) answer(&(type){v}, sizeof(type), room, out, ret)
#define ANSWER_TEXT(s)  answer((s), strlen(s) + 1, room, out, ret)

static cl_int platform_info(cl_platform_id p, cl_platform_info what, size_t room, void *out, size_t *ret)
{
    (void)p;
    return what == CL_PLATFORM_NAME ? ANSWER_TEXT("  Fakes\t\n") : ANSWER_TEXT("OpenCL 3.0 fake");
}

static cl_int device_info(cl_device_id id, cl_device_info what, size_t room, void *out, size_t *ret)
{
    const struct fake *f = (const struct fake *)id;
    const size_t item[3] = {64, 64, 64};
    if (f->silent)
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_DEVICE_TYPE:
        return ANSWER(cl_device_type, f->type);
    case CL_DEVICE_NAME:
        return ANSWER_TEXT(f->name);
    case CL_DEVICE_VERSION:
        return ANSWER_TEXT(f->version);
    case CL_DEVICE_ADDRESS_BITS:
        return ANSWER(cl_uint, f->bits);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return ANSWER(cl_uint, f->units);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return ANSWER(size_t, f->mute ? 0 : 64);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer(item, sizeof item, room, out, ret);
    case CL_DEVICE_ENDIAN_LITTLE:
        return ANSWER(cl_bool, f->little);
    case CL_DEVICE_AVAILABLE:
        return ANSWER(cl_bool, f->available);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return ANSWER(cl_bool, f->compiler);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return ANSWER(cl_bool, f->unified);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int sub_devices(cl_device_id id, const cl_device_partition_property *how, cl_uint n, cl_device_id *out,
                          cl_uint *count)
{
    cl_uint made = 0;
    if (how[0] == CL_DEVICE_PARTITION_BY_COUNTS && by_counts)
        while (how[made + 1] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END)
            made++;
    else if (how[0] == CL_DEVICE_PARTITION_EQUALLY && equally)
        made = ((struct fake *)id)->units / (cl_uint)how[1];
    else
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; out && i < made && i < n; i++) {
        fake[20 + i] = *(struct fake *)id;
        fake[20 + i].units = how[0] == CL_DEVICE_PARTITION_BY_COUNTS ? (cl_uint)how[i + 1] : (cl_uint)how[1];
        out[i] = (cl_device_id)&fake[20 + i];
    }
    if (count)
        *count = made;
    return CL_SUCCESS;
}

static cl_int release_device(cl_device_id id)
{
    (void)id;
    released++;
    return CL_SUCCESS;
}

static cl_context create_context(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                                 void (*f)(const char *, const void *, size_t, void *), void *u, cl_int *err)
{
    (void)p, (void)n, (void)d, (void)f, (void)u;
    contexts++;
    if (err)
        *err = CL_OUT_OF_RESOURCES;
    return NULL;
}

static struct yk_cl table(void)
{
    struct yk_cl cl = *yk_cl_missing();
    cl.GetPlatformIDs = get_platforms;
    cl.GetPlatformInfo = platform_info;
    cl.GetDeviceIDs = get_devices;
    cl.GetDeviceInfo = device_info;
    cl.CreateSubDevices = sub_devices;
    cl.ReleaseDevice = release_device;
    cl.CreateContext = create_context;
    return cl;
}

static const struct fake plain = {"plain", "OpenCL 1.2 x", CL_DEVICE_TYPE_CPU, 64, 4, 1, 1, 1, 1, 0, 0};
static struct yk_cl cl;
static struct yk_machine m;

static yk_status discover(const struct yk_machine_settings *s)
{
    static const struct yk_machine_settings nothing;
    yk_log_set_level(YK_LOG_ERROR);
    cl = table();
    return yk_machine_discover(&cl, s ? s : &nothing, &m);
}

START_TEST(devices_unlike_the_primary_are_left_out)
{
    for (int i = 0; i < 8; i++)
        fake[i] = plain;
    n_fakes = 8;
    fake[1].bits = 32;
    fake[2].little = 0;
    fake[3].available = 0;
    fake[4].compiler = 0;
    fake[5].version = "OpenCL 1.0 old";
    fake[6].type = CL_DEVICE_TYPE_CUSTOM;
    fake[7].mute = 1;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert_uint_eq(m.n, 8);
    ck_assert_uint_eq(m.primary, 0);
    static const char *const why[] = {"",         "address size",     "byte order",       "not available",
                                      "compiler", "no global offset", "built-in kernels", "how large"};
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_int_eq(m.device[i].usable, i == 0);
        ck_assert_msg(strstr(m.device[i].why_not, why[i]), "%s", m.device[i].why_not);
        ck_assert_uint_eq(m.device[i].twin, i);
    }
    ck_assert_uint_eq(contexts, 1); /* only what is used is tried */
}
END_TEST

START_TEST(a_32_bit_primary_leaves_out_the_64_bit_ones)
{
    struct yk_machine_settings s = {.primary = "1"};
    fake[0] = fake[1] = plain;
    fake[1].bits = 32;
    fake[1].name = "small";
    n_fakes = 2;
    ck_assert_int_eq(discover(&s), YK_OK);
    ck_assert(m.primary == 1 && m.device[1].usable && !m.device[0].usable);
}
END_TEST

START_TEST(names_are_tidied_and_cut)
{
    char name[400] = "  \tpadded\nname";
    memset(name + 14, 'x', 300);
    fake[0] = plain;
    fake[0].name = name;
    n_fakes = 1;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert(!strncmp(m.device[0].name, "padded namexxx", 14));
    ck_assert_uint_eq(strlen(m.device[0].name), YK_NAME_MAX - 1);
    ck_assert_str_eq(m.device[0].platform_name, "Fakes");
    ck_assert_uint_eq(m.device[0].version, 120);
    ck_assert_str_eq(m.device[0].driver, ""); /* the driver does not answer */
}
END_TEST

START_TEST(a_silent_device_is_ignored)
{
    fake[0] = fake[1] = plain;
    fake[0].silent = 1;
    n_fakes = 2;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert_uint_eq(m.n, 1);
    fake[1].silent = 1;
    ck_assert_int_eq(discover(NULL), YK_ENOTFOUND);
    n_fakes = 0;
    ck_assert_int_eq(discover(NULL), YK_ENOTFOUND);
}
END_TEST

START_TEST(more_devices_than_there_is_room_for)
{
    for (int i = 0; i < 40; i++)
        fake[i] = plain;
    n_fakes = 40;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert_uint_eq(m.n, YK_MAX_DEVICES);
}
END_TEST

START_TEST(parts_use_all_compute_units)
{
    struct yk_machine_settings s = {.cpu_parts = "3"};
    fake[0] = plain;
    fake[0].units = 8;
    n_fakes = 1;
    by_counts = true;
    ck_assert_int_eq(discover(&s), YK_OK);
    ck_assert_uint_eq(m.n, 3);
    ck_assert(m.device[0].compute_units == 3 && m.device[1].compute_units == 3 && m.device[2].compute_units == 2);
    by_counts = false;
    equally = true; /* 8 / (8/3) = 4 parts: one is too many */
    ck_assert_int_eq(discover(&s), YK_OK);
    ck_assert_uint_eq(m.n, 3);
    ck_assert_uint_eq(released, 1);
    equally = false;
    ck_assert_int_eq(discover(&s), YK_OK);
    ck_assert_uint_eq(m.n, 1);
    fake[0].type = CL_DEVICE_TYPE_GPU; /* never cut */
    equally = true;
    ck_assert_int_eq(discover(&s), YK_OK);
    ck_assert_uint_eq(m.n, 1);
}
END_TEST

START_TEST(a_gpu_with_its_own_memory_is_not_tried)
{
    fake[0] = plain;
    fake[0].type = CL_DEVICE_TYPE_GPU;
    fake[0].unified = 0;
    n_fakes = 1;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert(!m.device[0].host_memory);
    ck_assert_uint_eq(contexts, 0);
    fake[0].unified = 1;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert_uint_eq(contexts, 1);
    ck_assert(!m.device[0].host_memory); /* no context, no proof */
}
END_TEST

START_TEST(of_devices_that_are_alike_one_is_tried)
{
    fake[0] = fake[1] = fake[2] = plain;
    fake[1].name = "other";
    n_fakes = 3;
    contexts = 0;
    ck_assert_int_eq(discover(NULL), YK_OK);
    ck_assert_uint_eq(m.n, 3);
    ck_assert_uint_eq(contexts, 2);
    ck_assert_uint_eq(m.device[2].host_align, m.device[0].host_align);
    ck_assert(m.device[2].host_memory == m.device[0].host_memory);
}
END_TEST

/* Drivers for the trial of host memory: transfers that do as told. */
static enum { SHADOW_OUT, SHADOW_IN, MOVES_MAP, STUCK, HONEST } manner;
static unsigned char *app, shadow[65536];
static size_t mem_size = 8192;

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
        app = host;
    return (cl_mem)(uintptr_t)(flags & CL_MEM_USE_HOST_PTR ? 1 : 2);
}
static cl_int fill(cl_command_queue q, cl_mem b, const void *v, size_t n, size_t off, size_t size, cl_uint w,
                   const cl_event *l, cl_event *e)
{
    (void)q, (void)b, (void)n, (void)off, (void)w, (void)l;
    memset(manner == SHADOW_OUT ? shadow : app, *(const unsigned char *)v, size);
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
    (void)e, (void)what;
    return ANSWER(cl_int, manner == STUCK ? CL_RUNNING : CL_COMPLETE);
}
static cl_int wait_for(cl_uint n, const cl_event *e)
{
    (void)n, (void)e;
    return CL_SUCCESS;
}

START_TEST(host_memory_is_proved_in_every_direction)
{
    fake[0] = plain;
    cl = table();
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
    struct yk_device d;
    size_t align;
    ck_assert(yk_device_query(&cl, NULL, (cl_device_id)&fake[0], &d));
    for (manner = SHADOW_OUT; manner < HONEST; manner++) {
        uint64_t t = yk_now_ns();
        ck_assert(!yk_device_host_memory(&cl, &d, &align));
        ck_assert_uint_eq(align, 4096);
        static unsigned char *left_alone; /* what a stuck driver might write to stays; LeakSanitizer shall know it */
        left_alone = manner == STUCK ? app : left_alone;
        ck_assert_uint_lt(yk_now_ns() - t, 10000000000u); /* also where the driver never finishes */
    }
    ck_assert(yk_device_host_memory(&cl, &d, &align));
    ck_assert_uint_eq(align, 128); /* the driver's own alignment does too */
    d.usable = false;
    ck_assert(!yk_device_host_memory(&cl, &d, &align));
}
END_TEST

YK_TEST_MAIN("discover", devices_unlike_the_primary_are_left_out, a_32_bit_primary_leaves_out_the_64_bit_ones,
             names_are_tidied_and_cut, a_silent_device_is_ignored, more_devices_than_there_is_room_for,
             parts_use_all_compute_units, a_gpu_with_its_own_memory_is_not_tried,
             of_devices_that_are_alike_one_is_tried, host_memory_is_proved_in_every_direction)
