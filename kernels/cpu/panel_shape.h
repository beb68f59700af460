/* How a bucket becomes matrix products. With the inputs in two groups L and R, a variable is of one class:
 *
 *   B  in the output, in L and in R      K  summed, in L and in R       Q(L), Q(R)  summed, in one group only:
 *   M  in the output, in L only          N  in the output, in R only                added up while that group is packed
 *
 * out[b, m, n] = sum over k of L[b, m, k] R[b, n, k]. Vectors run along M, B or K (the lanes). Of each class the fast
 * variables make the inner index, whose offsets in every table are tabled once; the others are loops around. All
 * decisions about a bucket are here; values are never seen. Made by kernels/cpu/cpu.c and bench, run by panel_body.h.
 */
#ifndef YK_KERNELS_CPU_PANEL_SHAPE_H
#define YK_KERNELS_CPU_PANEL_SHAPE_H

#include <stdbool.h>
#include "kernels/cpu/canon.h"

enum yk_class_id { YK_B, YK_M, YK_N, YK_K, YK_QL, YK_QR, YK_CLASSES };

/* How the lanes of one vector lie in a table. */
enum yk_lane_layout {
    YK_LAY_ANY,
    YK_LAY_SAME,
    YK_LAY_RUN,
    YK_LAY_RUN4,
    YK_LAY_RUN2,
    YK_LAY_STEP = 8, /* + n: n cells apart, 2 <= n <= 4 */
};

/* In which order a joint run has K and what is summed beside it. */
enum yk_joint { YK_JOINT_ANY, YK_JOINT_K_FAST, YK_JOINT_K_SLOW };

struct yk_panel_tile {
    uint32_t mr, nr, regs; /* lanes along M: at most mr x nr and regs vectors of sums */
    uint32_t vmr, vnr;     /* lanes along B or K */
};

struct yk_class {
    uint32_t n;     /* inner states of a full block; 1 if the class is empty */
    uint32_t pad;   /* n rounded up to whole vectors: entries of a row of OFF */
    uint32_t run;   /* inner states per state of the cut variable, which is the slowest of them */
    uint32_t chunk; /* states of the cut variable in a full block */
    uint32_t cut;   /* UINT32_MAX: none */
    uint32_t nloops;
    uint8_t var[YK_BUCKET_MAX_RANK];     /* of each loop, slowest first */
    uint64_t extent[YK_BUCKET_MAX_RANK]; /* the cut variable counts its chunks */
    uint64_t blocks;                     /* product of EXTENT */
    double total;                        /* states in all */
    int64_t *off;                        /* [nin + 1][pad] */
};

/* A loop over blocks of one class, where those of all classes are nested together. */
struct yk_panel_loop {
    uint8_t cls, var;
    uint64_t extent, weight; /* states; blocks of the class from one state to the next */
};

struct yk_panel_shape {
    const struct yk_canon *c;
    uint32_t vl;            /* lanes of a vector */
    enum yk_class_id lanes; /* YK_M, YK_B or YK_K */
    uint32_t *group[2];     /* L, R: indices into the canon's inputs */
    uint32_t ngroup[2];     /* ngroup[1] may be 0: then R is 1 everywhere */
    struct yk_class cls[YK_CLASSES];
    uint8_t *layout; /* [nin + 1][groups of lanes] enum yk_lane_layout */
    int64_t *reach;  /* likewise: the offset of its furthest lane */
    uint32_t lane_groups;
    uint32_t *run; /* [nin + 1] inner states of K per run of consecutive cells */
    /* By side, where its own summed variables are added up and its only table has them and K in one run of cells: the
     * length of that run, and of each cell of it the inner state of K. 0: otherwise. */
    uint32_t joint[2];
    enum yk_joint joint_order[2];
    uint16_t *joint_row[2];
    size_t *cells;   /* [nin + 1] of each table */
    uint32_t nloops; /* of LOOP, slowest first; 0: B outermost, then N, then M */
    struct yk_panel_loop loop[YK_BUCKET_MAX_RANK];
    double times;    /* states of summed variables that are in no table */
    uint32_t mr, nr; /* largest tile */
    double cost;     /* estimated cycles, one thread */
    void *memory;
    size_t bytes; /* of MEMORY */
};

/** The cheapest way found for C with vectors of VL lanes and the register tile T; THREADS to cut work for.
 * Errors: YK_ENOMEM. Cost: some microseconds for two inputs. */
yk_status yk_panel_shape_init(struct yk_panel_shape *s, const struct yk_canon *c, uint32_t vl,
                              const struct yk_panel_tile *t, int threads);
void yk_panel_shape_finish(struct yk_panel_shape *s);

#endif
