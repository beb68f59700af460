/* Sum-product by streaming: the output in blocks of some hundred cells, one multiplication per input and joint state,
 * no packing. Right for every bucket and the twin that the blocked kernels are tested against; the way buckets with
 * little reuse are computed. Called by kernels/cpu only. */
#ifndef YK_KERNELS_CPU_STREAM_H
#define YK_KERNELS_CPU_STREAM_H

#include "kernels/cpu/canon.h"

/* IN in the bucket's order. THREADS >= 1. Errors: YK_ENOMEM. */
yk_status yk_stream_double(const struct yk_canon *c, const double *const *in, double *out, int threads);
yk_status yk_stream_float(const struct yk_canon *c, const float *const *in, float *out, int threads);
yk_status yk_stream_log(const struct yk_canon *c, const double *const *in, double *out, int threads);

#endif
