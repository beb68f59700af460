#include "shim/object/container.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "shim/core/runtime.h"

static const char magic[8] = "\177yoke1\n";

enum { MADE_BY_MAX = 4 * YK_NAME_MAX };

/* In front; then made_by, source and options, each with its 0, and the binary. */
struct header {
    char magic[8];
    struct yk_hash hash; /* of everything behind it */
    uint64_t made_by, source, options, binary;
};

/* Only the same yoke over the same primary can use the binary. */
static void made_by(char *text)
{
    const struct yk_device *d = yk_rt.primary;
    snprintf(text, MADE_BY_MAX, "%s|%s|%s|%s", YOKE_VERSION, d->platform_name, d->name, d->driver);
}

static struct yk_hash hash_of(const unsigned char *bytes, size_t size)
{
    const size_t from = offsetof(struct header, made_by);
    return yk_hash_bytes((struct yk_hash){0, 0}, bytes + from, size - from);
}

struct yk_container_image yk_container_write(const struct yk_container *c)
{
    char who[MADE_BY_MAX];
    made_by(who);
    struct header h = {.made_by = strlen(who) + 1,
                       .source = strlen(c->source) + 1,
                       .options = strlen(c->options) + 1,
                       .binary = c->binary_size};
    struct yk_container_image image = {.size = sizeof h + h.made_by + h.source + h.options + h.binary};
    unsigned char *p = image.bytes = malloc(image.size);
    if (!p)
        return image;
    memcpy(h.magic, magic, sizeof magic);
    memcpy(p, &h, sizeof h);
    p += sizeof h;
    memcpy(p, who, h.made_by);
    p += h.made_by;
    memcpy(p, c->source, h.source);
    p += h.source;
    memcpy(p, c->options, h.options);
    p += h.options;
    memcpy(p, c->binary, h.binary);
    h.hash = hash_of(image.bytes, image.size);
    memcpy(image.bytes, &h, sizeof h);
    return image;
}

/* The string of N bytes at *P, which moves on; NULL: none. */
static const char *text(const unsigned char **p, const unsigned char *end, uint64_t n)
{
    const unsigned char *s = *p;
    if (!n || n > (uint64_t)(end - s) || s[n - 1])
        return NULL;
    *p += n;
    return (const char *)s;
}

enum yk_container_is yk_container_read(const unsigned char *bytes, size_t size, struct yk_container *c)
{
    struct header h;
    if (size < sizeof h || memcmp(bytes, magic, sizeof magic))
        return YK_CONTAINER_NONE;
    memcpy(&h, bytes, sizeof h);
    struct yk_hash hash = hash_of(bytes, size);
    if (memcmp(&hash, &h.hash, sizeof hash))
        return YK_CONTAINER_BAD;
    char here[MADE_BY_MAX];
    made_by(here);
    const unsigned char *p = bytes + sizeof h, *end = bytes + size;
    const char *who = text(&p, end, h.made_by);
    c->source = who ? text(&p, end, h.source) : NULL;
    c->options = c->source ? text(&p, end, h.options) : NULL;
    if (!c->options || strcmp(who, here) || h.binary != (uint64_t)(end - p))
        return YK_CONTAINER_BAD;
    c->binary = p;
    c->binary_size = (size_t)h.binary;
    return YK_CONTAINER_GOOD;
}
