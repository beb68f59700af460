/* Virtual programs: the primary's real program, and after each build the record that lets launches be split
 * (queue/build.h). Who uses it: api/, kernel.c. */
#ifndef YK_SHIM_OBJECT_PROGRAM_H
#define YK_SHIM_OBJECT_PROGRAM_H

#include "shim/object/container.h"
#include "shim/queue/build.h"

enum yk_program_origin { YK_PROGRAM_SOURCE, YK_PROGRAM_BINARY, YK_PROGRAM_IL, YK_PROGRAM_BUILTIN, YK_PROGRAM_LINKED };

struct yk_program {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    enum yk_program_origin origin;
    cl_program real;       /* of the primary */
    char *source;          /* joined; NULL unless from source or from a binary that yoke gave out */
    char *asked;           /* what the app gave, where drivers are given less (api/program.c); else NULL */
    char *options;         /* of such a binary, and of a linked program's parts: those it was built with; else NULL */
    struct yk_hash binary; /* and its hash */
    struct yk_lock lock;
    struct yk_part *part;   /* part.h: what it was compiled from, or linked; held; NULL: neither, or not known */
    struct yk_build *build; /* of the last successful build; held; NULL before */
    int32_t kernels;        /* that exist: a program with kernels cannot be built again */
};

/** Takes over REAL; SOURCE is copied (may be NULL). NULL: no memory (REAL released). */
struct yk_program *yk_program_wrap(struct yk_context *ctx, enum yk_program_origin origin, cl_program real,
                                   const char *source);

/** The primary is about to build P with OPTIONS, from BEGUN on (NULL: P was built in another way): the record of that,
 * held for the caller, who hands it to yk_program_built, or gives it back where the build fails. NULL: no memory. */
struct yk_build *yk_program_begin(struct yk_program *p, const char *options, const struct timespec *begun);

/** P was built so, in SECONDS. Takes B over. */
void yk_program_built(struct yk_program *p, struct yk_build *b, double seconds);

/** Both, for what has been built already. Errors: CL_OUT_OF_HOST_MEMORY. */
cl_int yk_program_is_built(struct yk_program *p, const char *options);

/** The binary to give out for P: the primary's, with source and options. No bytes (and CL_SUCCESS in *ERR) where the
 * driver's own is given. The bytes are the caller's, to free. */
struct yk_container_image yk_program_container(struct yk_program *p, cl_int *err);

/** The build record, held for the caller; NULL before a build. */
struct yk_build *yk_program_build(struct yk_program *p);

static inline struct yk_program *yk_program_from(cl_program c)
{
    return yk_handle_is((void *)c, YK_KIND_PROGRAM) ? (struct yk_program *)(void *)c : NULL;
}

#endif
