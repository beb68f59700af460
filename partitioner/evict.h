/* Which memories lie on a device that has room for some of them only: those that are used again soonest stay (Belady,
 * "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966), where "when" is
 * foretold from how long ago the last use was and how far apart uses have been. Who uses it: the shim's buffers that
 * the primary has no room for, tests. Pure. */
#ifndef YK_PARTITIONER_EVICT_H
#define YK_PARTITIONER_EVICT_H

#include <stdbool.h>
#include <stdint.h>

/* Uses of one memory, counted in launches of all. */
struct yk_evict_uses {
    uint64_t last; /* when it was used last */
    uint64_t gap;  /* between the last two uses; 0: used once */
};

/** At NOW it has been used. */
void yk_evict_use(struct yk_evict_uses *u, uint64_t now);

/** In how many launches from NOW it will be used again, as foretold: what is due after the same gap; what is overdue,
 * or has been used once only, in as many launches as it has not been used for. Cost: O(1). */
uint64_t yk_evict_next(const struct yk_evict_uses *u, uint64_t now);

struct yk_evict_memory {
    uint64_t bytes, next; /* yk_evict_next */
    unsigned id;          /* the caller's */
    bool leaves;          /* out */
};

enum { YK_EVICT_MARGIN = 2 };

/**
 * Which of the N that lie there leave to make room for NEEDED bytes of one that is next used in NEXT launches: those
 * used last, and none that is used before YK_EVICT_MARGIN times NEXT, so that memories which take turns do not drive
 * each other out. False: not so many bytes may leave; none does. M's order is changed. Cost: O(n log n).
 */
bool yk_evict_choose(struct yk_evict_memory *m, unsigned n, uint64_t needed, uint64_t next);

#endif
