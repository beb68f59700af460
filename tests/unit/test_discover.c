/* device/machine.c over a driver made by hand: what no driver here can show. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

YK_TEST_MAIN("discover", devices_unlike_the_primary_are_left_out, a_32_bit_primary_leaves_out_the_64_bit_ones,
             names_are_tidied_and_cut, a_silent_device_is_ignored, more_devices_than_there_is_room_for,
             parts_use_all_compute_units, a_gpu_with_its_own_memory_is_not_tried,
             of_devices_that_are_alike_one_is_tried)
