#include "transform/rewrite.h"
#include <stdlib.h>
#include <string.h>

void yk_rewrite_edit(struct yk_rewriter *r, size_t begin, size_t end, const char *text)
{
    struct yk_edit e = {begin, end, text, r->edits.n};
    if (!text || !yk_array_push(&r->edits, e))
        r->memory = true;
}

static int by_place(const void *x, const void *y)
{
    const struct yk_edit *a = x, *b = y;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

char *yk_rewrite_apply(struct yk_rewriter *r, const char *top, size_t *size)
{
    if (r->memory || !top) {
        r->memory = true;
        return NULL;
    }
    if (r->edits.n)
        qsort(r->edits.v, r->edits.n, sizeof *r->edits.v, by_place);
    size_t n = strlen(top) + r->f->size, at = 0, used;
    for (size_t i = 0; i < r->edits.n; i++)
        n += strlen(r->edits.v[i].text);
    char *out = yk_arena_alloc(r->a, n + 1);
    if (!out) {
        r->memory = true;
        return NULL;
    }
    used = strlen(top);
    memcpy(out, top, used);
    for (size_t i = 0; i < r->edits.n; i++) {
        const struct yk_edit *e = &r->edits.v[i];
        if (e->begin < at)
            return NULL;
        memcpy(out + used, r->f->text + at, e->begin - at);
        used += e->begin - at;
        memcpy(out + used, e->text, strlen(e->text));
        used += strlen(e->text);
        at = e->end;
    }
    memcpy(out + used, r->f->text + at, r->f->size - at);
    used += r->f->size - at;
    out[used] = 0;
    *size = used;
    return out;
}

const char *yk_rewrite_prefix(struct yk_rewriter *r)
{
    const char *p = "yk_";
    for (int i = 1; p && strstr(r->f->text, p); i++)
        p = yk_arena_printf(r->a, "yk%d_", i);
    return p;
}
