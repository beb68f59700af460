/* In what form shares of a launch are built and run: for libyoke.so, which does, and for yoke-warm, which has them
 * compiled before. Pure. */
#ifndef YK_SHIM_QUEUE_WARM_FORM_H
#define YK_SHIM_QUEUE_WARM_FORM_H

#include <stddef.h>
#include <stdint.h>
#include "transform/facts.h"

/** The local size into LOCAL[3] for a launch over GLOBAL work-items along its first dimension that gave none: the
 * required one of kernel F, else a divisor that all takers allow, whose groups have MAX_GROUP work-items at most. */
void yk_warm_local(const struct yk_facts_kernel *f, size_t global, size_t max_group, size_t *local);

/** The hidden argument H of a variant in a share of a launch of GLOBAL work-items in groups of LOCAL, which begins
 * where the launch does. A kernel that is run on zeros is to end: one that goes on by the size of the whole range, and
 * is told 0, does not. */
uint64_t yk_warm_hidden(const struct yk_facts_hidden *h, const uint64_t local[3], const uint64_t global[3]);

/** The options for the TWIN-th device of a driver (yk_device.twin) of what is built with OPTIONS: twins get a define of
 * their own, since PoCL 3.1 aborts when two devices run one source and options. The caller frees them. NULL: no memory.
 */
char *yk_warm_options(const char *options, unsigned twin);

/** The files that a program of F includes, as yoke-warm is told of them. The caller frees it. NULL: no memory, or names
 * that cannot be told. */
char *yk_warm_files(const struct yk_facts *f);

#endif
