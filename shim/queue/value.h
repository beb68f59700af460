/* The value of a kernel's argument, as clSetKernelArg was given it. Who uses it: object/kernel.c keeps them, launches
 * capture them. */
#ifndef YK_SHIM_QUEUE_VALUE_H
#define YK_SHIM_QUEUE_VALUE_H

#include <string.h>
#include "shim/core/sampler.h"
#include "shim/memory/mem.h"

enum yk_value_kind {
    YK_VALUE_NONE,    /* not set yet */
    YK_VALUE_BYTES,   /* a scalar, vector or struct */
    YK_VALUE_MEM,     /* a memory object */
    YK_VALUE_NULL,    /* a NULL memory object */
    YK_VALUE_LOCAL,   /* local memory of `size` bytes */
    YK_VALUE_PRIMARY, /* a real handle of the primary (queue, sampler of unusual kind): launches with it run whole */
    YK_VALUE_SAMPLER,
    YK_VALUE_SVM /* an SVM pointer: whole */
};

struct yk_value {
    enum yk_value_kind kind;
    size_t size;
    union {
        unsigned char bytes[32];
        void *more; /* size > 32: on the heap, owned */
        struct yk_mem *mem;
        struct {
            struct yk_mem *mem;
            uint64_t number; /* its number */
            cl_mem real;     /* what the kernel of struct yk_fast was given for it */
        } given;             /* of that kernel's values only */
        struct {
            cl_sampler real;        /* the primary's */
            struct yk_context *ctx; /* the kernel's */
            struct yk_sampling sampling;
        } sampler;
        void *pointer;
    } u;
};

/** Bytes of a value of kind BYTES. */
static inline const void *yk_value_bytes(const struct yk_value *v)
{
    return v->size > sizeof v->u.bytes ? v->u.more : (const void *)v->u.bytes;
}

/** V's bytes to TO: of most values four or eight, for which no call is made. */
static inline void yk_value_bytes_to(void *to, const struct yk_value *v)
{
    if (v->size == 4)
        memcpy(to, v->u.bytes, 4);
    else if (v->size == 8)
        memcpy(to, v->u.bytes, 8);
    else
        memcpy(to, yk_value_bytes(v), v->size);
}

/** Deep copy of a value (memory objects are held). False: no memory. */
bool yk_value_copy(struct yk_value *to, const struct yk_value *from);
void yk_value_finish(struct yk_value *v);

/** The same where somebody else holds the memory objects. */
bool yk_value_copy_bytes(struct yk_value *to, const struct yk_value *from);
void yk_value_finish_bytes(struct yk_value *v);

/** V as argument I of the real kernel K of device DEV, whose functions are CL. Errors: the driver's,
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_KERNEL_ARGS where it has none. No lock held. */
cl_int yk_value_set(const struct yk_cl *cl, cl_kernel k, cl_uint i, const struct yk_value *v, unsigned dev);

#endif
