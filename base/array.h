/* Growable arrays: struct { T *v; size_t n, cap; }. Everyone may use it; never shrinks by itself, never logs.
 *
 *     YK_ARRAY(int) a = {0};
 *     if (!yk_array_push(&a, 7)) return YK_ENOMEM;
 *     yk_array_finish(&a);
 *
 * Owns: the array owns v. Thread: the caller's lock. Cost: amortised O(1) per push. */
#ifndef YK_BASE_ARRAY_H
#define YK_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define YK_ARRAY(T)                                                                                                    \
    struct {                                                                                                           \
        T *v;                                                                                                          \
        size_t n, cap;                                                                                                 \
    }

/** Make room for NEED elements of SIZE bytes at *V. False: no memory or overflow, *V unchanged. */
bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size);

#define yk_array_reserve(a, need)                                                                                      \
    ((need) <= (a)->cap || yk_array_grow_((void **)&(a)->v, &(a)->cap, (need), sizeof *(a)->v))
#define yk_array_push(a, x) (yk_array_reserve((a), (a)->n + 1) ? ((a)->v[(a)->n++] = (x), true) : false)
#define yk_array_finish(a)                                                                                             \
    do {                                                                                                               \
        free((a)->v);                                                                                                  \
        (a)->v = NULL;                                                                                                 \
        (a)->n = (a)->cap = 0;                                                                                         \
    } while (0)

#endif
