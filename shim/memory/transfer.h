/* Copies of one store between its locations: missing pieces found in the map, carried by as few commands as they allow.
 * Called by store.c and read.c. */
#ifndef YK_SHIM_MEMORY_TRANSFER_H
#define YK_SHIM_MEMORY_TRANSFER_H

#include "shim/memory/store.h"

/**
 * Bring to location AT (device DEV, or the host where DEV < 0) what it lacks of R. Rows of one length at one distance
 * go as a rectangle. What can be begun only is left to P (NULL: nothing is). *MOVED (may be NULL) grows by the bytes
 * transferred. Errors and thread: as yk_store_need.
 */
cl_int yk_store_transfer(struct yk_store *s, unsigned at, int dev, const struct yk_region *r, struct yk_post *p,
                         uint64_t *moved);

/** Copy what the host lacks of [off, off+len) to TO, which is no location of S: nothing is recorded. What the host has
 * is not copied. *MOVED (may be NULL) grows by the bytes. Errors: the driver's. Thread: any; no lock held. */
cl_int yk_store_fetch(struct yk_store *s, size_t off, size_t len, unsigned char *to, uint64_t *moved);

/** [off, off+len) has been copied to location AT. Errors: CL_OUT_OF_HOST_MEMORY, and it is as before. */
cl_int yk_store_arrived(struct yk_store *s, unsigned at, size_t off, size_t len);

/** Which device to read a range from that WHERE hold: the primary where it can; -1: none. */
int yk_store_source(const struct yk_store *s, yk_where where);

/** After a change of the map; with the lock held. */
void yk_store_refresh(struct yk_store *s);

#endif
