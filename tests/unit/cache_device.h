/* A small device to plan for. Included by tests of kernels/cache and of what keeps its plans. */
#ifndef YK_TESTS_UNIT_CACHE_DEVICE_H
#define YK_TESTS_UNIT_CACHE_DEVICE_H

#include "kernels/cache/cache.h"

static const struct yk_cache_device small = {.units = 4,
                                             .threads = 64,
                                             .group = 128,
                                             .local_block = 4096,
                                             .local_unit = 16384,
                                             .flops = 1e12,
                                             .bytes = 1e11,
                                             .inner_bytes = 3e11,
                                             .local_bytes = 1e12};

#endif
