/* One text of several that were preprocessed by themselves and are linked to one program: one behind the other, without
 * what an earlier one has declared in the same words, as the headers that all include. Nothing changes its meaning by
 * that: what two texts declare differently under one name does not compile together, and what would compile and mean
 * something else is refused. Called by front_linked.c. */
#ifndef YK_TRANSFORM_JOINED_H
#define YK_TRANSFORM_JOINED_H

#include "base/arena.h"
#include "base/status.h"

/**
 * The N texts, SIZE bytes each and without comments and line markers, in OpenCL C STD (120: 1.2), as *OUT of *NOUT
 * bytes. What cannot be joined: YK_OK and *REFUSED says why. Owns: in A. Errors: YK_ENOMEM. Cost: declarations squared,
 * a comparison of hashes each.
 */
yk_status yk_joined_text(const char *const *text, const size_t *size, unsigned n, unsigned std, struct yk_arena *a,
                         char **out, size_t *nout, const char **refused);

#endif
