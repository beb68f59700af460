#include "solver/scan.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

yk_status yk_scan_load(const char *path, char **text, size_t *len, char *msg, size_t nmsg)
{
    *text = NULL;
    *len = 0;
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0) {
        snprintf(msg, nmsg, "%s: %s", path, strerror(errno));
        if (f)
            fclose(f);
        return YK_EIO;
    }
    size_t cap = S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size + 1 : 1 << 16, n = 0;
    char *buf = malloc(cap);
    while (buf) {
        n += fread(buf + n, 1, cap - 1 - n, f);
        if (n < cap - 1)
            break;
        char *more = realloc(buf, cap *= 2);
        if (!more)
            free(buf);
        buf = more;
    }
    bool failed = ferror(f) != 0;
    int why = errno;
    fclose(f);
    if (!buf || failed) {
        free(buf);
        snprintf(msg, nmsg, "%s: %s", path, failed ? strerror(why) : "not enough memory to read it");
        return failed ? YK_EIO : YK_ENOMEM;
    }
    buf[n] = 0;
    *text = buf;
    *len = n;
    return YK_OK;
}

void yk_scan_init(struct yk_scan *s, const char *name, const char *text, size_t len, char *msg, size_t nmsg)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t skip = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    text += skip;
    len -= skip;
    *s = (struct yk_scan){
        .name = name, .p = text, .end = text + len, .line = 1, .position = 1, .marks = "", .msg = msg, .nmsg = nmsg};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' || c == 0;
}

static bool at_comment(const struct yk_scan *s)
{
    return s->comments && s->end - s->p >= 2 && s->p[0] == '/' && (s->p[1] == '/' || s->p[1] == '*');
}

static void skip_comment(struct yk_scan *s)
{
    bool block = s->p[1] == '*';
    for (s->p += 2; s->p < s->end; s->p++) {
        if (!block && *s->p == '\n')
            return;
        if (block && *s->p == '*' && s->end - s->p >= 2 && s->p[1] == '/') {
            s->p += 2;
            return;
        }
        s->position += *s->p == '\n';
    }
}

static bool take_quoted(struct yk_scan *s)
{
    if (!s->quotes || *s->p != '"')
        return false;
    const char *end = s->p + 1;
    while (end < s->end && *end != '"' && *end != '\n' && *end)
        end++;
    if (end == s->end || *end != '"')
        return false;
    s->word = s->p + 1;
    s->len = (size_t)(end - s->word);
    s->p = end + 1;
    return true;
}

static bool next(struct yk_scan *s, bool same_line)
{
    for (;;) {
        while (s->p < s->end && is_space(*s->p) && !(same_line && *s->p == '\n'))
            s->position += *s->p++ == '\n';
        if (s->p == s->end || !at_comment(s))
            break;
        skip_comment(s);
    }
    s->word = NULL;
    s->len = 0;
    s->quoted = false;
    s->line = s->position;
    if (s->p == s->end || *s->p == '\n')
        return false;
    s->quoted = take_quoted(s);
    if (s->quoted)
        return true;
    s->word = s->p;
    if (*s->p && strchr(s->marks, *s->p)) {
        s->p++;
    } else {
        while (s->p < s->end && !is_space(*s->p) && !strchr(s->marks, *s->p) && !at_comment(s))
            s->p++;
    }
    s->len = (size_t)(s->p - s->word);
    return true;
}

bool yk_scan_next(struct yk_scan *s)
{
    return next(s, false);
}

bool yk_scan_next_on_line(struct yk_scan *s)
{
    return next(s, true);
}

void yk_scan_skip_line(struct yk_scan *s)
{
    while (s->p < s->end && *s->p != '\n')
        s->p++;
    if (s->p < s->end) {
        s->p++;
        s->position++;
    }
}

bool yk_scan_is(const struct yk_scan *s, const char *text)
{
    return s->word && !s->quoted && strlen(text) == s->len && strncasecmp(s->word, text, s->len) == 0;
}

yk_status yk_scan_expected(struct yk_scan *s, const char *fmt, ...)
{
    char what[256], found[48];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (!s->word) {
        snprintf(s->msg, s->nmsg, "%s:%lu: expected %s, found the end of the %s", s->name, s->line, what,
                 s->p < s->end ? "line" : "file");
        return YK_EFORMAT;
    }
    size_t n = s->len < 32 ? s->len : 32;
    for (size_t i = 0; i < n; i++)
        found[i] = isprint((unsigned char)s->word[i]) ? s->word[i] : '?';
    found[n] = 0;
    snprintf(s->msg, s->nmsg, "%s:%lu: expected %s, found '%s%s'", s->name, s->line, what, found,
             n < s->len ? "..." : "");
    return YK_EFORMAT;
}

yk_status yk_scan_fail(struct yk_scan *s, const char *fmt, ...)
{
    char what[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    snprintf(s->msg, s->nmsg, "%s:%lu: %s", s->name, s->line, what);
    return YK_EFORMAT;
}

bool yk_scan_as_whole(const struct yk_scan *s, uint64_t *value)
{
    if (!s->word || s->len == 0)
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < s->len; i++) {
        unsigned digit = (unsigned)(unsigned char)s->word[i] - '0';
        if (digit > 9 || v > (UINT64_MAX >> 1) / 10 - 1)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

bool yk_scan_as_real(const struct yk_scan *s, double *value)
{
    char text[128], *rest;
    if (!s->word || s->len == 0 || s->len >= sizeof text || !strchr("+-.0123456789", s->word[0]))
        return false;
    memcpy(text, s->word, s->len);
    text[s->len] = 0;
    if (memchr(text, 'x', s->len) || memchr(text, 'X', s->len) || memchr(text, 0, s->len))
        return false;
    *value = strtod(text, &rest);
    return *rest == 0 && isfinite(*value);
}

yk_status yk_scan_whole(struct yk_scan *s, const char *what, uint64_t min, uint64_t max, uint64_t *value)
{
    yk_scan_next(s);
    if (!yk_scan_as_whole(s, value))
        return yk_scan_expected(s, "%s", what);
    if (*value < min || *value > max)
        return yk_scan_expected(s, "%s, from %llu to %llu", what, (unsigned long long)min, (unsigned long long)max);
    return YK_OK;
}

yk_status yk_scan_real(struct yk_scan *s, const char *what, double min, double *value)
{
    yk_scan_next(s);
    if (!yk_scan_as_real(s, value))
        return yk_scan_expected(s, "%s", what);
    if (!(*value >= min))
        return yk_scan_expected(s, "%s, at least %g", what, min);
    return YK_OK;
}

size_t yk_scan_left(const struct yk_scan *s)
{
    return (size_t)(s->end - s->p);
}
