/* Pragmas about loops whose arguments are macros, as `#pragma unroll N`. A compiler expands them where it reads the
 * pragma; the preprocessor by itself hands the line on as it is, and the macro is then gone. So such a line becomes one
 * of words before, and a pragma again behind. Called by front.c. */
#ifndef YK_TRANSFORM_HINTS_H
#define YK_TRANSFORM_HINTS_H

#include <stddef.h>
#include "base/arena.h"

/** SOURCE of N bytes with such lines as words, *OUT bytes in A, or SOURCE itself where it has none. NULL: no memory. */
const char *yk_hints_as_words(const char *source, size_t n, struct yk_arena *a, size_t *out);

/** Lines of such words in TEXT of N bytes, which has been preprocessed, are pragmas again, in place. */
void yk_hints_as_pragmas(char *text, size_t n);

#endif
