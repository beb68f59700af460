#include "shim/memory/filled.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "shim/memory/transfer.h"

/* A buffer is filled when it is made, if at least one byte in SHARE is a filled one (fewer between others are brought
 * along with these at no cost), and no more than MOST bytes have to be set for it. */
enum { SHARE = 32, MOST = 16 << 20 };

static bool same(const struct yk_pattern *a, const void *bytes, size_t size)
{
    return a->size == size && memcmp(a->bytes, bytes, size) == 0;
}

/* Can another device ever want S's bytes? */
static bool shared(const struct yk_store *s)
{
    return yk_rt.machine->n > 1 && yk_rt.options.split && !yk_store_pinned(s);
}

/* With the lock held. */
static bool keep(struct yk_store *s, const void *pattern, size_t size)
{
    if (s->pattern && same(s->pattern, pattern, size))
        return true;
    yk_map_drop(&s->map, YK_FILLED); /* cannot fail: no byte is newest there alone */
    if (!s->pattern)
        s->pattern = malloc(sizeof *s->pattern);
    if (!s->pattern)
        return false;
    memcpy(s->pattern->bytes, pattern, size);
    s->pattern->size = size;
    return true;
}

void yk_store_filled(struct yk_store *s, size_t off, size_t len, const void *pattern, size_t size)
{
    unsigned p = yk_rt.primary->index;
    yk_lock_take(&s->lock);
    bool noted = len && shared(s) && off % size == 0 &&
                 yk_map_write(&s->map, off, len, yk_store_location(s, p)) == YK_OK && keep(s, pattern, size) &&
                 yk_map_copy(&s->map, off, len, YK_FILLED) == YK_OK;
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
    if (!noted)
        yk_store_wrote(s, p, off, len);
}

static bool fill(struct yk_store *s, unsigned dev, cl_mem real, const struct yk_pattern *p, size_t off, size_t len)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_command_queue q = yk_context_transfer_queue(s->ctx, dev);
    cl_event done = NULL;
    if (!q)
        return false;
    cl_int err = cl->EnqueueFillBuffer(q, real, p->bytes, p->size, off, len, 0, NULL, &done);
    if (err == CL_SUCCESS) {
        err = cl->WaitForEvents(1, &done);
        cl->ReleaseEvent(done);
    }
    if (err != CL_SUCCESS)
        yk_info("device %u does not fill a buffer (%s): its bytes are brought", dev, yk_cl_error_name(err));
    return err == CL_SUCCESS;
}

bool yk_filled_before(struct yk_store *s, unsigned dev, cl_mem real, struct yk_pattern *p)
{
    uint64_t filled = 0;
    yk_lock_take(&s->lock);
    for (uint64_t off = 0, end; s->pattern && off < s->size; off = end)
        if (yk_map_find(&s->map, off, &end) >> YK_FILLED & 1)
            filled += end - off;
    if (filled)
        *p = *s->pattern;
    yk_lock_drop(&s->lock);
    if (!filled || filled < s->size / SHARE || s->size > MOST)
        return false;
    return fill(s, dev, real, p, 0, s->size / p->size * p->size);
}

void yk_filled_note(struct yk_store *s, unsigned at, const struct yk_pattern *p)
{
    if (!s->pattern || !same(p, s->pattern->bytes, s->pattern->size))
        return;
    for (uint64_t off = 0, end; off < s->size; off = end)
        if (yk_map_find(&s->map, off, &end) >> YK_FILLED & 1 &&
            yk_map_copy(&s->map, off, end - off, at) != YK_OK) /* then it is brought */
            break;
    yk_store_refresh(s);
}

bool yk_filled_at(struct yk_store *s, unsigned dev, size_t off, size_t len)
{
    struct yk_pattern p;
    yk_lock_take(&s->lock);
    bool can = s->pattern && yk_map_holds(&s->map, off, len, YK_FILLED);
    if (can)
        p = *s->pattern;
    yk_lock_drop(&s->lock);
    return can && off % p.size == 0 && len % p.size == 0 && fill(s, dev, s->real[dev], &p, off, len);
}
