/* The ring of device/link on real devices, without a shim above it: GPU to GPU, and how its rate depends on chunk,
 * slots and threads. Who calls it: transfer.c. */
#ifndef YK_BENCH_TRANSFER_RING_H
#define YK_BENCH_TRANSFER_RING_H

#include <stddef.h>

/** Median GB/s of BYTES from device A to device B (yoke's numbers) through a ring; negative: it failed. */
double transfer_between(unsigned a, unsigned b, size_t bytes, int repeat);

/** The same through mailboxes (device/link/mailbox.h), with a table by size beside what the driver does over ordinary
 * memory. 0: the devices have none; negative: it failed, or the bytes were wrong. */
double transfer_by_mailbox(unsigned a, unsigned b, size_t bytes, int repeat);

/** A table of rates of device A over shapes and sizes, and what a ring costs to make. Returns the exit status. */
int transfer_sweep(unsigned a, size_t bytes, int repeat);

#endif
