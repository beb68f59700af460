/* What shares touch, remembered: programs launch a kernel again and again with the same sizes and arguments. One per
 * kernel. Pure. */
#ifndef YK_TRANSFORM_FACTS_RECALL_H
#define YK_TRANSFORM_FACTS_RECALL_H

#include "transform/facts_regions.h"

enum { YK_RECALL_ENTRIES = 64 }; /* shares of eight devices along three dimensions, and more */

struct yk_recall {
    struct yk_recall_entry {
        YK_ARRAY(unsigned char) key; /* sizes, scalars and boxes; n 0: empty */
        YK_ARRAY(struct yk_touch) touch;
    } entry[YK_RECALL_ENTRIES];
    unsigned next; /* to be replaced */
    YK_ARRAY(unsigned char) key;
};

/**
 * As yk_reach_share, from C where the same was asked before; K is the same kernel every time. C starts zeroed.
 * Owns: yk_recall_finish releases. Thread: one at a time per C and R. Errors: YK_ENOMEM. Cost: a microsecond where it
 * is known.
 */
yk_status yk_recall_share(struct yk_recall *c, struct yk_reach *r, const struct yk_facts_kernel *k,
                          const struct yk_reach_launch *l, const struct yk_share *share);
void yk_recall_finish(struct yk_recall *c);

#endif
