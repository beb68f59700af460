/** Text that grows, and the sequence of random numbers all of tests/diff draws from. Ends the process without memory.
 */
#ifndef TESTS_DIFF_TEXT_H
#define TESTS_DIFF_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *v;
    size_t n, cap;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_finish(struct text *text);

/** SplitMix64. */
uint64_t random_next(uint64_t *state);

/** 0 .. n-1; n > 0. */
unsigned random_below(uint64_t *state, unsigned n);

void *alloc_or_end(size_t bytes);

#endif
