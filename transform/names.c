#include "transform/names.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "transform/facts.h"

/* Beginnings of reserved names that no OpenCL compiler defines here: other languages', other systems'. */
static const char *const never[] = {"__cplusplus",
                                    "__CUDA",
                                    "__HIP",
                                    "_WIN32",
                                    "_WIN64",
                                    "_MSC_VER",
                                    "__APPLE__",
                                    "__METAL",
                                    "__SYCL",
                                    "__CLION_IDE__",
                                    "__JETBRAINS_IDE__",
                                    "__INTELLISENSE__",
                                    "__OPENCL_CPP_VERSION__",
                                    "__EMBEDDED_PROFILE__"};

/* What drivers define; a riddle even where the program defines them itself if they are missing. */
static const char *const vendor[] = {"__GPU__",     "__CPU__",         "__ACC__",      "__NV_CL_C_VERSION",
                                     "__AMD__",     "__POCL__",        "__oclgrind__", "FP_FAST_FMAF",
                                     "FP_FAST_FMA", "FP_FAST_FMA_HALF"};

/* Known also where they are not defined. */
static const char *const flags[] = {"__FAST_RELAXED_MATH__", "__ENDIAN_LITTLE__", "__IMAGE_SUPPORT__"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What a compiler says of itself: a value wherever it is named, a body that a condition expands included. */
static const char *const versions[] = {"__OPENCL_VERSION__", YK_NAMES_C_VERSION};

enum { SEEN = 1, TESTED = 2, DEFINED = 4, BODY = 8 };

struct yk_names {
    struct entry {
        char *name;
        unsigned how;
    } * slot; /* open addressing */
    size_t n, cap;
    bool pastes;
};

struct yk_names *yk_names_create(void)
{
    return calloc(1, sizeof(struct yk_names));
}

void yk_names_destroy(struct yk_names *n)
{
    for (size_t i = 0; n && i < n->cap; i++)
        free(n->slot[i].name);
    if (n)
        free(n->slot);
    free(n);
}

static struct entry *slot_of(const struct yk_names *n, const char *s, size_t len)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 1099511628211u;
    for (size_t i = h & (n->cap - 1);; i = (i + 1) & (n->cap - 1))
        if (!n->slot[i].name || (!strncmp(n->slot[i].name, s, len) && !n->slot[i].name[len]))
            return &n->slot[i];
}

static bool mark(struct yk_names *n, const char *s, size_t len, unsigned how)
{
    if (2 * n->n >= n->cap) {
        struct yk_names bigger = {.cap = n->cap ? 2 * n->cap : 1024};
        bigger.slot = calloc(bigger.cap, sizeof *bigger.slot);
        if (!bigger.slot)
            return false;
        for (size_t i = 0; i < n->cap; i++)
            if (n->slot[i].name)
                *slot_of(&bigger, n->slot[i].name, strlen(n->slot[i].name)) = n->slot[i];
        free(n->slot);
        n->slot = bigger.slot;
        n->cap = bigger.cap;
    }
    struct entry *e = slot_of(n, s, len);
    if (!e->name) {
        e->name = strndup(s, len);
        if (!e->name)
            return false;
        n->n++;
    }
    e->how |= how;
    return true;
}

static bool word_is(const char *s, size_t n, const char *w)
{
    return strlen(w) == n && !memcmp(s, w, n);
}

/* Where the scanner is. */
struct scan {
    const char *p, *end;
    bool line_start; /* nothing but space since the line began */
    enum { TEXT, DIRECTIVE, CONDITION, DEFINE, DEFINITION } in;
};

static const char *skip_comment(const char *p, const char *end)
{
    if (p[1] == '/') {
        while (p < end && *p != '\n')
            p += *p == '\\' && p + 1 < end ? 2 : 1;
        return p < end ? p : end;
    }
    for (p += 2; p + 1 < end; p++)
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
    return end;
}

static const char *skip_string(const char *p, const char *end)
{
    char quote = *p++;
    while (p < end && *p != quote && *p != '\n')
        p += *p == '\\' && p + 1 < end ? 2 : 1;
    return p < end && *p == quote ? p + 1 : p < end ? p : end;
}

static bool take_word(struct yk_names *n, struct scan *s)
{
    const char *w = s->p;
    while (s->p < s->end && (isalnum((unsigned char)*s->p) || *s->p == '_' || *s->p == '$'))
        s->p++;
    size_t len = (size_t)(s->p - w);
    if (isdigit((unsigned char)*w))
        return true;
    unsigned how = SEEN;
    switch (s->in) {
    case DIRECTIVE:
        s->in =
            word_is(w, len, "if") || word_is(w, len, "ifdef") || word_is(w, len, "ifndef") || word_is(w, len, "elif")
                ? CONDITION
            : word_is(w, len, "define") ? DEFINE
                                        : TEXT;
        return true;
    case CONDITION:
        how |= word_is(w, len, "defined") ? 0 : TESTED;
        break;
    case DEFINE:
        how |= DEFINED;
        s->in = DEFINITION;
        break;
    case DEFINITION:
        how |= BODY;
        break;
    default:
        break;
    }
    return mark(n, w, len, how);
}

yk_status yk_names_add(struct yk_names *n, const char *text, size_t size)
{
    struct scan s = {text, text + size, true, TEXT};
    while (s.p < s.end) {
        char c = *s.p, d = s.p + 1 < s.end ? s.p[1] : 0;
        if (c == '\\' && (d == '\n' || d == '\r')) {
            s.p += d == '\r' && s.p + 2 < s.end && s.p[2] == '\n' ? 3 : 2;
        } else if (c == '\n') {
            s.line_start = true;
            s.in = TEXT;
            s.p++;
        } else if (isspace((unsigned char)c)) {
            s.p++;
        } else if (c == '/' && (d == '/' || d == '*')) {
            s.p = skip_comment(s.p, s.end);
        } else if (c == '"' || c == '\'') {
            s.line_start = false;
            s.p = skip_string(s.p, s.end);
        } else if (c == '#' && s.line_start) {
            s.line_start = false;
            s.in = DIRECTIVE;
            s.p++;
        } else if (isalnum((unsigned char)c) || c == '_' || c == '$') {
            s.line_start = false;
            if (!take_word(n, &s))
                return YK_ENOMEM;
        } else {
            n->pastes |= c == '#' && d == '#';
            s.line_start = false;
            s.p++;
        }
    }
    return YK_OK;
}

static const struct entry *find(const struct yk_names *n, const char *name)
{
    const struct entry *e = n->cap ? slot_of(n, name, strlen(name)) : NULL;
    return e && e->name ? e : NULL;
}

bool yk_names_has(const struct yk_names *n, const char *name)
{
    return n->pastes || find(n, name);
}

static bool listed(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

static bool begins(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, list[i], strlen(list[i])))
            return true;
    return false;
}

static bool given(const struct yk_options *o, const char *name)
{
    size_t len = strlen(name);
    for (unsigned i = 0; i < o->npre; i++) {
        const char *w = o->pre[i] + 2;
        if (o->pre[i][1] != 'I' && !strncmp(w, name, len) && (!w[len] || w[len] == '=' || w[len] == '('))
            return true;
    }
    return false;
}

/* Is E a macro that a condition tests, or may test through another macro, and that the app did not give a value? */
static bool in_question(const struct entry *e, const struct yk_options *o)
{
    if (!e->name || given(o, e->name))
        return false;
    return e->how & TESTED || listed(e->name, versions, COUNT(versions)) ||
           (e->how & BODY && (listed(e->name, flags, COUNT(flags)) || listed(e->name, vendor, COUNT(vendor)) ||
                              !strncmp(e->name, "cl_khr_", strlen("cl_khr_"))));
}

bool yk_names_riddle(const struct yk_names *n, const struct yk_macros *known, const struct yk_options *o)
{
    for (size_t i = 0; i < n->cap; i++) {
        const struct entry *e = &n->slot[i];
        if (!in_question(e, o) || yk_macros_value(known, e->name) || listed(e->name, flags, COUNT(flags)))
            continue;
        size_t len = strlen(e->name);
        while (len && e->name[len - 1] == '_')
            len--;
        bool header = len > 2 && !strncmp(e->name + len - 2, "_H", 2); /* some file's include guard */
        bool reserved = e->name[0] == '_' && (e->name[1] == '_' || isupper((unsigned char)e->name[1])) && !header;
        if (listed(e->name, vendor, COUNT(vendor)) ||
            (reserved && !(e->how & DEFINED) && !begins(e->name, never, COUNT(never))))
            return true;
    }
    return false;
}

const char *yk_names_guards(const struct yk_names *n, const struct yk_macros *known, const struct yk_options *o,
                            unsigned version, struct yk_arena *a)
{
    const char *text = "";
    for (size_t i = 0; i < n->cap && text; i++) {
        const struct entry *e = &n->slot[i];
        if (!in_question(e, o))
            continue;
        const char *value = yk_macros_value(known, e->name);
        const char *test = !value ? yk_arena_printf(a, "defined(%s)", e->name)
                           : isdigit((unsigned char)value[0]) && strcmp(value, "1")
                               ? yk_arena_printf(a, "%s != %s", e->name, value)
                               : yk_arena_printf(a, "!defined(%s)", e->name);
        if (test && version && !strcmp(e->name, YK_NAMES_C_VERSION))
            test = yk_arena_printf(a, "%s && %s != %u", test, e->name, version);
        if (test)
            text = yk_arena_printf(a, "%s#if %s\n#error \"%s " YK_GUARD_WORDS "\"\n#endif\n", text, test, e->name);
    }
    return text;
}
