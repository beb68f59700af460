/* What a program was compiled from that is linked with others (clCompileProgram): its strings, options and headers, as
 * the transformer wants them (transform/client_linked.h), and what of the folder may matter to what it includes. Who
 * uses it: program.c, api/program_build.c. */
#ifndef YK_SHIM_OBJECT_PART_H
#define YK_SHIM_OBJECT_PART_H

#include <time.h>
#include "shim/object/program.h"

struct yk_part {
    int32_t holds;
    char *text;            /* of client_linked.h */
    char *plain;           /* the source by itself, where it is one without headers; else NULL */
    char *options;         /* that it was compiled with */
    struct timespec begun; /* when that began, CLOCK_REALTIME_COARSE */
    char *folder;          /* the current one then; NULL: not known */
    char *names;           /* what was in it, where the source may include files; NULL: not known */
};

/** P is about to be compiled now with OPTIONS and N HEADERs, known as NAME[]. NULL: no memory, or P or a header is not
 * from source. Owns: the caller's. Thread: any. */
struct yk_part *yk_part_compiled(const struct yk_program *p, const char *options, cl_uint n, const cl_program *header,
                                 const char *const *name);

/** P becomes PART (NULL: none), which it takes over, and gives up what it was. Thread: any. */
void yk_part_set(struct yk_program *p, struct yk_part *part);

/** What the N programs in INPUT are linked to. NULL: no memory, or it is not known of each what it was compiled from,
 * or they were compiled in different folders. Owns: the caller's. Thread: any. */
struct yk_part *yk_part_linked(cl_uint n, const cl_program *input);

/** One more holder, one less. NULL: nothing happens. */
struct yk_part *yk_part_hold(struct yk_part *part);
void yk_part_drop(struct yk_part *part);

#endif
