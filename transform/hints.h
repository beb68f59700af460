/* Pragmas about loops whose arguments are macros, as `#pragma unroll N`. A compiler expands them where it reads the
 * pragma; the preprocessor by itself hands the line on as it is, and the macro is then gone. So such a line becomes one
 * of words before, and a pragma again behind, of the same length. Not for lines of included files, nor for lines that
 * go on in the next: those programs run whole. Called by front.c. */
#ifndef YK_TRANSFORM_HINTS_H
#define YK_TRANSFORM_HINTS_H

#include <stddef.h>

/** Such lines of SOURCE, of N bytes, become words, in place. */
void yk_hints_as_words(char *source, size_t n);

/** Lines of such words in TEXT of N bytes, which has been preprocessed, are pragmas again, in place. */
void yk_hints_as_pragmas(char *text, size_t n);

#endif
