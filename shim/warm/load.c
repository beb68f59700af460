#include "shim/warm/load.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_program from_source(const struct yk_device *d, cl_context ctx, const struct yk_warm_request *r)
{
    cl_int err;
    const char *source = r->source;
    cl_program p = d->cl->CreateProgramWithSource(ctx, 1, &source, NULL, &err);
    return p && d->cl->BuildProgram(p, 1, &d->id, r->options, NULL, NULL) == CL_SUCCESS ? p : NULL;
}

static cl_program from_binary(const struct yk_device *d, cl_context ctx, const unsigned char *binary, size_t n)
{
    cl_int err, status;
    cl_program p = d->cl->CreateProgramWithBinary(ctx, 1, &d->id, &n, &binary, &status, &err);
    return p && d->cl->BuildProgram(p, 1, &d->id, NULL, NULL, NULL) == CL_SUCCESS ? p : NULL;
}

/* May the binary of a program of SOURCE be asked for? PoCL compiles all kernels for it, which may end us: then the next
 * of us leaves it alone, for any device and with any options. UNFINISHED: a file that is there while one is asked for.
 */
static bool may_ask(const char *source, char *unfinished, size_t n)
{
    char path[PATH_MAX];
    if (!yk_warm_path(source, "", "", "", path, sizeof path) ||
        snprintf(unfinished, n, "%s.unfinished", path) >= (int)n)
        return false;
    int f = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool may = f >= 0 || errno != EEXIST;
    if (f >= 0)
        close(f);
    return may;
}

/* P's binary, or what stands for it; NULL: it cannot be had. */
static unsigned char *binary_of(const struct yk_device *d, cl_program p, const char *source, size_t *size)
{
    char unfinished[PATH_MAX + 16];
    unsigned char *binary = NULL;
    if (!may_ask(source, unfinished, sizeof unfinished)) {
        *size = strlen(YK_WARM_FROM_SOURCE);
        return (unsigned char *)strdup(YK_WARM_FROM_SOURCE);
    }
    if (d->cl->GetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) != CL_SUCCESS || !*size ||
        !(binary = malloc(*size)) ||
        d->cl->GetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) != CL_SUCCESS) {
        free(binary);
        binary = NULL;
    }
    unlink(unfinished);
    return binary;
}

cl_program yk_load(const struct yk_device *d, cl_context ctx, const struct yk_warm_request *r, const char *path,
                   unsigned char **new, size_t *new_size)
{
    unsigned char *binary = NULL;
    size_t n = 0;
    cl_program p = NULL;
    if (!yk_warm_get(path, &binary, &n)) {
        if (!(p = from_source(d, ctx, r)) || !(binary = binary_of(d, p, r->source, &n)))
            return NULL;
        *new = binary;
        *new_size = n;
    }
    if (!yk_warm_from_source(binary, n))
        return from_binary(d, ctx, binary, n);
    return p ? p : from_source(d, ctx, r);
}
