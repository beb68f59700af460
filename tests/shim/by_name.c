/* by_name PLATFORM DEVICE [LIBRARY]: does the platform's name begin with yoke (PLATFORM yoke) or not (other), and the
 * device's, where LIBRARY has been loaded before anybody asks? That it is yoke who answers the driver's version says.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include "tests/shim/plain.h"

static bool is_yokes(const char *name)
{
    return !strncmp(name, "yoke", 4);
}

int main(int argc, char **argv)
{
    char platform_name[256] = "", device_name[256] = "", version[256] = "";
    cl_platform_id platform;
    cl_device_id device;
    if (argc < 3 || (argc > 3 && !dlopen(argv[3], RTLD_NOW))) {
        fprintf(stderr, "by_name: %s\n", argc < 3 ? "no PLATFORM or no DEVICE" : dlerror());
        return 2;
    }
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL),
          "clGetPlatformInfo");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name, device_name, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL), "clGetDeviceInfo");
    printf("%s, %s, %s\n", platform_name, device_name, version);
    return strncmp(version, YOKE_VERSION "+", strlen(YOKE_VERSION "+")) != 0 ||
           is_yokes(platform_name) != is_yokes(argv[1]) || is_yokes(device_name) != is_yokes(argv[2]);
}
