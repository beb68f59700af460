/* What bench/patterns measures inside a process of its own, once bare and once under yoke. Who calls it: patterns.c,
 * which starts itself again with --probe. Knows nothing of yoke. */
#ifndef YK_BENCH_PATTERNS_PROBE_H
#define YK_BENCH_PATTERNS_PROBE_H

#include "bench/patterns_rounds.h"

/** Run rounds of pattern P on device NUMBER of all platforms for MS milliseconds, at least one after the first. Prints
 * "on NAME", the device's, "first MS" and "later MS", the median; "none WHY" where the device cannot do it. Exits with
 * 1 where a call fails or a result is wrong. */
int patterns_probe(const struct patterns_pattern *p, unsigned number, int ms);

#endif
