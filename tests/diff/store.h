/** What a kernel writes: planned first (arguments), loaded where it works in place, written at the end. For kernel.c.
 */
#ifndef TESTS_DIFF_STORE_H
#define TESTS_DIFF_STORE_H

#include "gen.h"

#include <stdlib.h>

enum { SCATTERED = 5 };
enum layout { BY_ITEM, BY_NUMBER, BY_VECTOR };

struct store {
    enum base base;
    enum layout layout;
    unsigned per_item; /* numbers that a work-item owns */
    unsigned pad;      /* numbers before the first that nobody writes */
    bool vector_pointer;
    char name[16];
};

struct store_set {
    struct store v[3];
    unsigned n;
    unsigned order; /* which cell a work-item owns: 0 its own number, else a permutation; SCATTERED: from a buffer */
    bool group;     /* one number per work-group */
    enum base group_base;
    bool flags, atomics;
};

void stores_plan(struct gen *g, struct store_set *set);
void stores_load(struct gen *g, const struct store_set *set);
void stores_write(struct gen *g, const struct store_set *set);

#endif
