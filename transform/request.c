#include "transform/request.h"
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "transform/client_request.h"

struct cursor {
    const char *at, *end;
    struct yk_arena *a;
};

/* The next blob: its key and its bytes, copied with a terminating NUL. */
static bool blob(struct cursor *c, const char **key, const char **bytes, size_t *n)
{
    const char *nl = c->at < c->end ? memchr(c->at, '\n', (size_t)(c->end - c->at)) : NULL;
    const char *space = nl ? memchr(c->at, ' ', (size_t)(nl - c->at)) : NULL;
    if (!space || space == c->at || space + 1 == nl || nl - space > 12)
        return false;
    uint64_t size = 0;
    for (const char *p = space + 1; p < nl; p++) {
        if (*p < '0' || *p > '9')
            return false;
        size = size * 10 + (uint64_t)(*p - '0');
    }
    if ((uint64_t)(c->end - nl - 1) <= size || nl[1 + size] != '\n')
        return false;
    *key = yk_arena_strndup(c->a, c->at, (size_t)(space - c->at));
    char *copy = yk_arena_alloc(c->a, (size_t)size + 1);
    if (!*key || !copy)
        return false;
    memcpy(copy, nl + 1, (size_t)size);
    copy[size] = 0;
    *bytes = copy;
    *n = (size_t)size;
    c->at = nl + 2 + size;
    return true;
}

static bool target_field(struct yk_transform_target *t, const char *key, const char *v)
{
    if (!strcmp(key, "c_version"))
        t->c_version = v;
    else if (!strcmp(key, "version"))
        t->version = v;
    else if (!strcmp(key, "extensions"))
        t->extensions = v;
    else if (!strcmp(key, "address_bits"))
        t->address_bits = !strcmp(v, "32") ? 32 : 64;
    else if (!strcmp(key, "little_endian"))
        t->little_endian = !strcmp(v, "1");
    else if (!strcmp(key, "images"))
        t->images = !strcmp(v, "1");
    else
        return false;
    return true;
}

typedef YK_ARRAY(struct yk_transform_header) header_array;

/* Is the blob a header's name or text? Then it is added. *OK turns false where there is no memory. */
static bool is_header(header_array *to, const char *key, const char *v, size_t size, bool *ok)
{
    if (!strcmp(key, "header")) {
        struct yk_transform_header h = {v, "", 0};
        *ok &= yk_array_push(to, h);
        return true;
    }
    if (strcmp(key, "text") != 0 || !to->n)
        return false;
    to->v[to->n - 1].text = v;
    to->v[to->n - 1].size = size;
    return true;
}

yk_status yk_request_parts(const struct yk_transform_request *req, struct yk_arena *a,
                           struct yk_transform_request **part, unsigned *n)
{
    YK_ARRAY(struct yk_transform_request) parts = {0};
    header_array headers = {0};
    struct cursor c = {req->source + sizeof YK_LINKED_MAGIC - 1, req->source + req->size, a};
    const char *options = "", *key, *v;
    size_t size;
    bool ok = true, memory = true;
    while (ok && c.at < c.end) {
        ok = blob(&c, &key, &v, &size);
        if (!ok)
            break;
        if (!strcmp(key, "options")) {
            options = v;
        } else if (!strcmp(key, "source")) {
            struct yk_transform_request p = *req;
            struct yk_transform_header *h = yk_arena_array(a, struct yk_transform_header, headers.n);
            if (h && headers.n)
                memcpy(h, headers.v, headers.n * sizeof *h);
            p.source = v;
            p.size = size;
            p.options = options;
            p.header = h;
            p.nheaders = (unsigned)headers.n;
            memory = h && yk_array_push(&parts, p);
            headers.n = 0;
            options = "";
        } else {
            ok = is_header(&headers, key, v, size, &memory);
        }
        ok &= memory;
    }
    ok = ok && parts.n && !headers.n;
    *part = ok ? yk_arena_array(a, struct yk_transform_request, parts.n) : NULL;
    if (*part)
        memcpy(*part, parts.v, parts.n * sizeof **part);
    *n = (unsigned)parts.n;
    yk_array_finish(&parts);
    yk_array_finish(&headers);
    return *part ? YK_OK : ok || !memory ? YK_ENOMEM : YK_EFORMAT;
}

yk_status yk_request_parse(const char *text, size_t n, struct yk_arena *a, struct yk_transform_request *req)
{
    static const char magic[] = YK_REQUEST_MAGIC;
    YK_ARRAY(struct yk_transform_target) targets = {0};
    header_array headers = {0};
    struct cursor c = {text, text + n, a};
    bool ok = n >= sizeof magic - 1 && !memcmp(text, magic, sizeof magic - 1);
    *req = (struct yk_transform_request){.options = ""};
    c.at += ok ? sizeof magic - 1 : 0;
    while (ok && c.at < c.end) {
        const char *key, *v;
        size_t size;
        ok = blob(&c, &key, &v, &size);
        if (!ok)
            break;
        if (!strcmp(key, "options")) {
            req->options = v;
        } else if (!strcmp(key, "merged")) {
            req->merged = !strcmp(v, "1");
        } else if (!strcmp(key, "windows")) {
            req->windows = !strcmp(v, "1");
        } else if (!strcmp(key, "source")) {
            ok = !req->source;
            req->source = v;
            req->size = size;
        } else if (!strcmp(key, "target")) {
            struct yk_transform_target t = {"", "", "", v, 64, true, false};
            ok = yk_array_push(&targets, t);
        } else if (!is_header(&headers, key, v, size, &ok)) {
            ok = targets.n && target_field(&targets.v[targets.n - 1], key, v);
        }
    }
    ok = ok && targets.n && req->source;
    struct yk_transform_target *t = ok ? yk_arena_array(a, struct yk_transform_target, targets.n) : NULL;
    struct yk_transform_header *h = ok ? yk_arena_array(a, struct yk_transform_header, headers.n) : NULL;
    if (t && h) {
        memcpy(t, targets.v, targets.n * sizeof *t);
        if (headers.n)
            memcpy(h, headers.v, headers.n * sizeof *h);
    }
    req->target = t;
    req->header = h;
    req->ntargets = (unsigned)targets.n;
    req->nheaders = (unsigned)headers.n;
    yk_array_finish(&targets);
    yk_array_finish(&headers);
    return !ok ? YK_EFORMAT : t && h ? YK_OK : YK_ENOMEM;
}
