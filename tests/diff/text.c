#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *alloc_or_end(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 4096);
    if (!memory) {
        fprintf(stderr, "diffgen: no memory\n");
        exit(2);
    }
    memset(memory, 0, bytes);
    return memory;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (text->n + (size_t)need + 1 > text->cap) {
        text->cap = (text->n + (size_t)need + 1) * 2;
        text->v = realloc(text->v, text->cap);
        if (!text->v) {
            fprintf(stderr, "diffgen: no memory\n");
            exit(2);
        }
    }
    va_start(args, format);
    vsnprintf(text->v + text->n, (size_t)need + 1, format, args);
    va_end(args);
    text->n += (size_t)need;
}

void text_finish(struct text *text)
{
    free(text->v);
    *text = (struct text){0};
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

unsigned random_below(uint64_t *state, unsigned n)
{
    return (unsigned)((random_next(state) >> 32) * n >> 32);
}
