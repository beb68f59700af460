#include "transform/hints.h"
#include <ctype.h>
#include <string.h>

/* Of one length, and lines stay lines. */
static const struct {
    const char *pragma, *after, *words, *back;
} hint[] = {{"unroll", NULL, "yk_pragma_unroll", "#pragma unroll  "},
            {"clang", "loop", "yk_pragma_clang_loop", "#pragma clang loop  "}};
enum { HINTS = sizeof hint / sizeof *hint };

static const char *spaces(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* Behind WORD at P and spaces before it; NULL: it is not there. */
static const char *behind(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    p = spaces(p, end);
    return (size_t)(end - p) >= n && !memcmp(p, word, n) &&
                   (p + n == end || !(isalnum((unsigned char)p[n]) || p[n] == '_'))
               ? p + n
               : NULL;
}

/* The hint on the line [P, END) whose arguments name something, or HINTS; *ARGUMENTS: where these begin. */
static unsigned find(const char *p, const char *end, const char **arguments)
{
    p = spaces(p, end);
    if (p == end || *p != '#' || !(p = behind(p + 1, end, "pragma")) || end[-1] == '\\' ||
        (end[-1] == '\r' && end[-2] == '\\'))
        return HINTS;
    for (unsigned i = 0; i < HINTS; i++) {
        const char *q = behind(p, end, hint[i].pragma);
        if (q && hint[i].after)
            q = behind(q, end, hint[i].after);
        for (const char *c = q; q && c < end; c++)
            if (isalpha((unsigned char)*c) || *c == '_') {
                *arguments = q;
                return i;
            }
    }
    return HINTS;
}

const char *yk_hints_as_words(const char *source, size_t n, struct yk_arena *a, size_t *out)
{
    const char *end = source + n, *arguments;
    size_t more = 0;
    for (const char *p = source, *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        unsigned i = find(p, stop, &arguments);
        more += i < HINTS ? strlen(hint[i].words) : 0;
    }
    *out = n;
    char *copy = more ? yk_arena_alloc(a, n + more + 1) : NULL;
    if (!more || !copy)
        return more ? NULL : source;
    size_t used = 0;
    for (const char *p = source, *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        unsigned i = find(p, stop, &arguments);
        if (i < HINTS) {
            memcpy(copy + used, hint[i].words, strlen(hint[i].words));
            used += strlen(hint[i].words);
            p = arguments;
        }
        size_t rest = (size_t)((stop < end ? stop + 1 : end) - p);
        memcpy(copy + used, p, rest);
        used += rest;
    }
    copy[used] = 0;
    *out = used;
    return copy;
}

void yk_hints_as_pragmas(char *text, size_t n)
{
    for (char *p = text, *end = text + n, *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        for (unsigned i = 0; i < HINTS; i++)
            if (behind(p, stop, hint[i].words))
                memcpy(p + (spaces(p, stop) - p), hint[i].back, strlen(hint[i].back));
    }
}
