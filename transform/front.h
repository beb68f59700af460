/* From OpenCL C to what the analysis reads: one preprocessed text per distinct set of device macros, and LLVM bitcode
 * of the first. Runs clang as a child process. Called by main.c. */
#ifndef YK_TRANSFORM_FRONT_H
#define YK_TRANSFORM_FRONT_H

#include "transform/client.h"
#include "transform/options.h"

struct yk_front {
    struct yk_arena *arena;
    struct yk_options options;
    unsigned std;
    unsigned address_bits;
    const char *refused; /* not NULL: why nothing can be said about this program */
    char *marked;        /* target 0's preprocessed text, with line markers */
    size_t nmarked;
    char *text; /* the same without them: what a variant is made from */
    size_t size;
    bool assembly;      /* its text has some (assembly.h) */
    bool riddle;        /* it asks for macros that we cannot know: only text with guards may be trusted */
    const char *guards; /* lines that stop a compiler which differs from what we took it for */
    uint64_t *target_text;
    unsigned nfiles;
    struct yk_facts_file *file;
    char *bitcode;
    size_t nbitcode;
};

/* Features of OpenCL C 3.0 that clang's headers ask for by macro before they declare their built-ins; the device's own
 * compiler decides later whether it has them. Ended by NULL. */
extern const char *const yk_front_features[];

/**
 * Preprocess and compile REQ. F->refused is set where clang does not take the program. Owns: all in A.
 * Errors: YK_EIO (clang cannot be run), YK_ENOMEM.  Cost: two runs of clang, one more per differing device.
 */
yk_status yk_front_run(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f);

/** REQ's text for each target, without compiling it: part of the above. Errors: the same. */
yk_status yk_front_preprocess(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f);

/** The same of a linked program (client_linked.h): its parts' texts as one. *F is empty but for its arena. */
yk_status yk_front_linked(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f);

#endif
