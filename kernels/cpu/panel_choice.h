/* Choosing groups, lanes and their order for a bucket, by estimated cycles. Pure; used by panel_shape.c. */
#ifndef YK_KERNELS_CPU_PANEL_CHOICE_H
#define YK_KERNELS_CPU_PANEL_CHOICE_H

#include "kernels/cpu/panel_shape.h"

struct yk_panel_choice {
    uint8_t side[YK_BUCKET_MAX_INPUTS]; /* of each of the canon's inputs: 0 L, 1 R */
    uint8_t cls[YK_BUCKET_MAX_RANK];    /* enum yk_class_id of each variable; YK_CLASSES: in no table */
    enum yk_class_id lanes;
    uint32_t order;   /* the table (canon's index; nin: the output) along whose cells the lanes run */
    uint32_t main[2]; /* the largest table of each group; nin if R is empty */
    double cost;
};

void yk_panel_choose(struct yk_panel_choice *best, const struct yk_canon *c, uint32_t vl,
                     const struct yk_panel_tile *t);

/* The variables of class CLS in C, by rising stride in table ORDER, those that are not in it last. Returns how many. */
uint32_t yk_panel_class_order(const struct yk_canon *c, const uint8_t *cls, enum yk_class_id id, uint32_t order,
                              uint8_t *var);

#endif
