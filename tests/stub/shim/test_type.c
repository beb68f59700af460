/* The device says that it is of one type, the primary's or the one that the user names, and is found by programs that
 * ask for any type that a real device has: they make their code for what it says. */
#include <stdbool.h>
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

static const struct {
    const char *devices, *primary, *as;
    cl_device_type says;
} machine[] = {
    {"cpu", NULL, NULL, CL_DEVICE_TYPE_CPU},      {"gpu", NULL, NULL, CL_DEVICE_TYPE_GPU},
    {"cpu,gpu", NULL, NULL, CL_DEVICE_TYPE_GPU},  {"cpu,gpu", "1", NULL, CL_DEVICE_TYPE_GPU},
    {"cpu,gpu", "0", NULL, CL_DEVICE_TYPE_CPU},   {"cpu", NULL, "gpu", CL_DEVICE_TYPE_GPU},
    {"gpu", NULL, "cpu", CL_DEVICE_TYPE_CPU},     {"cpu,gpu", NULL, "cpu", CL_DEVICE_TYPE_CPU},
    {"cpu,gpu", NULL, "gpu", CL_DEVICE_TYPE_GPU},
};
enum { MACHINES = sizeof machine / sizeof *machine };

START_TEST(it_is_of_one_type)
{
    static const cl_device_type asked[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    bool both = strchr(machine[_i].devices, ',') != NULL;
    cl_platform_id p;
    setenv("YOKE_STUB_DEVICES", machine[_i].devices, 1);
    if (machine[_i].primary)
        setenv("YOKE_PRIMARY", machine[_i].primary, 1);
    if (machine[_i].as)
        setenv("YOKE_AS", machine[_i].as, 1);
    shim_environment();
    OK(clGetPlatformIDs(1, &p, NULL));
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        cl_device_id d;
        cl_device_type type;
        if (!both && !machine[_i].as && asked[i] != CL_DEVICE_TYPE_ALL && asked[i] != machine[_i].says) {
            ck_assert_int_eq(clGetDeviceIDs(p, asked[i], 1, &d, NULL), CL_DEVICE_NOT_FOUND);
            continue;
        }
        OK(clGetDeviceIDs(p, asked[i], 1, &d, NULL));
        OK(clGetDeviceInfo(d, CL_DEVICE_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type & ~(cl_device_type)CL_DEVICE_TYPE_DEFAULT, machine[_i].says);
    }
}
END_TEST

YK_TEST_LOOP_MAIN("type", 120, it_is_of_one_type, MACHINES) /* a process each: the machine is found once */
