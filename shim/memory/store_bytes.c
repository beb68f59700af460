/* Which bytes of a store are newest where: asked for, missing, written, lost. */
#include "shim/memory/store.h"
#include <string.h>
#include "base/least.h"
#include "base/log.h"
#include "shim/memory/tenant.h"
#include "shim/memory/transfer.h"

enum { YK_LOST = YK_LOCATIONS - 1 };

static cl_int need(struct yk_store *s, unsigned at, int dev, size_t off, size_t len, uint64_t *moved)
{
    struct yk_region r = yk_region_plain(off, len);
    return yk_store_transfer(s, at, dev, &r, NULL, moved);
}

cl_int yk_store_need(struct yk_store *s, unsigned dev, size_t off, size_t len, uint64_t *moved)
{
    if (s->host_only || !yk_store_real(s, dev))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return need(s, yk_store_location(s, dev), (int)dev, off, len, moved);
}

cl_int yk_store_need_host(struct yk_store *s, size_t off, size_t len, uint64_t *moved)
{
    return yk_store_master(s) ? need(s, YK_HOST, -1, off, len, moved) : CL_OUT_OF_HOST_MEMORY;
}

cl_int yk_store_need_region(struct yk_store *s, unsigned dev, const struct yk_region *r, struct yk_post *p,
                            uint64_t *moved)
{
    if (s->host_only || !yk_store_real(s, dev))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return yk_store_transfer(s, yk_store_location(s, dev), (int)dev, r, p, moved);
}

uint64_t yk_store_lacks(struct yk_store *s, unsigned dev, const struct yk_region *r)
{
    unsigned at = yk_store_apart(s, dev) ? 1 + dev : YK_HOST;
    yk_lock_take(&s->lock);
    uint64_t lacks = yk_store_lacks_of(s, yk_at(at) | yk_at(YK_FILLED), r);
    yk_lock_drop(&s->lock);
    return lacks;
}

static uint64_t count_lacks(const struct yk_map *m, yk_where there, const struct yk_region *r)
{
    uint64_t lacks = 0, to = 0;
    size_t near = 0;
    if (m->n < r->rows * r->slices && yk_region_ordered(r)) { /* fewer spans than rows */
        for (uint64_t from = 0; from < m->size; from = to)
            if (!(yk_map_find_next(m, from, &near, &to) & there))
                lacks += yk_region_within(r, from, to);
        return lacks;
    }
    for (uint64_t z = 0; z < r->slices; z++)
        for (uint64_t y = 0; y < r->rows; y++) {
            uint64_t off = r->offset + z * r->slice_pitch + y * r->row_pitch, end = off + r->bytes;
            for (; off < end; off = to) {
                yk_where have = yk_map_find_next(m, off, &near, &to);
                to = YK_MIN(to, end);
                lacks += have & there ? 0 : to - off;
            }
        }
    return lacks;
}

uint64_t yk_store_lacks_of(struct yk_store *s, yk_where there, const struct yk_region *r)
{
    const uint64_t many = 64;
    if (s->map.whole & there)
        return 0;
    if (s->map.n < many)
        return count_lacks(&s->map, there, r);
    if (!s->lacked && !(s->lacked = calloc(YK_LACKED, sizeof *s->lacked)))
        return count_lacks(&s->map, there, r);
    for (unsigned i = 0; i < YK_LACKED; i++) {
        const struct yk_lacked *k = &s->lacked[i];
        if (k->there == there && k->changes == s->map.changes && !memcmp(&k->region, r, sizeof *r))
            return k->lacks;
    }
    uint64_t lacks = count_lacks(&s->map, there, r);
    s->lacked[s->lacked_next++ % YK_LACKED] = (struct yk_lacked){*r, there, s->map.changes, lacks};
    return lacks;
}

bool yk_store_host_has(struct yk_store *s, size_t off, size_t len)
{
    yk_lock_take(&s->lock);
    bool has = s->master && yk_map_holds(&s->map, off, len, YK_HOST);
    yk_lock_drop(&s->lock);
    return has;
}

static void wrote_rows(struct yk_store *s, unsigned at, uint64_t off, uint64_t len, uint64_t pitch, uint64_t rows)
{
    yk_lock_take(&s->lock);
    bool recorded = yk_map_write_rows(&s->map, off, len, pitch, rows, at) == YK_OK;
    if (!recorded) /* needs no memory */
        yk_map_write(&s->map, 0, s->size, YK_LOST);
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
    if (!recorded)
        yk_error("out of host memory while recording a write; the buffer's content is given up");
}

static void wrote(struct yk_store *s, unsigned at, size_t off, size_t len)
{
    wrote_rows(s, at, off, len, len, 1);
}

/* Where DEV's writes to S are newest. What a window of it has got has come back to the host by then. */
static unsigned place(const struct yk_store *s, unsigned dev)
{
    return s->host_only && !yk_tenant_buffer(s) ? YK_HOST : yk_store_location(s, dev);
}

void yk_store_wrote_region(struct yk_store *s, unsigned dev, const struct yk_region *r)
{
    for (uint64_t z = 0; z < r->slices; z++)
        wrote_rows(s, place(s, dev), r->offset + z * r->slice_pitch, r->bytes, r->row_pitch, r->rows);
}

void yk_store_wrote(struct yk_store *s, unsigned dev, size_t off, size_t len)
{
    wrote(s, place(s, dev), off, len);
}

void yk_store_wrote_host(struct yk_store *s, size_t off, size_t len)
{
    wrote(s, YK_HOST, off, len);
}

bool yk_store_wrote_held(struct yk_store *s, unsigned dev, size_t off, size_t len)
{
    unsigned at = place(s, dev);
    bool all = true, recorded = true;
    yk_lock_take(&s->lock);
    for (uint64_t from = off, to; from < off + len && recorded; from = to) {
        yk_where have = yk_map_find(&s->map, from, &to);
        to = YK_MIN(to, (uint64_t)off + len);
        all &= have >> at & 1;
        if (have >> at & 1 && have != yk_at(at))
            recorded = yk_map_write(&s->map, from, to - from, at) == YK_OK;
    }
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
    if (!recorded)
        wrote(s, at, off, len);
    return all || !recorded;
}

void yk_store_lose(struct yk_store *s, size_t off, size_t len)
{
    wrote(s, YK_LOST, off, len);
}

void yk_store_forgive(struct yk_store *s, unsigned dev, size_t off, size_t len)
{
    unsigned at = yk_store_location(s, dev);
    size_t end = off + len;
    struct yk_piece piece;
    yk_lock_take(&s->lock);
    while (yk_map_missing(&s->map, off, end - off, at, &piece)) {
        if (piece.have == yk_at(YK_LOST) && yk_map_write(&s->map, piece.off, piece.len, at) != YK_OK)
            break;
        off = piece.off + piece.len;
    }
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
}
