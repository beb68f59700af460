/* Having other devices' programs and kernels compiled by yoke-warm, a process of its own, so that a later process need
 * not wait for that, and using what it left. Who uses it: build.c, decide.c. */
#ifndef YK_SHIM_QUEUE_WARM_H
#define YK_SHIM_QUEUE_WARM_H

#include "shim/queue/launch.h"

/** DEV will be wanted for launches like L (local size LOCAL): have it compiled for them, once per kernel and process,
 * where nobody knows of it yet. Returns at once; the request is written by a thread. Thread: any. */
void yk_warm_ask(const struct yk_launch *l, unsigned dev, const size_t *local);

/** Are binaries kept of all that B's kernels need on the CPU devices that may take shares? Then building for them costs
 * next to nothing; else it takes the processor, and the lock of the compiler, from the program. Cost: a few files. */
bool yk_warm_kept(const struct yk_build *b);

/** Have B analysed for later processes, once per build. Returns at once. Thread: any. */
void yk_warm_analyse(struct yk_build *b);

/** Has yoke-warm compiled L's kernel for DEV, LOCAL and ranges as wide as L's? Asked of the file system once per kernel
 * and process. */
bool yk_warm_done(const struct yk_launch *l, unsigned dev, const size_t *local);

/** The program of SOURCE and OPTIONS (as they are given to DEV) from its kept binary, built; NULL: none, or the driver
 * does not take it. Calls the driver. */
cl_program yk_warm_program(cl_context ctx, unsigned dev, const char *source, const char *options);

#endif
