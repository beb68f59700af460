#include "shim/object/kernel.h"
#include <stdlib.h>
#include <string.h>
#include "base/alone.h"
#include "shim/core/registry.h"
#include "shim/core/sampler.h"

static void kernel_destroy(struct yk_handle *h)
{
    struct yk_kernel *k = (struct yk_kernel *)h;
    yk_rt.primary->cl->ReleaseKernel(k->fast.real);
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->value[i].kind == YK_VALUE_BYTES)
            yk_value_finish(&k->value[i]);
    __atomic_fetch_sub(&k->program->kernels, 1, __ATOMIC_RELAXED);
    yk_code_drop(k->code);
    yk_drop(&k->program->h);
    yk_exec_info_drop(k->exec);
    free(k->value);
    free(k->param);
    free(k);
}

/* What the driver tells of an argument; many tell nothing (CL_KERNEL_ARG_INFO_NOT_AVAILABLE). */
static enum yk_param ask_param(cl_kernel real, cl_uint i)
{
    cl_kernel_arg_address_qualifier space;
    char type[64] = "";
    const struct yk_cl *cl = yk_rt.primary->cl;
    if (cl->GetKernelArgInfo(real, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL) != CL_SUCCESS)
        return YK_PARAM_UNKNOWN;
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
        return YK_PARAM_LOCAL;
    bool named = cl->GetKernelArgInfo(real, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL) == CL_SUCCESS;
    if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT) /* images too, say some */
        return named && strstr(type, "sampler") ? YK_PARAM_UNKNOWN : YK_PARAM_MEM;
    /* By value: handles (samplers, queues, pipes) or plain bytes. */
    if (!named)
        return YK_PARAM_UNKNOWN;
    return strstr(type, "sampler") || strstr(type, "queue") || strstr(type, "image") || strstr(type, "pipe")
               ? YK_PARAM_UNKNOWN
               : YK_PARAM_VALUE;
}

struct yk_kernel *yk_kernel_wrap(struct yk_program *p, struct yk_build *build, cl_kernel real, cl_int *err)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_uint nargs = 0;
    char name[1024] = "", *more = NULL;
    size_t len = 0;
    *err = cl->GetKernelInfo(real, CL_KERNEL_NUM_ARGS, sizeof nargs, &nargs, NULL);
    if (*err == CL_SUCCESS)
        *err = cl->GetKernelInfo(real, CL_KERNEL_FUNCTION_NAME, 0, NULL, &len);
    if (*err == CL_SUCCESS && len > sizeof name && !(more = malloc(len)))
        *err = CL_OUT_OF_HOST_MEMORY;
    if (*err == CL_SUCCESS)
        *err = cl->GetKernelInfo(real, CL_KERNEL_FUNCTION_NAME, len, more ? more : name, NULL);
    if (*err != CL_SUCCESS) {
        free(more);
        cl->ReleaseKernel(real);
        *err = *err == CL_OUT_OF_HOST_MEMORY ? *err : CL_OUT_OF_RESOURCES;
        return NULL;
    }
    *err = CL_OUT_OF_HOST_MEMORY;
    struct yk_kernel *k = calloc(1, sizeof *k);
    struct yk_value *value = calloc(nargs + 1, sizeof *value);
    unsigned char *param = calloc(nargs + 1, 1);
    struct yk_code *code = k && value && param ? yk_code_create(build, more ? more : name) : NULL;
    free(more);
    if (!code) {
        free(k);
        free(value);
        free(param);
        cl->ReleaseKernel(real);
        return NULL;
    }
    k->program = p;
    yk_hold(&p->h);
    __atomic_fetch_add(&p->kernels, 1, __ATOMIC_RELAXED);
    k->code = code;
    k->fast.real = real;
    k->nargs = k->unset = nargs;
    k->value = value;
    k->param = param;
    for (cl_uint i = 0; i < nargs; i++)
        param[i] = (unsigned char)ask_param(real, i);
    yk_handle_init(&k->h, YK_KIND_KERNEL, kernel_destroy);
    *err = CL_SUCCESS;
    return k;
}

static bool on_heap(const struct yk_value *v)
{
    return v->kind == YK_VALUE_BYTES && v->size > sizeof v->u.bytes;
}

static void keep(struct yk_kernel *k, cl_uint i, const struct yk_value *v)
{
    if (__atomic_load_n(&k->fast.late, __ATOMIC_RELAXED) && i < YK_LATE_ARGS) /* the driver has it by now */
        __atomic_and_fetch(&k->fast.late, ~(UINT64_C(1) << i), __ATOMIC_RELAXED);
    if (k->value[i].kind == YK_VALUE_NONE)
        k->unset--;
    if (on_heap(&k->value[i]))
        yk_value_finish(&k->value[i]);
    k->value[i] = *v;
    if (v->kind == YK_VALUE_MEM)
        k->foreign |= v->u.mem->ctx != k->program->ctx;
}

static cl_int set_mem(struct yk_kernel *k, cl_uint i, struct yk_mem *m)
{
    cl_mem real = yk_mem_real(m, yk_rt.primary->index);
    cl_int err = yk_rt.primary->cl->SetKernelArg(k->fast.real, i, sizeof real, &real);
    if (err == CL_SUCCESS)
        keep(k, i, &(struct yk_value){.kind = YK_VALUE_MEM, .size = sizeof real, .u.given = {m, m->number, real}});
    return err;
}

static cl_int set_bytes(struct yk_kernel *k, cl_uint i, size_t size, const void *value)
{
    cl_int err = yk_rt.primary->cl->SetKernelArg(k->fast.real, i, size, value);
    if (err != CL_SUCCESS)
        return err;
    struct yk_value v = {.kind = YK_VALUE_BYTES, .size = size};
    if (size > sizeof v.u.bytes) {
        v.u.more = malloc(size);
        if (!v.u.more)
            return CL_OUT_OF_HOST_MEMORY;
        memcpy(v.u.more, value, size);
    } else {
        memcpy(v.u.bytes, value, size);
    }
    keep(k, i, &v);
    return CL_SUCCESS;
}

/* A handle of another kind than memory: passed on as the primary's. False: P is no such handle. */
static bool set_handle(struct yk_kernel *k, cl_uint i, void *p, cl_int *err)
{
    void *real = NULL;
    const struct yk_sampler *s = yk_handle_is(p, YK_KIND_SAMPLER) ? p : NULL;
    if (s)
        real = s->real;
    else if (yk_handle_is(p, YK_KIND_QUEUE))
        real = ((struct yk_queue *)p)->real;
    else
        return false;
    *err = yk_rt.primary->cl->SetKernelArg(k->fast.real, i, sizeof real, &real);
    struct yk_value v = {.kind = YK_VALUE_PRIMARY, .size = sizeof real, .u.pointer = real};
    if (s && s->plain && s->ctx == k->program->ctx) {
        v.kind = YK_VALUE_SAMPLER;
        v.u.sampler.real = s->real;
        v.u.sampler.ctx = s->ctx;
        v.u.sampler.sampling = s->sampling;
    }
    if (*err == CL_SUCCESS)
        keep(k, i, &v);
    return true;
}

static __attribute__((noinline)) cl_int set_first(struct yk_kernel *k, cl_uint i, size_t size, const void *value)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    if (i >= k->nargs)
        return cl->SetKernelArg(k->fast.real, i, size, value);
    enum yk_param param = k->param[i];
    if (param == YK_PARAM_VALUE && value)
        return set_bytes(k, i, size, value);
    if (param == YK_PARAM_LOCAL || !value ||
        (size == sizeof(cl_mem) && param == YK_PARAM_MEM && !*(void *const *)value)) {
        cl_int err = cl->SetKernelArg(k->fast.real, i, size, value);
        bool local = param == YK_PARAM_LOCAL || (param == YK_PARAM_UNKNOWN && !value && size != sizeof(cl_mem));
        if (err == CL_SUCCESS)
            keep(k, i, &(struct yk_value){.kind = local ? YK_VALUE_LOCAL : YK_VALUE_NULL, .size = size});
        return err;
    }
    if (size != sizeof(void *))
        return param == YK_PARAM_MEM ? CL_INVALID_ARG_SIZE : set_bytes(k, i, size, value);
    void *p;
    memcpy(&p, value, sizeof p);
    if (param == YK_PARAM_MEM) {
        struct yk_mem *m = yk_mem_from(p);
        return m ? set_mem(k, i, m) : CL_INVALID_MEM_OBJECT;
    }
    if (yk_registry_has(p)) {
        cl_int err;
        if (yk_handle_is(p, YK_KIND_MEM))
            return set_mem(k, i, p);
        if (set_handle(k, i, p, &err))
            return err;
    }
    return set_bytes(k, i, size, value);
}

/* The driver is to be given argument I later (fast.h). */
static inline void note_late(struct yk_kernel *k, cl_uint i)
{
    uint64_t bit = UINT64_C(1) << i;
    if (!(__atomic_load_n(&k->fast.late, __ATOMIC_RELAXED) & bit))
        yk_alone_or64(&k->fast.late, bit);
}

/* The same value once more is no news to the driver. */
static inline bool is_same(const unsigned char *to, size_t size, const void *value)
{
    return size == 4 ? !memcmp(to, value, 4) : size == 8 ? !memcmp(to, value, 8) : !memcmp(to, value, size);
}

cl_int yk_kernel_settle(struct yk_kernel *k)
{
    return yk_fast_settle(&k->fast, k->value, k->nargs);
}

static inline cl_int bytes_again(struct yk_kernel *k, cl_uint i, size_t size, const void *value)
{
    unsigned char *to = k->value[i].u.bytes;
    if (is_same(to, size, value))
        return CL_SUCCESS;
    if (__builtin_expect(i >= YK_LATE_ARGS, 0))
        return set_bytes(k, i, size, value);
    note_late(k, i);
    if (size == 4)
        memcpy(to, value, 4);
    else if (size == 8)
        memcpy(to, value, 8);
    else
        memcpy(to, value, size);
    return CL_SUCCESS;
}

static inline cl_int mem_again(struct yk_kernel *k, cl_uint i, struct yk_mem *m)
{
    struct yk_value *v = &k->value[i];
    cl_mem real = *yk_mem_slot(m, yk_rt.primary->index);
    if (v->u.given.mem == m && v->u.given.number == m->number && v->u.given.real == real)
        return CL_SUCCESS;
    bool may = __atomic_load_n(&k->fast.may, __ATOMIC_RELAXED) >> i % 64 & 1;
    if (!may || i >= YK_LATE_ARGS || !m->store || m->ctx != k->program->ctx)
        return set_mem(k, i, m);
    note_late(k, i);
    v->u.given.mem = m;
    v->u.given.number = m->number;
    v->u.given.real = real;
    return CL_SUCCESS;
}

/* Most calls set an argument again, to a value of the kind and size it has: no new value is made for them, and the
 * driver is not called at once, if at all. VALUE is read only where its size is known to be right. */
cl_int yk_kernel_set(struct yk_kernel *k, cl_uint i, size_t size, const void *value)
{
    if (i >= k->nargs || !value)
        return set_first(k, i, size, value);
    const struct yk_value *v = &k->value[i];
    bool bytes = v->kind == YK_VALUE_BYTES && v->size == size && size <= sizeof v->u.bytes;
    if (bytes && (size != sizeof(void *) || k->param[i] == YK_PARAM_VALUE))
        return bytes_again(k, i, size, value);
    if (size == sizeof(void *) && (bytes || v->kind == YK_VALUE_MEM)) {
        void *p;
        memcpy(&p, value, sizeof p);
        if (v->kind == YK_VALUE_MEM && yk_registry_hit(p) && yk_handle_is(p, YK_KIND_MEM) &&
            __atomic_load_n(yk_mem_slot(p, yk_rt.primary->index), __ATOMIC_ACQUIRE))
            return mem_again(k, i, p);
        if (bytes && yk_registry_never(p))
            return bytes_again(k, i, size, value);
    }
    return set_first(k, i, size, value);
}

void yk_kernel_note_svm(struct yk_kernel *k, cl_uint i, const void *pointer)
{
    if (i < k->nargs)
        keep(k, i,
             &(struct yk_value){.kind = YK_VALUE_SVM, .size = sizeof pointer, .u.pointer = (void *)(uintptr_t)pointer});
}

static cl_int set_like(struct yk_kernel *c, cl_uint i, const struct yk_value *v)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_int err = CL_SUCCESS;
    struct yk_value own;
    switch (v->kind) {
    case YK_VALUE_NONE:
        return CL_SUCCESS;
    case YK_VALUE_BYTES:
        err = cl->SetKernelArg(c->fast.real, i, v->size, yk_value_bytes(v));
        break;
    case YK_VALUE_MEM:
        return set_mem(c, i, v->u.mem);
    case YK_VALUE_NULL:
    case YK_VALUE_LOCAL:
        err = cl->SetKernelArg(c->fast.real, i, v->size, NULL);
        break;
    case YK_VALUE_PRIMARY:
        err = cl->SetKernelArg(c->fast.real, i, sizeof v->u.pointer, &v->u.pointer);
        break;
    case YK_VALUE_SAMPLER:
        err = cl->SetKernelArg(c->fast.real, i, sizeof v->u.sampler.real, &v->u.sampler.real);
        break;
    case YK_VALUE_SVM:
        err = cl->SetKernelArgSVMPointer(c->fast.real, i, v->u.pointer);
        break;
    }
    if (err == CL_SUCCESS && !yk_value_copy(&own, v))
        err = CL_OUT_OF_HOST_MEMORY;
    if (err == CL_SUCCESS)
        keep(c, i, &own);
    return err;
}

struct yk_kernel *yk_kernel_copy(struct yk_kernel *k, cl_int *err)
{
    cl_kernel real = yk_rt.primary->cl->CreateKernel(k->program->real, k->code->name, err);
    struct yk_kernel *c = real ? yk_kernel_wrap(k->program, k->code->build, real, err) : NULL;
    for (unsigned i = 0; c && i < k->nargs; i++)
        if ((*err = set_like(c, i, &k->value[i])) != CL_SUCCESS) {
            yk_handle_release(&c->h);
            c = NULL;
        }
    if (c && (*err = yk_exec_info_set(k->exec, yk_rt.primary->cl, c->fast.real)) != CL_SUCCESS) {
        yk_handle_release(&c->h);
        return NULL;
    }
    if (c)
        c->exec = yk_exec_info_hold(k->exec);
    return c;
}
