/* Do launched boxes make up a program's launch: disjoint, inside, nothing missing, cut at work-groups? Pure. */
#ifndef YK_TESTS_COUNT_COVER_H
#define YK_TESTS_COUNT_COVER_H

#include "tests/count/log.h"

struct cover_result {
    bool ok;
    unsigned boxes, devices;
    uint64_t groups[COUNT_DEVICES]; /* work-groups per device; work-items where no local size is known */
    uint64_t total;
    char why[160]; /* where not ok */
};

/** Find among the launches of SPLIT that no launch of the program owns yet those that tile WANT exactly, mark them with
 * NUMBER, and count them. Launches may come in any order, and other launches of the same kernel may lie between.
 * Cost: boxes of the kernel, squared, where they come in order. */
struct cover_result cover(const struct count_launch *want, struct count_log *split, long number);

#endif
