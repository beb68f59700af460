/* How yk_stream_* cuts a bucket: LANES consecutive states of the output's (or, where the output is tiny, of the summed)
 * fastest variables are computed together; the offsets of the lanes in each input are the same in every block, so they
 * are tabled once (the chapter's ThreadOffsets). Used by kernels/cpu/stream*.c. */
#ifndef YK_KERNELS_CPU_STREAM_SHAPE_H
#define YK_KERNELS_CPU_STREAM_SHAPE_H

#include <stdbool.h>
#include "kernels/cpu/canon.h"

enum { YK_LANES = 512 };
enum yk_lane_kind { YK_LANE_SAME, YK_LANE_RUN, YK_LANE_ANY };

struct yk_stream_shape {
    bool sum_lanes; /* lanes are summed states, added up at the end */
    uint32_t lanes; /* of a full block, <= YK_LANES */
    /* Loops around the lanes; in them the variable that is cut into chunks of CHUNK states counts as its chunks. */
    uint32_t nouter, ninner; /* output loops; summation loops */
    uint64_t outer[YK_BUCKET_MAX_RANK], inner[YK_BUCKET_MAX_RANK];
    uint8_t outer_var[YK_BUCKET_MAX_RANK], inner_var[YK_BUCKET_MAX_RANK];
    uint32_t cut;            /* the variable that is cut, or UINT32_MAX */
    uint32_t chunk, run;     /* its states in a block; lanes per state of it */
    uint64_t nblocks;        /* product of OUTER */
    int32_t *lane_offset;    /* [nin][lanes] */
    enum yk_lane_kind *kind; /* [nin] */
};

yk_status yk_stream_shape_init(struct yk_stream_shape *s, const struct yk_canon *c);
void yk_stream_shape_finish(struct yk_stream_shape *s);

#endif
