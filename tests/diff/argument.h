/** The arguments of the kernel being made. For kernel.c and store.c. */
#ifndef TESTS_DIFF_ARGUMENT_H
#define TESTS_DIFF_ARGUMENT_H

#include "gen.h"

/** A new buffer of the kernel; returns its number. */
unsigned kernel_buffer(struct gen *g, enum base base, size_t count, const char *name);
/** The next argument; the caller adds the parameter's text. */
struct plan_arg *kernel_arg(struct gen *g, enum arg_kind kind);
/** Something to read: a buffer of its own, one that an earlier kernel has written, or one that another argument is. */
void kernel_input(struct gen *g);
/** A scalar of any size and width, with another value at each launch; the body sees it as a uint or float. */
void kernel_scalar(struct gen *g);

#endif
