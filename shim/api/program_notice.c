#include "shim/api/program_notice.h"
#include <stdlib.h>
#include "base/clock.h"
#include "shim/api/api.h"
#include "shim/queue/callback.h"

struct yk_notice {
    struct yk_context *ctx; /* held */
    struct yk_program *p;   /* held once the call has returned it */
    struct yk_build *build;
    cl_program real; /* that the driver has called with, held */
    uint64_t start;
    void (*fn)(cl_program, void *);
    void *data;
    int32_t ends; /* of two: the driver has called, its call has returned */
};

static void give_up(struct yk_notice *n)
{
    if (n->build)
        yk_build_drop(n->build);
    if (n->real)
        YK_CL_P->ReleaseProgram(n->real);
    if (n->p)
        yk_drop(&n->p->h);
    yk_drop(&n->ctx->h);
    free(n);
}

struct yk_notice *yk_notice_make(struct yk_context *ctx, struct yk_build *b, void (*fn)(cl_program, void *), void *data)
{
    struct yk_notice *n = malloc(sizeof *n);
    if (!n) {
        if (b)
            yk_build_drop(b);
        return NULL;
    }
    *n = (struct yk_notice){.ctx = ctx, .build = b, .start = yk_now_ns(), .fn = fn, .data = data};
    yk_hold(&ctx->h);
    return n;
}

/* Drivers call, and some return success, for builds that have failed. */
static bool all_built(cl_program real)
{
    cl_uint n = 0;
    cl_device_id few[16], *d = few;
    if (YK_CL_P->GetProgramInfo(real, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL) != CL_SUCCESS || !n)
        return false;
    if (n > sizeof few / sizeof *few && !(d = malloc(n * sizeof *d)))
        return false;
    bool good = YK_CL_P->GetProgramInfo(real, CL_PROGRAM_DEVICES, n * sizeof *d, d, NULL) == CL_SUCCESS;
    for (cl_uint i = 0; good && i < n; i++) {
        cl_build_status s = CL_BUILD_ERROR;
        YK_CL_P->GetProgramBuildInfo(real, d[i], CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL);
        good = s == CL_BUILD_SUCCESS || s == CL_BUILD_NONE; /* for another device */
    }
    if (d != few)
        free(d);
    return good;
}

static void tell(void *arg)
{
    struct yk_notice *n = arg;
    n->fn((cl_program)(void *)n->p, n->data); /* of a link that failed: NULL where the driver calls with that */
    give_up(n);
}

/* Both ends are there. */
static cl_int finish(struct yk_notice *n)
{
    if (n->build && n->p && all_built(n->p->real)) {
        yk_program_built(n->p, n->build, (double)(yk_now_ns() - n->start) * 1e-9);
        n->build = NULL;
    }
    if (!n->p && n->real) {
        n->p = yk_program_wrap(n->ctx, YK_PROGRAM_LINKED, n->real, NULL);
        n->real = NULL;
    }
    if (yk_callback_post(tell, n))
        return CL_SUCCESS;
    give_up(n);
    return CL_OUT_OF_RESOURCES;
}

void yk_notice_called(cl_program real, void *notice)
{
    struct yk_notice *n = notice;
    if (!n->real && real && YK_CL_P->RetainProgram(real) == CL_SUCCESS)
        n->real = real;
    if (__atomic_add_fetch(&n->ends, 1, __ATOMIC_ACQ_REL) == 2)
        finish(n);
}

void yk_notice_again(struct yk_notice *n)
{
    __atomic_store_n(&n->ends, 0, __ATOMIC_RELEASE);
}

cl_int yk_notice_returned(struct yk_notice *n, struct yk_program *p, cl_int err)
{
    if (p) {
        yk_hold(&p->h);
        n->p = p;
    }
    if (err != CL_SUCCESS && !__atomic_load_n(&n->ends, __ATOMIC_ACQUIRE)) {
        give_up(n); /* refused: the driver has nothing to call for */
        return err;
    }
    if (__atomic_add_fetch(&n->ends, 1, __ATOMIC_ACQ_REL) != 2)
        return err;
    cl_int rc = finish(n);
    yk_callback_due(); /* the driver has called in the call */
    return err != CL_SUCCESS ? err : rc;
}
