/* Which copies from device to device go through mailboxes (device/link/mailbox.h), and when these are made: not before
 * a program has copied some megabytes between the two, by a thread of their own, and only where yoke-warm has found
 * that they work. Who uses it: link.c, before it thinks of a ring. Programs that copy nothing between devices never get
 * here.
 *
 * YOKE_MAILBOX: `off`, `auto` (default), or for tests: `force`, at once and however small, between devices that work in
 * host memory through that; `try`, the same, but tried first as `auto` does. */
#ifndef YK_SHIM_MEMORY_MAILBOX_H
#define YK_SHIM_MEMORY_MAILBOX_H

#include "device/link/mailbox.h"
#include "shim/core/context.h"

/** From device A's buffer to device B's, the same bytes of both: rows as for yk_link_copy. False: not done, the bytes
 * at B are undefined there (too few, no mailboxes or not yet, a failure: from then on none for these two, or no rows).
 * Thread: any; no lock held. */
bool yk_mailbox_copy(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, size_t off, size_t row,
                     size_t pitch, size_t rows);

/** Begin a small copy (yk_mailboxes_post), where mailboxes are there already; B takes it out by its queue INTO (NULL:
 * any). The caller sends and receives L, then says how it ended. */
bool yk_mailbox_post(struct yk_context *ctx, unsigned a, cl_mem at_a, unsigned b, cl_mem at_b, cl_command_queue into,
                     size_t off, size_t len, struct yk_letter *l);
void yk_mailbox_posted(unsigned a, unsigned b, size_t len, cl_int err);

/**
 * Launches will be divided in CTX: where it is known already that mailboxes between the primary and other devices work,
 * have them made, by threads of their own, so that the first large copy finds them. Returns at once. Thread: any; no
 * lock held.
 */
void yk_mailbox_expect(struct yk_context *ctx);

/** Is a thread making mailboxes from A to B, which worked in other processes? Until then copies go a slower way. Cost:
 * loads. */
bool yk_mailbox_coming(unsigned a, unsigned b);

/** Are large copies from A to B expected to go through mailboxes? Cost: a load. */
bool yk_mailbox_works(unsigned a, unsigned b);

/** Such a copy of LEN bytes has gone another way, in NS: with large ones mailboxes have to be faster to be used for
 * them. Cost: an atomic. */
void yk_mailbox_other_way(unsigned a, unsigned b, size_t len, uint64_t ns);

#endif
