#include "base/arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct yk_arena_block {
    struct yk_arena_block *next;
    size_t used, size;
    _Alignas(16) char data[];
};

void *yk_arena_alloc(struct yk_arena *a, size_t n)
{
    if (n > (size_t)-1 / 2)
        return NULL;
    n = n ? (n + 15) & ~(size_t)15 : 16;
    struct yk_arena_block *b = a->head;
    if (!b || b->size - b->used < n) {
        size_t size = n > 4096 - sizeof *b ? n : 4096 - sizeof *b;
        if (b && size < 2 * b->size && b->size < (1u << 20))
            size = 2 * b->size > n ? 2 * b->size : n;
        struct yk_arena_block *fresh = calloc(1, sizeof *fresh + size);
        if (!fresh)
            return NULL;
        fresh->size = size;
        fresh->next = b;
        a->head = b = fresh;
    }
    void *p = b->data + b->used;
    b->used += n;
    return p;
}

char *yk_arena_strndup(struct yk_arena *a, const char *s, size_t n)
{
    char *p = yk_arena_alloc(a, n + 1);
    if (p)
        memcpy(p, s, n);
    return p;
}

char *yk_arena_printf(struct yk_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = n < 0 ? NULL : yk_arena_alloc(a, (size_t)n + 1);
    if (p)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

void yk_arena_finish(struct yk_arena *a)
{
    while (a->head) {
        struct yk_arena_block *next = a->head->next;
        free(a->head);
        a->head = next;
    }
}
