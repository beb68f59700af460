/* The last touch to a division: local moves of whole grains where links are shared or merges follow, for which no level
 * is exact. Who calls it: strategies. Pure. */
#ifndef YK_PARTITIONER_SETTLE_H
#define YK_PARTITIONER_SETTLE_H

#include "partitioner/strategy.h"

/**
 * Give a grain, or 4, 16, ... of them, or all, of one device's share to another while that makes the whole faster, the
 * best move first. GROUPS: whole grains; REST: the remainder of the range, which lies with the last share, not yet in
 * GROUPS. All speeds of S are known. Only who is done last, who is on one link with it, or who brings a merge gives: no
 * other gift can help. Cost: at most 24 rounds of some hundred makespans.
 */
void yk_split_settle(const struct yk_split *s, uint64_t rest, uint64_t *groups);

#endif
