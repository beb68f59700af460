/* What link.h's transfers are decided by: what a ring can carry, whether it has been earned, in which shape, and how
 * fast links have been lately. Who uses it: link.c, which carries them out. */
#ifndef YK_SHIM_MEMORY_LINK_CHOICE_H
#define YK_SHIM_MEMORY_LINK_CHOICE_H

#include "shim/core/context.h"

/** Can a ring carry LEN bytes from or to DEV? Counts nothing. Thread: any, all of these. Cost: loads, all of these. */
bool yk_link_possible(unsigned dev, size_t len);

/** Is a ring there, or has it been earned by what was moved without it? */
bool yk_link_pays(const struct yk_context *ctx, unsigned dev, enum yk_direction way, size_t len);

/** Whose memory a ring is made of: where a driver is known to pin ours (NVIDIA's), that is four times as fast. */
enum yk_ring_place yk_link_ring_place(unsigned dev, enum yk_direction way);

/** Bytes of pinned memory for a ring. */
size_t yk_link_ring_bytes(void);

/** Chunks and threads for LEN bytes; BESIDE: bytes that go the other way meanwhile. */
struct yk_ring_shape yk_link_shape(enum yk_direction way, size_t len);
struct yk_ring_shape yk_link_shape_beside(enum yk_direction way, size_t len, size_t beside);

/** No ring could be had there, or it failed: none from now on. */
void yk_link_failed(unsigned dev, enum yk_direction way);

/** LEN bytes from or to DEV have taken NS. */
void yk_link_note_rate(unsigned dev, size_t len, uint64_t ns);

#endif
