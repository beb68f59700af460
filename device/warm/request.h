/* What yoke-warm is asked to do, as a file: have a program analysed, and a kernel of it compiled for CPU devices as the
 * analysis says; or build a program for one device and compile its kernel for a local size; so that later processes
 * find both in the driver's cache, and keep the program's binary. Who writes it: the shim; who reads it: yoke-warm.
 * Untrusted when read. */
#ifndef YK_DEVICE_WARM_REQUEST_H
#define YK_DEVICE_WARM_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/hash.h"
#include "base/status.h"

enum { YK_WARM_ARGS = 128 };
#define YK_WARM_ALL UINT_MAX /* for `device`: every CPU device, after an analysis of SOURCE, the app's own */

/* NUMBER: a ulong, whose value stands in `size`. */
enum yk_warm_arg { YK_WARM_VALUE, YK_WARM_BUFFER, YK_WARM_LOCAL, YK_WARM_IMAGE, YK_WARM_SAMPLER, YK_WARM_NUMBER };

/* An image or a sampler, in OpenCL's numbers. */
struct yk_warm_sampled {
    uint64_t word[3];   /* its type, channel order and channel type; normalized coordinates, addressing, filter */
    uint64_t extent[3]; /* of an image (device/image_desc.h) */
};

struct yk_warm_request {
    int asker;       /* process that asks; 0: nobody is to be waited for */
    unsigned device; /* in the machine */
    char *options, *source;
    char *files;  /* that SOURCE includes: a line each, the hash of its bytes ("-": it is absent) and its
                     path, relative to the current folder */
    char *kernel; /* "": have the program analysed, for all devices */
    uint64_t local[3], global[3]; /* of the launch that was seen; with YK_WARM_ALL local[0] may be 0: it gave none */
    unsigned dims, nargs;
    enum yk_warm_arg kind[YK_WARM_ARGS];
    uint64_t size[YK_WARM_ARGS];
    struct yk_warm_sampled sampled[YK_WARM_ARGS];
};

/** Errors: YK_EIO. */
yk_status yk_warm_write(FILE *f, const struct yk_warm_request *r);

/** Owns: R's texts are the caller's to free (yk_warm_finish), also after an error. Errors: YK_EFORMAT, YK_ENOMEM. */
yk_status yk_warm_read(FILE *f, struct yk_warm_request *r);
void yk_warm_finish(struct yk_warm_request *r);

/**
 * Where the binary of a program for a device is kept: a file in yoke's cache folder, named by the hash of SOURCE, the
 * FILES that it includes (as in a request), the OPTIONS it was built with and DEVICE (name, driver, order). False: no
 * folder.
 */
bool yk_warm_path(const char *source, const char *files, const char *options, const char *device, char *path, size_t n);

/** Do FILES (as in a request) hold the bytes seen, and are those absent that were? */
bool yk_warm_fresh(const char *files);

/** Drivers compile for wide ranges and for others apart (PoCL: 65,535 work-items along a dimension). Is GLOBAL one? */
bool yk_warm_wide(const uint64_t global[3]);

/** The same for the mark that KERNEL has been compiled there for LOCAL, in wide ranges too or not: a file put with
 * yk_warm_put. */
bool yk_warm_mark(const char *source, const char *files, const char *options, const char *device, const char *kernel,
                  const uint64_t local[3], bool wide, char *path, size_t n);

/**
 * What stands in place of a binary that took too long to come by: the program is to be built from its source, which the
 * driver has in its own cache (PoCL 3.1 compiles all kernels of a program before it gives its binary out, pyFAI's for
 * minutes; of a source it compiles those that are launched).
 */
#define YK_WARM_FROM_SOURCE "from its source"

/** The kept binary: *OUT is the caller's to free. Its check is verified; a bad one is removed. False: none. */
bool yk_warm_get(const char *path, unsigned char **out, size_t *n);
yk_status yk_warm_put(const char *path, const unsigned char *binary, size_t n);
/** Is BINARY (N bytes) YK_WARM_FROM_SOURCE? */
bool yk_warm_from_source(const unsigned char *binary, size_t n);

#endif
