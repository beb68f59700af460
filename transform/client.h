/* Asking the transformer: libyoke.so hands it a program's source and gets facts and variants back. The transformer runs
 * as a child process that the app cannot see (no SIGCHLD, nothing for its wait()); results are kept on disk by content.
 * Never calls OpenCL; not to be called where AT_SECURE is set. */
#ifndef YK_TRANSFORM_CLIENT_H
#define YK_TRANSFORM_CLIENT_H

#include "transform/facts.h"

/* What a device's compiler shows to the preprocessor, from clGetDeviceInfo. */
struct yk_transform_target {
    const char *c_version;  /* CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 ..." */
    const char *version;    /* CL_DEVICE_VERSION, "OpenCL 3.0 ..." */
    const char *extensions; /* CL_DEVICE_EXTENSIONS */
    const char *driver;     /* anything that is equal for devices of one driver, such as its name and version */
    uint32_t address_bits;  /* 32 or 64 */
    bool little_endian, images;
};

/* A program given to clCompileProgram as a header. */
struct yk_transform_header {
    const char *name, *text;
    size_t size;
};

struct yk_transform_request {
    const char *source; /* the program's strings, joined */
    size_t size;
    const char *options; /* as given to clBuildProgram; NULL is "" */
    const struct yk_transform_header *header;
    unsigned nheaders;
    const struct yk_transform_target *target; /* target[0] is the primary: facts and variants are made for its text */
    unsigned ntargets;                        /* at least 1 */
    const char *library_dir; /* folder that libyoke.so lies in, to find yoke-transform by; may be NULL */
    unsigned timeout_ms;     /* 0: YOKE_TRANSFORM_TIMEOUT (seconds), else 10 s */
    bool merged;             /* the variants wanted are those that run many launches as one, see facts_merged.h */
    bool windows;            /* or those for buffers of which a part is on the device, see windows.h */
    bool aside;              /* nobody waits for the answer: the transformer runs at low priority */
};

/**
 * Facts and variants of a program, from the cache or from the transformer.
 * A program that the transformer does not understand is no error: OUT->refused says why.
 * Owns:   OUT owns its data (yk_facts_finish). On error OUT is empty.
 * Thread: any; blocks, for milliseconds (cache) to the timeout. Needs no lock held. The child runs in the current
 * folder. Errors: YK_ENOTFOUND (no transformer), YK_ETIMEOUT, YK_EIO (it crashed or could not be started), YK_EFORMAT
 * (it printed something else), YK_ENOMEM, YK_EINVAL; one warning per process and kind. The caller then launches whole.
 */
yk_status yk_transform_run(const struct yk_transform_request *req, struct yk_facts *out);

/** The same from the cache alone: YK_ENOTFOUND where it is not there. Cost: a few file operations, far below 1 ms. */
yk_status yk_transform_cached(const struct yk_transform_request *req, struct yk_facts *out);

#endif
