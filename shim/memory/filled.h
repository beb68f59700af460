/* Bytes that a fill of the app's has set and nobody has written since: a device sets them itself instead of being
 * brought them. To a store's map they are newest at one place more, YK_FILLED, beside the device that carried the fill
 * out. One pattern per store is kept, the last one.
 * Who uses it: queue/transfer.c says what has been filled; store.c and transfer.c ask. */
#ifndef YK_SHIM_MEMORY_FILLED_H
#define YK_SHIM_MEMORY_FILLED_H

#include "shim/memory/store.h"

/**
 * The primary has filled or will fill [off, off+len), by a command already ordered, with PATTERN of SIZE bytes, 1 to
 * 128. As yk_store_wrote otherwise; where no other device can take part, nothing more is noted.
 */
void yk_store_filled(struct yk_store *s, size_t off, size_t len, const void *pattern, size_t size);

/**
 * REAL has just been made for DEV, in memory of its own, and nobody knows of it yet. Where much of the store is filled
 * and it is not large, REAL is filled, so that what lies between the filled bytes can be brought alone. Returns when
 * that is done. True: *P is what it was filled with, for yk_filled_note. Thread: any; no lock held.
 */
bool yk_filled_before(struct yk_store *s, unsigned dev, cl_mem real, struct yk_pattern *p);

/** All that is filled with P is newest at location AT too. With the store's lock held. */
void yk_filled_note(struct yk_store *s, unsigned at, const struct yk_pattern *p);

/** Fill [off, off+len) of DEV's real buffer, of which every byte is filled. False: it is not, or could not be done;
 * then the bytes are undefined there. Returns when they are there. Thread: any; no lock held. */
bool yk_filled_at(struct yk_store *s, unsigned dev, size_t off, size_t len);

#endif
