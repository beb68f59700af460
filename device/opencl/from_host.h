/* A table that says when memory of the host is about to be given to a driver, by transfers and by the creation of
 * buffers and images. Who uses it: shim/memory/inplace.c, which tells drivers of memory in advance and has to take that
 * back in time. */
#ifndef YK_DEVICE_OPENCL_FROM_HOST_H
#define YK_DEVICE_OPENCL_FROM_HOST_H

#include <stddef.h>
#include "device/opencl/cl.h"

/** BELOW's functions, each that takes memory of the host with what yk_from_host_call was given called before. There is
 * one such table: where BELOW is another than at the first call, BELOW itself is returned. Thread: at start-up. */
const struct yk_cl *yk_cl_from_host(const struct yk_cl *below);

/** The table under T, or T itself: for whoever is asked by it. */
const struct yk_cl *yk_cl_under_from_host(const struct yk_cl *t);

/** From now on BEFORE is called. LEN > 0: the driver is to keep [ptr, ptr+len) (CL_MEM_USE_HOST_PTR; of an image all
 * that there is). Thread: any. */
void yk_from_host_call(void (*before)(const void *ptr, size_t len));

#endif
