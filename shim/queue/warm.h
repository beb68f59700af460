/* Having other devices' programs and kernels compiled by yoke-warm, a process of its own, so that a later process need
 * not wait for that, and using what it left. Who uses it: build.c, decide.c. */
#ifndef YK_SHIM_QUEUE_WARM_H
#define YK_SHIM_QUEUE_WARM_H

#include "shim/queue/launch.h"
#include "shim/queue/warm_form.h"

/** Is there a yoke-warm, and may it be asked? Cost: a few looks into the file system. */
bool yk_warm_able(void);

/** DEV will be wanted for launches like L (local size LOCAL): have it compiled for them, once per kernel and process,
 * where nobody knows of it yet. Returns at once; the request is written by a thread. Thread: any. */
void yk_warm_ask(const struct yk_launch *l, unsigned dev, const size_t *local);

/** Are binaries kept of all that B's kernels need on the CPU devices that may take shares? Then building for them costs
 * next to nothing; else it takes the processor, and the lock of the compiler, from the program. Cost: a few files. */
bool yk_warm_kept(const struct yk_build *b);

/** Launches of this many milliseconds are prepared for. */
static const double yk_warm_from_ms = 0.3;

/** Nobody else can take a share of L (local size LOCAL) yet: what CPU devices lack is compiled aside, and taken up when
 * that is done. Does nothing where splits are insisted on. Thread: any; cheap. */
void yk_warm_prepare(const struct yk_launch *l, const size_t *local);

/** Is what DEV needs for B's kernels kept: those launched from the partition-ready source, or the others? */
bool yk_warm_kept_on(const struct yk_build *b, unsigned dev, bool variant);

/** A launch like L, of a program that nobody has analysed, is worth it: have that done for later processes, and where
 * CPU devices may take part have its kernel compiled for them in the same go. Once per kernel and process. Thread: any;
 * returns at once. */
void yk_warm_foresee(const struct yk_launch *l);

/** Have B analysed for later processes, once per build. Returns at once. Thread: any. */
void yk_warm_analyse(struct yk_build *b);

/** Is L's range one for which drivers compile apart (PoCL: 65,535 work-items and more in some dimension)? */
bool yk_warm_wide_range(const struct yk_launch *l);

/** Has yoke-warm compiled L's kernel for DEV, LOCAL and ranges as wide as L's? Asked of the file system every 5 ms
 * until it has. */
bool yk_warm_done(const struct yk_launch *l, unsigned dev, const size_t *local);

/** The program of SOURCE, the FILES that it includes and OPTIONS (as they are given to DEV) from its kept binary,
 * built; NULL: none, or the driver does not take it. Calls the driver. */
cl_program yk_warm_program(cl_context ctx, unsigned dev, const char *source, const char *files, const char *options);

#endif
