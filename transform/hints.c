#include "transform/hints.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Both of one length. */
static const struct {
    const char *words, *pragma;
} hint[] = {{"yk_prag_unroll", "#pragma unroll"}, {"yk_prag_clang_loop", "#pragma clang loop"}};
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

/* Behind the words of PRAGMA at P, however far apart they are; NULL: they are not there. */
static const char *behind_all(const char *p, const char *end, const char *pragma)
{
    char word[16];
    p = spaces(p, end);
    p = p < end && *p == '#' ? p + 1 : NULL;
    for (const char *w = pragma + 1; p && *w; w += *w == ' ') {
        size_t n = strcspn(w, " ");
        memcpy(word, w, n);
        word[n] = 0;
        p = behind(p, end, word);
        w += n;
    }
    return p;
}

static bool names_something(const char *p, const char *end)
{
    for (; p < end; p++)
        if (isalpha((unsigned char)*p) || *p == '_')
            return true;
    return false;
}

static bool goes_on(const char *p, const char *end)
{
    end -= end > p && end[-1] == '\r';
    return end > p && end[-1] == '\\';
}

static const char *line_end(const char *p, const char *end)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    return nl ? nl : end;
}

void yk_hints_as_words(char *source, size_t n)
{
    const char *end = source + n;
    for (char *p = source; p < end;) {
        const char *stop = line_end(p, end);
        for (unsigned i = 0; i < HINTS; i++) {
            const char *arguments = behind_all(p, stop, hint[i].pragma);
            if (!arguments || !names_something(arguments, stop) || goes_on(p, stop))
                continue;
            memset(p, ' ', (size_t)(arguments - p));
            memcpy(p, hint[i].words, strlen(hint[i].words));
        }
        p += stop - p + 1;
    }
}

void yk_hints_as_pragmas(char *text, size_t n)
{
    const char *end = text + n;
    for (char *p = text; p < end;) {
        const char *stop = line_end(p, end);
        for (unsigned i = 0; i < HINTS; i++)
            if (behind(p, stop, hint[i].words))
                memcpy(p + (spaces(p, stop) - p), hint[i].pragma, strlen(hint[i].pragma));
        p += stop - p + 1;
    }
}
