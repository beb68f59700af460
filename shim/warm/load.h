/* The program of a request as later processes will load it: from its binary, or from its source where the driver does
 * not come to an end of making one. Called by main.c. */
#ifndef YK_SHIM_WARM_LOAD_H
#define YK_SHIM_WARM_LOAD_H

#include <stddef.h>
#include "device/device.h"
#include "device/warm/request.h"

/**
 * R's program for D in CTX, from what is kept at PATH; where nothing is, *NEW (*NEW_SIZE bytes, the caller's) is what
 * to keep there. NULL: it cannot be built. PoCL needs 50 ms and more for a source that it has in its own cache, 1 ms
 * for a binary.
 */
cl_program yk_load(const struct yk_device *d, cl_context ctx, const struct yk_warm_request *r, const char *path,
                   unsigned char **new, size_t *new_size);

#endif
