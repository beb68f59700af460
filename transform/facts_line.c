#include "transform/facts_line.h"
#include <string.h>

/* The next line; false at the end or where it is not text. */
bool yk_line_next(struct yk_line *r)
{
    const char *nl = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    if (!nl)
        return false;
    r->line = r->at;
    r->lend = nl;
    r->at = nl + 1;
    for (const char *p = r->line; p < nl; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    return true;
}

/* The next word of the line, words being parted by one space. */
bool yk_line_word(struct yk_line *r, const char **w, size_t *n)
{
    if (r->line >= r->lend)
        return false;
    const char *space = memchr(r->line, ' ', (size_t)(r->lend - r->line));
    *w = r->line;
    *n = (size_t)((space ? space : r->lend) - r->line);
    r->line = space ? space + 1 : r->lend;
    return *n > 0 && (!space || space + 1 < r->lend);
}

bool yk_line_is(const char *w, size_t n, const char *s)
{
    return strlen(s) == n && !memcmp(w, s, n);
}

bool yk_line_done(const struct yk_line *r)
{
    return r->line == r->lend;
}

/* Is the line's first word KEY? Then it is taken. */
bool yk_line_key(struct yk_line *r, const char *k)
{
    size_t n = strlen(k), left = (size_t)(r->lend - r->line);
    if (left < n || memcmp(r->line, k, n) || (left > n && r->line[n] != ' '))
        return false;
    r->line += left > n ? n + 1 : n;
    return true;
}

bool yk_line_number(struct yk_line *r, uint64_t max, uint64_t *v)
{
    const char *w;
    size_t n;
    if (!yk_line_word(r, &w, &n) || n > 19 || (n > 1 && w[0] == '0'))
        return false;
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        if (w[i] < '0' || w[i] > '9')
            return false;
        x = x * 10 + (uint64_t)(w[i] - '0');
    }
    *v = x;
    return x <= max;
}

bool yk_line_number32(struct yk_line *r, uint32_t *v)
{
    uint64_t x;
    if (!yk_line_number(r, UINT32_MAX, &x))
        return false;
    *v = (uint32_t)x;
    return true;
}

bool yk_line_hex64(struct yk_line *r, uint64_t *v)
{
    const char *w;
    size_t n;
    if (!yk_line_word(r, &w, &n) || n != 16)
        return false;
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        const char *digits = "0123456789abcdef", *d = memchr(digits, w[i], 16);
        if (!d)
            return false;
        x = x << 4 | (uint64_t)(d - digits);
    }
    *v = x;
    return true;
}

bool yk_line_signed(struct yk_line *r, int64_t *v)
{
    bool minus = r->line < r->lend && *r->line == '-';
    uint64_t x;
    r->line += minus;
    if (!yk_line_number(r, (uint64_t)INT64_MAX + minus, &x) || (minus && !x))
        return false;
    *v = (int64_t)(minus ? 0 - x : x);
    return true;
}
