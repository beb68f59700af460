/* Kernels compiled in the background, where compiling needs no device: what is asked for runs through a general kernel
 * until its own is on disk. Called by gpu.c from the thread that uses the device. */
#ifndef YK_KERNELS_GPU_BUILDER_H
#define YK_KERNELS_GPU_BUILDER_H

#include "kernels/gpu/backend.h"

enum { YK_GPU_NOT_ASKED, YK_GPU_ASKED, YK_GPU_COMPILED, YK_GPU_NOT_COMPILED }; /* asked of a kernel */

/** Have K, of FILE's text, compiled and stored by another thread; K->asked tells how far it is. Without a thread it
 * becomes YK_GPU_NOT_COMPILED. */
void yk_gpu_builder_ask(struct yk_gpu *g, const char *file, struct yk_gpu_kernel *k);

/** End: waits for what is being compiled, leaves the rest. */
void yk_gpu_builder_finish(struct yk_gpu *g);

/** The whole text of FILE for G; the caller's to free. NULL: no memory. */
char *yk_gpu_text(const struct yk_gpu *g, const char *file);

#endif
