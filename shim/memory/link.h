/* Which transfers between the host's ordinary memory and devices, and between devices, go through a ring of pinned
 * memory (device/link), and which are left to the driver: link_choice.c decides, link.c carries out. Who uses it:
 * store.c for the copies that yoke makes, queue/transfer.c for the app's reads and writes, merge. Devices that work in
 * the host's memory never use it, nor do programs that move too little to pay for a ring.
 *
 * YOKE_RING: `off`, `auto` (default), or for tests `force`: every device, however small, through a tiny ring; `ask`:
 * and as if all were GPUs (device/ask.h). */
#ifndef YK_SHIM_MEMORY_LINK_H
#define YK_SHIM_MEMORY_LINK_H

#include "shim/core/context.h"

/** Would a transfer of LEN bytes between PTR and DEV go through a ring? Counts nothing; a later call may say otherwise.
 * Thread: any. Cost: two loads where it is small; else a look at what is mapped. */
bool yk_link_wants(const struct yk_context *ctx, unsigned dev, enum yk_direction way, const void *ptr, size_t len);

/** Such a transfer is about to be: if it goes through a ring, have that made, which takes 5 to 25 ms the first
 * time, and is better done while what is before it is still at work. Thread: any; no lock held. */
void yk_link_prepare(struct yk_context *ctx, unsigned dev, enum yk_direction way, const void *ptr, size_t len);

/** LEN bytes will have to come from the devices in DEVS (bits) to the host, behind what is pending: rings that they
 * would go through are made in the background. Thread: any; no lock held. Cost: loads, or a thread. */
void yk_link_expect(struct yk_context *ctx, uint64_t devs, size_t len);

extern size_t yk_link_least; /* atomic; 0 before the first transfer that is looked at */

/** Is a transfer of LEN bytes one that no ring ever carries, and that is not counted? Cost: a load. */
static inline bool yk_link_never(size_t len)
{
    return len < __atomic_load_n(&yk_link_least, __ATOMIC_RELAXED);
}

/** Are DEV's commands better asked about than waited for (device/ask.h)? Thread: any. Cost: loads. */
bool yk_link_asks(unsigned dev);

/** Bytes per ms that BYTES for DEV are predicted to come at from wherever they are: as large ones have come lately. */
double yk_link_bandwidth(unsigned dev, double bytes);

/** Are SIZE bytes that a buffer of DEV is made with better written to an empty one? Thread: any. Cost: loads. */
bool yk_link_makes(unsigned dev, size_t size);

/** LEN bytes have been moved by the driver alone: with enough of them a ring pays. Cost: an atomic addition. */
void yk_link_plain(unsigned dev, enum yk_direction way, size_t len);

/** A blocking write to DEV in queue Q has returned ERR. Intel's CPU driver copies bytes after it
 * has returned, with only Q's own next command behind it: a kernel in another queue read the bytes before, and what it
 * wrote there was overwritten by them (seen with less than a KiB, and up to a MB). Waits until they are there. Errors:
 * ERR, or the driver's. Cost: a finish, on CPU devices with memory of their own only. */
cl_int yk_link_written(unsigned dev, cl_command_queue q, cl_int err);

/**
 * Move [off, off+len) of REAL, DEV's buffer in CTX, and return when the bytes are there. Where the ring fails the
 * driver's own way is tried, and its word counts.
 * Errors: the driver's; CL_OUT_OF_RESOURCES (no queue). Thread: any; no lock held.
 */
cl_int yk_link_write(struct yk_context *ctx, unsigned dev, cl_mem real, size_t off, const void *from, size_t len);
cl_int yk_link_read(struct yk_context *ctx, unsigned dev, cl_mem real, size_t off, void *to, size_t len);

/**
 * N pieces (device/link/ring.h) in their order, STEPS called between them; through a ring where they are enough for
 * one, else, and where the ring fails, one after the other. Returns when all are there. Errors: the driver's, and then
 * a piece may be there or not; CL_OUT_OF_RESOURCES where the gate said stop. Thread: any; no lock held.
 */
cl_int yk_link_write_steps(struct yk_context *ctx, unsigned dev, const struct yk_ring_piece *piece, size_t n,
                           size_t beside, const struct yk_ring_steps *steps);
cl_int yk_link_read_steps(struct yk_context *ctx, unsigned dev, const struct yk_ring_piece *piece, size_t n,
                          size_t beside, const struct yk_ring_steps *steps);

/** Bytes of the shortest rows that are worth it: shorter ones take a device longer than the link. Thread: any. */
size_t yk_link_row_least(void);

/** N pieces of rows (device/link/ring.h) through a ring, if they are enough for one and fit it. False: they have not
 * been moved, or not all, and the driver's own way is left. Thread: any; no lock held. */
bool yk_link_rows(struct yk_context *ctx, unsigned dev, enum yk_direction way, const struct yk_ring_piece *piece,
                  size_t n);

/** From device A's buffer to device B's, the same bytes: ROWS rows of ROW bytes, the first at OFF and PITCH bytes from
 * one to the next; one is a range. Of several none goes on behind its pitch, counted from the buffers' begin, nor does
 * the last one's pitch end behind them. False: not done, the bytes at B are undefined there (too few, no mailboxes nor
 * ring, a failure): they have to go over the host. Thread: any; no lock held. */
bool yk_link_copy(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, size_t off, size_t row,
                  size_t pitch, size_t rows);

/** Memory that a driver has mapped for the app is pinned already, and the driver's own way is the fastest from there.
 * From now on [ptr, ptr+len) is taken for that, until yk_pinned_remove (pinned.h). Without memory for the record
 * nothing is noted. */
void yk_link_mapped(const void *ptr, size_t len);

#endif
