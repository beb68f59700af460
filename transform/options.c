#include "transform/options.h"
#include <stdlib.h>
#include <string.h>
#include "base/array.h"

/* The next word of *S into BUF (as long as *S); false at the end. RAW is what it was written as. */
static bool word(const char **s, char *buf, const char **raw, size_t *nraw)
{
    const char *p = *s;
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    if (!*p)
        return false;
    *raw = p;
    char quote = 0;
    for (; *p && (quote || (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')); p++) {
        if (*p == '\\' && p[1] && quote != '\'')
            *buf++ = *++p;
        else if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else
            *buf++ = *p;
    }
    *buf = 0;
    *nraw = (size_t)(p - *raw);
    *s = p;
    return true;
}

static bool starts(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

static void meaning(struct yk_options *o, struct yk_arena *a, const char *w)
{
    if (starts(w, "-cl-std=CL") && strlen(w) >= 13) {
        o->std = (unsigned)(w[10] - '0') * 100 + (unsigned)(w[12] - '0') * 10;
        o->std_word = yk_arena_strndup(a, w, strlen(w));
    } else if (!strcmp(w, "-cl-fp32-correctly-rounded-divide-sqrt")) {
        o->correctly_rounded = true;
    } else if (!strcmp(w, "-cl-denorms-are-zero")) {
        o->flush = true;
    } else if (!strcmp(w, "-cl-single-precision-constant")) {
        o->single_constants = true;
    } else if (!strcmp(w, "-cl-opt-disable")) {
        o->all_loads = true;
    } else if (!strcmp(w, "-cl-fast-relaxed-math")) {
        o->relaxed = o->fast = true;
    } else if (!strcmp(w, "-cl-unsafe-math-optimizations") || !strcmp(w, "-cl-finite-math-only") ||
               !strcmp(w, "-cl-no-signed-zeros")) {
        o->relaxed = true;
    }
}

yk_status yk_options_parse(const char *text, struct yk_arena *a, struct yk_options *o)
{
    *o = (struct yk_options){.rest = ""};
    YK_ARRAY(const char *) pre = {0};
    size_t n = strlen(text), used = 0, nraw;
    char *buf = malloc(n + 1), *rest = yk_arena_alloc(a, n + 2);
    const char *raw;
    bool ok = buf && rest;
    while (ok && word(&text, buf, &raw, &nraw)) {
        const char *w = yk_arena_strndup(a, buf, strlen(buf));
        if (w && buf[0] == '-' && strchr("DUI", buf[1]) && buf[1]) {
            if (!buf[2] && word(&text, buf, &raw, &nraw)) /* "-D X" */
                w = yk_arena_printf(a, "%s%s", w, buf);
            ok = w && (!w[2] || yk_array_push(&pre, w));
            continue;
        }
        ok = w != NULL;
        if (ok)
            meaning(o, a, w);
        if (used)
            rest[used++] = ' ';
        memcpy(rest + used, raw, nraw);
        used += nraw;
        rest[used] = 0;
    }
    const char **v = ok ? yk_arena_array(a, const char *, pre.n) : NULL;
    if (v && pre.n)
        memcpy(v, pre.v, pre.n * sizeof *v);
    o->pre = v;
    o->npre = (unsigned)pre.n;
    o->rest = rest;
    yk_array_finish(&pre);
    free(buf);
    return v ? YK_OK : YK_ENOMEM;
}
