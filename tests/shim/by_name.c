/* by_name NAME [LIBRARY]: has the platform NAME ("": any but yoke), where LIBRARY has been loaded before anybody asks?
 */
#include <dlfcn.h>
#include <string.h>
#include "tests/shim/plain.h"

int main(int argc, char **argv)
{
    char name[256] = "";
    cl_platform_id platform;
    if (argc < 2 || (argc > 2 && !dlopen(argv[2], RTLD_NOW))) {
        fprintf(stderr, "by_name: %s\n", argc < 2 ? "no NAME" : dlerror());
        return 2;
    }
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
    printf("%s\n", name);
    return strcmp(argv[1], "") ? strcmp(name, argv[1]) != 0 : !name[0] || !strcmp(name, "yoke");
}
