/* What a test's process holds of the heap, so that what is never given back is seen without a sanitizer too (under one
 * it is always 0, and the sanitizer tells). */
#ifndef YK_TESTS_UNIT_HEAP_H
#define YK_TESTS_UNIT_HEAP_H

#include <malloc.h>
#include <stddef.h>

/** Bytes. Those that the C library keeps aside for the thread count too: a few hundred pieces of each size at most. */
static inline size_t heap_used(void)
{
    return mallinfo2().uordblks;
}

#endif
