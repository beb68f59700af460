/* A plugin's way of using OpenCL: libyoke.so is opened, used and closed, three times, and the program goes on.
 *
 *     unload LIBRARY */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *library;

static void *named(const char *name)
{
    void *f = dlsym(library, name);
    if (!f) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return f;
}

#define CL(name) ((__typeof__(&name))named(#name))

static int use(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err = CL(clGetPlatformIDs)(1, &platform, NULL), v = 42, out = 0;
    err |= CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context c = CL(clCreateContext)(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue q = CL(clCreateCommandQueue)(c, device, 0, &err);
    cl_mem m = CL(clCreateBuffer)(c, 0, 4096, NULL, &err);
    cl_event gate = CL(clCreateUserEvent)(c, &err);
    err |= CL(clEnqueueFillBuffer)(q, m, &v, sizeof v, 0, 4096, 1, &gate, NULL); /* a thread for the queue */
    err |= CL(clSetUserEventStatus)(gate, CL_COMPLETE);
    err |= CL(clEnqueueReadBuffer)(q, m, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
    err |= CL(clReleaseEvent)(gate) | CL(clReleaseMemObject)(m) | CL(clReleaseCommandQueue)(q);
    return err | CL(clReleaseContext)(c) | (out != 42);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++) {
        library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!library || use())
            return 1;
        dlclose(library);
        usleep(20000);
    }
    puts("used and closed");
    return 0;
}
