/* What bench/transfer measures inside a process of its own, bare and under yoke: a plain OpenCL program. Who calls it:
 * transfer.c, which starts itself again with --probe. Knows nothing of yoke. */
#ifndef YK_BENCH_TRANSFER_PROBE_H
#define YK_BENCH_TRANSFER_PROBE_H

#include <stddef.h>

/** Run the probe KIND ("large", "pinned", "both" or "small") on the DEVICE-th device in the loader's order, with BYTES
 * per transfer. Prints a line "NAME VALUE" per measurement: GB/s, of "small" microseconds. Returns the exit status. */
int transfer_probe(const char *kind, unsigned device, size_t bytes, int repeat);

#endif
