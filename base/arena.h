/* Memory that lives and dies together: many small allocations, one release. Everyone may use it.
 * Owns: the arena owns everything it hands out. Thread: one at a time. Errors: NULL when memory is out. */
#ifndef YK_BASE_ARENA_H
#define YK_BASE_ARENA_H

#include <stddef.h>

struct yk_arena_block;
struct yk_arena {
    struct yk_arena_block *head;
};

/** N zeroed bytes, aligned to 16; NULL when memory is out. N 0 gives a unique pointer. */
void *yk_arena_alloc(struct yk_arena *a, size_t n);
/** Copy of the first N bytes of S with a terminating NUL. */
char *yk_arena_strndup(struct yk_arena *a, const char *s, size_t n);
char *yk_arena_printf(struct yk_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Release all; the arena is empty and usable again. */
void yk_arena_finish(struct yk_arena *a);

/* A function, so that the check is no warning where N is of a narrow type. */
static inline void *yk_arena_array_(struct yk_arena *a, size_t n, size_t size)
{
    return n > (size_t)-1 / 2 / size ? NULL : yk_arena_alloc(a, n * size);
}
#define yk_arena_new(a, T)      ((T *)yk_arena_alloc((a), sizeof(T)))
#define yk_arena_array(a, T, n) ((T *)yk_arena_array_((a), (n), sizeof(T)))

#endif
