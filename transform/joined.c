#include "transform/joined.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/hash.h"

/* A declaration, definition or pragma at file scope. */
struct item {
    const char *at;
    size_t n;
    struct yk_hash hash; /* of its words, whatever is between them */
    bool pragma;
};

struct name {
    struct yk_hash hash;
    const char *at;
    int n;
};

typedef YK_ARRAY(struct name) name_array;

struct text {
    YK_ARRAY(struct item) items;
    name_array declared; /* what has a "(" behind it outside of everything: functions, and words like __attribute__ */
    name_array called;   /* and within something */
};

static int order(const struct name *a, const struct name *b)
{
    return a->hash.hi != b->hash.hi   ? (a->hash.hi < b->hash.hi ? -1 : 1)
           : a->hash.lo != b->hash.lo ? (a->hash.lo < b->hash.lo ? -1 : 1)
                                      : 0;
}

static int by_hash(const void *a, const void *b)
{
    return order(a, b);
}

static bool has(const name_array *all, const struct name *one)
{
    return all->n && bsearch(one, all->v, all->n, sizeof *all->v, by_hash) != NULL;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind the string or character that begins at P. */
static const char *quoted(const char *p, const char *end)
{
    char quote = *p++;
    while (p < end && *p != quote)
        p += *p == '\\' && p + 1 < end ? 2 : 1;
    return p < end ? p + 1 : end;
}

static const char *blank(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p;
}

/* Is P the first in its line? */
static bool begins_line(const char *text, const char *p)
{
    while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return p == text || p[-1] == '\n';
}

static const char *line_end(const char *p, const char *end)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    return nl ? nl + 1 : end;
}

/* Words and signs from P to END, each with the next. */
static struct yk_hash words(const char *p, const char *end)
{
    struct yk_hash h = {0, 0};
    while ((p = blank(p, end)) < end) {
        const char *from = p++;
        if (*from == '"' || *from == '\'')
            p = quoted(from, end);
        else if (is_name(*from))
            while (p < end && is_name(*p))
                p++;
        h = yk_hash_bytes(h, from, (size_t)(p - from));
        h = yk_hash_bytes(h, "", 1);
    }
    return h;
}

static bool add_item(struct text *t, const char *from, const char *to, bool pragma)
{
    struct item i = {from, (size_t)(to - from), words(from, to), pragma};
    return yk_array_push(&t->items, i);
}

static bool add_name(name_array *to, const char *at, const char *end)
{
    struct name n = {yk_hash_bytes((struct yk_hash){0, 0}, at, (size_t)(end - at)), at, (int)(end - at)};
    return yk_array_push(to, n);
}

/* The word at P, which a name is added for if it has a "(" behind it. Where it ends; NULL: no memory. */
static const char *take_word(struct text *t, const char *p, const char *end, bool outside)
{
    const char *from = p;
    while (p < end && is_name(*p))
        p++;
    const char *next = blank(p, end);
    if (next < end && *next == '(' && !isdigit((unsigned char)*from) &&
        !add_name(outside ? &t->declared : &t->called, from, p))
        return NULL;
    return p;
}

/* TEXT into its items. False: no memory; *REFUSED: it cannot be told apart. */
static bool split(struct text *t, const char *text, size_t size, const char **refused)
{
    const char *end = text + size, *from = NULL;
    long round = 0, square = 0, curly = 0;
    bool body = false; /* the outermost braces are a function's */
    char last = 0;     /* sign or last letter before P */
    for (const char *p = text; (p = blank(p, end)) < end;) {
        if (*p == '#' && begins_line(text, p)) {
            const char *stop = line_end(p, end);
            if (!from && !add_item(t, p, stop, true))
                return false;
            p = stop;
            continue;
        }
        from = from ? from : p;
        char c = *p;
        if (c == '"' || c == '\'') {
            p = quoted(p, end);
        } else if (is_name(c)) {
            p = take_word(t, p, end, !round && !square && !curly);
            if (!p)
                return false;
        } else {
            round += (c == '(') - (c == ')');
            square += (c == '[') - (c == ']');
            if (c == '{' && !curly++)
                body = last == ')' && !round && !square;
            curly -= c == '}';
            p++;
        }
        last = p[-1];
        if (round < 0 || square < 0 || curly < 0)
            break;
        if (!round && !square && !curly && (c == ';' || (c == '}' && body))) {
            if (!add_item(t, from, p, false))
                return false;
            from = NULL;
        }
    }
    if (from)
        *refused = "one of the parts that it is linked from ends within a declaration";
    return true;
}

static bool mentions(const char *text, size_t n, const char *what)
{
    return memmem(text, n, what, strlen(what)) != NULL;
}

static bool is_in(const struct text *t, const struct item *i)
{
    for (size_t k = 0; k < t->items.n; k++)
        if (t->items.v[k].hash.hi == i->hash.hi && t->items.v[k].hash.lo == i->hash.lo)
            return true;
    return false;
}

/* Does the pragma I enable what OpenCL C 1.2 has anyhow, where a device has it? */
static bool enables_core(const struct item *i)
{
    static const char *const core[] = {"cl_khr_fp64",
                                       "cl_khr_byte_addressable_store",
                                       "cl_khr_global_int32_base_atomics",
                                       "cl_khr_global_int32_extended_atomics",
                                       "cl_khr_local_int32_base_atomics",
                                       "cl_khr_local_int32_extended_atomics"};
    for (size_t k = 0; k < sizeof core / sizeof *core; k++)
        if (mentions(i->at, i->n, core[k]))
            return true;
    return false;
}

/* A pragma of one would count for what comes after it, the others' declarations too. */
static bool same_pragmas(const struct text *a, const struct text *b, unsigned std)
{
    for (size_t k = 0; k < a->items.n; k++) {
        const struct item *i = &a->items.v[k];
        if (i->pragma && (!mentions(i->at, i->n, "EXTENSION") || !mentions(i->at, i->n, "enable") ||
                          !((std >= 120 && enables_core(i)) || is_in(b, i))))
            return false;
    }
    return true;
}

/* A function of A's that B calls without having declared it: what B means is a built-in of that name. NULL: none. */
static const struct name *taken_for(const struct text *a, const struct text *b)
{
    for (size_t i = 0; i < a->declared.n; i++)
        if (has(&b->called, &a->declared.v[i]) && !has(&b->declared, &a->declared.v[i]))
            return &a->declared.v[i];
    return NULL;
}

static yk_status refuse(const struct text *t, const char *const *text, const size_t *size, unsigned n, unsigned std,
                        struct yk_arena *a, const char **refused)
{
    for (unsigned i = 0; i < n && !*refused; i++)
        for (unsigned k = 0; k < n && !*refused; k++) {
            const struct name *taken = i != k ? taken_for(&t[i], &t[k]) : NULL;
            if (taken && !(*refused = yk_arena_printf(a,
                                                      "a part that it is linked from has a function %.*s, and another "
                                                      "means a built-in by that",
                                                      taken->n, taken->at)))
                return YK_ENOMEM;
            if (i != k && !*refused && !same_pragmas(&t[i], &t[k], std))
                *refused = "the parts that it is linked from have different pragmas";
        }
    for (unsigned i = 0; i < n && !*refused; i++)
        if (mentions(text[i], size[i], "overloadable")) /* another's may match a call better */
            *refused = "a part that it is linked from overloads functions";
    return YK_OK;
}

static void write_all(const struct text *t, unsigned n, char *out, size_t *nout)
{
    char *to = out;
    for (unsigned i = 0; i < n; i++)
        for (size_t k = 0; k < t[i].items.n; k++) {
            const struct item *item = &t[i].items.v[k];
            bool again = false;
            for (unsigned before = 0; before < i && !again; before++)
                again = is_in(&t[before], item);
            if (again)
                continue;
            to = mempcpy(to, item->at, item->n);
            *to++ = '\n';
        }
    *to = 0;
    *nout = (size_t)(to - out);
}

yk_status yk_joined_text(const char *const *text, const size_t *size, unsigned n, unsigned std, struct yk_arena *a,
                         char **out, size_t *nout, const char **refused)
{
    struct text *t = yk_arena_array(a, struct text, n);
    yk_status s = t ? YK_OK : YK_ENOMEM;
    size_t most = 1;
    *refused = NULL;
    for (unsigned i = 0; t && i < n; i++)
        t[i] = (struct text){0};
    for (unsigned i = 0; s == YK_OK && i < n && !*refused; i++) {
        if (!split(&t[i], text[i], size[i], refused))
            s = YK_ENOMEM;
        if (t[i].declared.n)
            qsort(t[i].declared.v, t[i].declared.n, sizeof *t[i].declared.v, by_hash);
        if (t[i].called.n)
            qsort(t[i].called.v, t[i].called.n, sizeof *t[i].called.v, by_hash);
        most += size[i] + t[i].items.n;
    }
    if (s == YK_OK && !*refused)
        s = refuse(t, text, size, n, std, a, refused);
    if (s == YK_OK && !*refused) {
        *out = yk_arena_alloc(a, most);
        s = *out ? YK_OK : YK_ENOMEM;
        if (*out)
            write_all(t, n, *out, nout);
    }
    for (unsigned i = 0; t && i < n; i++) {
        yk_array_finish(&t[i].items);
        yk_array_finish(&t[i].declared);
        yk_array_finish(&t[i].called);
    }
    return s;
}
