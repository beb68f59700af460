/* Kernel signatures out of OpenCL C text: enough to know names, how many parameters there are and of which kind. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next token at *P, comments and directives skipped: a word or one character. Its length; 0 at the end. */
static size_t token(const char **p)
{
    for (;;) {
        while (isspace((unsigned char)**p))
            (*p)++;
        if (!strncmp(*p, "//", 2) || **p == '#') {
            *p += strcspn(*p, "\n");
        } else if (!strncmp(*p, "/*", 2)) {
            const char *end = strstr(*p + 2, "*/");
            *p = end ? end + 2 : *p + strlen(*p);
        } else {
            break;
        }
    }
    size_t n = 0;
    while (word_char((*p)[n]))
        n++;
    return n ? n : **p != 0;
}

static bool is(const char *t, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(t, word, n);
}

static const char *skip_parens(const char *p) /* at "(" */
{
    int depth = 0;
    for (size_t n; (n = token(&p)); p += n) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (!depth)
            return p + 1;
    }
    return p;
}

/* The next kernel at or after *P: its name, *P behind its "(". */
static bool next_kernel(const char **p, char name[64])
{
    bool kernel = false;
    const char *last = NULL;
    size_t last_n = 0, n;
    for (; (n = token(p)); *p += n) {
        if (is(*p, n, "kernel") || is(*p, n, "__kernel")) {
            kernel = true;
        } else if (kernel && **p == '(' && last) {
            if (is(last, last_n, "__attribute__")) {
                *p = skip_parens(*p);
                n = 0;
            } else if (last_n < 64) {
                memcpy(name, last, last_n);
                name[last_n] = 0;
                ++*p;
                return true;
            }
        } else if (**p == ';' || **p == '{') {
            kernel = false;
        }
        last = *p;
        last_n = n;
    }
    return false;
}

static size_t value_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {{"char", 1},     {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},   {"uint", 4},
                 {"unsigned", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        if (strncmp(type, known[i].name, n) != 0)
            continue;
        if (!type[n])
            return known[i].size;
        int wide = atoi(type + n);
        if (isdigit((unsigned char)type[n]) && wide >= 2 && wide <= 16)
            return known[i].size * (size_t)(wide == 3 ? 4 : wide);
    }
    return 0;
}

static void append(char *to, size_t room, const char *t, size_t n)
{
    size_t used = strlen(to);
    if (used + n < room) {
        memcpy(to + used, t, n);
        to[used + n] = 0;
    }
}

/* One parameter; *P behind its "," or at the ")". False: the list is empty or has ended. */
static bool param(const char **p, struct stub_param *q)
{
    static const char *const qualifiers[] = {"global", "__global", "constant", "__constant", "local",   "__local",
                                             "const",  "restrict", "volatile", "__restrict", "private", "__private"};
    const char *last = NULL;
    size_t last_n = 0, n;
    bool pointer = false;
    *q = (struct stub_param){STUB_ARG_VALUE, 0, "", ""};
    for (; (n = token(p)) && **p != ')' && **p != ','; *p += n) {
        bool qualifier = false;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            qualifier |= is(*p, n, qualifiers[i]);
        if (is(*p, n, "local") || is(*p, n, "__local"))
            q->kind = STUB_ARG_LOCAL;
        else if (is(*p, n, "constant") || is(*p, n, "__constant"))
            q->kind = STUB_ARG_CONSTANT;
        else if (is(*p, n, "global") || is(*p, n, "__global"))
            q->kind = STUB_ARG_GLOBAL;
        pointer |= **p == '*';
        if (qualifier)
            continue;
        if (last)
            append(q->type, sizeof q->type, last, last_n);
        last = *p;
        last_n = n;
    }
    if (!last)
        return false;
    append(q->name, sizeof q->name, last, last_n);
    if (!pointer) {
        q->kind = STUB_ARG_VALUE;
        q->size = value_size(q->type);
    }
    if (**p == ',')
        ++*p;
    return strcmp(q->name, "void") != 0;
}

bool stub_signature(const char *source, const char *name, struct stub_signature *s)
{
    const char *p = source;
    *s = (struct stub_signature){0};
    while (next_kernel(&p, s->name)) {
        if (strcmp(s->name, name) != 0)
            continue;
        while (s->n < STUB_ARGS && param(&p, &s->param[s->n]))
            s->n++;
        return true;
    }
    return false;
}

unsigned stub_kernel_names(const char *source, char names[][64], unsigned max)
{
    unsigned n = 0;
    for (const char *p = source; n < max && next_kernel(&p, names[n]);) {
        bool seen = false;
        for (unsigned i = 0; i < n; i++)
            seen |= !strcmp(names[i], names[n]);
        n += !seen;
    }
    return n;
}
