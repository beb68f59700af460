/* A buffer over shared virtual memory says so, wherever its bytes live. Knows nothing of yoke. */
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/shim/plain.h"

int main(void)
{
    enum { BYTES = 1 << 16 };
    struct plain p = plain_open(0, "kernel void nothing(void) {}");
    cl_device_svm_capabilities can = 0;
    cl_int err;
    if (clGetDeviceInfo(p.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL) != CL_SUCCESS || !can)
        return 0;
    char *svm = clSVMAlloc(p.context, CL_MEM_READ_WRITE, BYTES, 0), *plain = malloc(BYTES);
    void *at[] = {svm, plain};
    if (!svm || !plain)
        return 1;
    for (int i = 0; i < 2; i++) {
        cl_bool uses = 7;
        cl_mem m = clCreateBuffer(p.context, CL_MEM_USE_HOST_PTR, BYTES, at[i], &err);
        check(err, "clCreateBuffer");
        check(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL), "clGetMemObjectInfo");
        if (uses != (i == 0))
            return fprintf(stderr, "buffer %d: %u\n", i, uses), 1;
        check(clReleaseMemObject(m), "clReleaseMemObject");
    }
    clSVMFree(p.context, svm);
    free(plain);
    return 0;
}
