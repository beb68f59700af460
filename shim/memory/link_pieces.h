/* Transfers in pieces that the driver makes by itself, without a ring: of ordinary memory, and of memory that is pinned
 * where it lies. Who uses it: link.c, which decides between them. */
#ifndef YK_SHIM_MEMORY_LINK_PIECES_H
#define YK_SHIM_MEMORY_LINK_PIECES_H

#include "shim/memory/inplace.h"

/**
 * Move pieces FROM ... N by DEV's queue Q, STEPS called between them. Some are under way at a time, so that the link
 * need not wait until a thread has woken; one where the driver would keep ordinary memory waiting for a thread of its
 * own (NVIDIA's). USE: of what is pinned for it each piece lies in one piece, or is short and in none. Errors: the
 * driver's; CL_OUT_OF_RESOURCES where the gate said stop; nothing is under way then. Thread: any; no lock held.
 */
cl_int yk_link_move(unsigned dev, enum yk_direction way, cl_command_queue q, const struct yk_ring_piece *piece,
                    size_t from, size_t n, const struct yk_ring_steps *steps, const struct yk_inplace *use);

/** All N pieces, whose memory is pinned for USE, wherever its pieces begin, or is not. Errors: also
 * CL_OUT_OF_HOST_MEMORY. */
cl_int yk_link_move_pinned(const struct yk_inplace *use, unsigned dev, enum yk_direction way, cl_command_queue q,
                           const struct yk_ring_piece *piece, size_t n, const struct yk_ring_steps *steps);

#endif
