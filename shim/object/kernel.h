/* Virtual kernels: the primary's real kernel (on which clSetKernelArg works at once, for its errors and for launches
 * that go whole), the values given (captured by launches that do not), and the code over all devices. Who uses it:
 * api/. */
#ifndef YK_SHIM_OBJECT_KERNEL_H
#define YK_SHIM_OBJECT_KERNEL_H

#include "shim/object/program.h"
#include "shim/queue/launch.h"

/* What clSetKernelArg expects of an argument. */
enum yk_param { YK_PARAM_UNKNOWN, YK_PARAM_VALUE, YK_PARAM_MEM, YK_PARAM_LOCAL };

struct yk_kernel {
    struct yk_handle h;
    struct yk_program *program; /* held */
    struct yk_code *code;       /* held */
    struct yk_fast fast;
    unsigned nargs, unset;     /* arguments; how many of them have no value yet */
    bool foreign;              /* a buffer of another context has been an argument, and may still be */
    struct yk_value *value;    /* memory objects in it are not held: the app keeps them until the launch */
    unsigned char *param;      /* enum yk_param */
    struct yk_exec_info *exec; /* held; NULL: none */
};

/** Takes over REAL (a kernel of P->real, or a clone). NULL: CL_OUT_OF_HOST_MEMORY or CL_OUT_OF_RESOURCES in *ERR (REAL
 * released). */
struct yk_kernel *yk_kernel_wrap(struct yk_program *p, struct yk_build *build, cl_kernel real, cl_int *err);

/** clSetKernelArg. Thread: one per kernel, as the specification says. */
cl_int yk_kernel_set(struct yk_kernel *k, cl_uint i, size_t size, const void *value);

/** What the real kernel has not been given yet is set on it, where something else than a launch looks at it. Errors: as
 * yk_fast_settle. */
cl_int yk_kernel_settle(struct yk_kernel *k);

/** Remember a value that was set on the real kernel in another way (SVM pointer). */
void yk_kernel_note_svm(struct yk_kernel *k, cl_uint i, const void *pointer);

/** Another kernel with the arguments that K has now; not clCloneKernel, which older drivers lack. The caller is the
 * only owner. NULL: the driver's error in *ERR. */
struct yk_kernel *yk_kernel_copy(struct yk_kernel *k, cl_int *err);

static inline struct yk_kernel *yk_kernel_from(cl_kernel c)
{
    return yk_handle_is((void *)c, YK_KIND_KERNEL) ? (struct yk_kernel *)(void *)c : NULL;
}

#endif
