/* Kernels for launches of which only a part of a buffer is on the device: every parameter that points to global memory
 * is moved back by how far into the buffer that part begins, which an argument of its own says. Called by variant.c. */
#ifndef YK_TRANSFORM_WINDOWS_H
#define YK_TRANSFORM_WINDOWS_H

#include "transform/rewrite.h"

/**
 * Note the edits that give each kernel of R that may be split one more `ulong` argument per YK_ARG_GLOBAL argument, in
 * their order, behind the hidden ones (yk_variant_edits comes before this): the bytes that the pointer is moved back
 * by, modulo 2^64. Such kernels need a variant then; those that cannot be given it become whole, with the reason.
 * False: there is none left.
 */
bool yk_windows_edits(struct yk_rewriter *r);

#endif
