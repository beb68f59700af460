#include "shim/queue/operand.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "shim/memory/link.h"
#include "shim/merge/diff.h"
#include "shim/queue/merger.h"

/* What DEV needs of A. *MOVED grows by the bytes transferred. */
static cl_int bring(const struct yk_operands *s, const struct yk_operand *a, unsigned dev, struct yk_post *post,
                    uint64_t *moved)
{
    if (!yk_store_real(a->store, dev))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    /* What is compared must be there before; and what a merge kernel finds in the master, where DEV works in that. */
    bool compared = !s->by_kernel || yk_store_location(a->store, dev) == YK_HOST;
    if (a->how == YK_OPERAND_WHOLE) {
        if (!a->read && !compared)
            return CL_SUCCESS;
        if (!a->read)
            yk_store_forgive(a->store, dev, a->off, a->len);
        return yk_store_need(a->store, dev, a->off, a->len, moved);
    }
    cl_int err = CL_SUCCESS;
    for (size_t i = 0; i < s->parts.part.n && err == CL_SUCCESS; i++) {
        const struct yk_part *p = &s->parts.part.v[i];
        if (p->dev != dev || p->exact || (p->write && !compared) || !yk_operand_has(p, a))
            continue;
        if (!a->read)
            yk_store_forgive(a->store, dev, (size_t)p->region.offset, yk_part_length(p));
        err = yk_store_need_region(a->store, dev, &p->region, post, moved);
    }
    return err;
}

/* Where A is written: [*FROM, *TO), all takers together. False: nowhere. */
static bool written_span(const struct yk_operands *s, const struct yk_operand *a, size_t *from, size_t *to)
{
    *from = a->off + a->len;
    *to = a->off;
    for (size_t i = 0; i < s->parts.part.n; i++) {
        const struct yk_part *p = &s->parts.part.v[i];
        if (!p->write || !yk_operand_has(p, a))
            continue;
        *from = p->region.offset < *from ? (size_t)p->region.offset : *from;
        *to = yk_region_end(&p->region) > *to ? (size_t)yk_region_end(&p->region) : *to;
    }
    if (a->how == YK_OPERAND_WHOLE) {
        *from = a->off;
        *to = a->off + a->len;
    }
    return *from < *to;
}

/* Have at the host what is there before the launch, of all that it may write. COPY: keep it besides, for comparing, or
 * to start again from. */
static cl_int keep(struct yk_operands *s, struct yk_operand *a, bool copy)
{
    size_t from, to;
    if (!written_span(s, a, &from, &to))
        return CL_SUCCESS;
    a->snapshot = copy ? malloc(to - from) : NULL;
    if (copy && !a->snapshot)
        return CL_OUT_OF_HOST_MEMORY;
    a->kept_at = from;
    a->kept = to - from;
    if (a->how == YK_OPERAND_WHOLE) {
        if (!a->read && !copy)
            yk_store_forgive(a->store, s->merger, from, to - from);
        cl_int err = yk_store_need_host(a->store, from, to - from, &s->moved);
        if (err == CL_SUCCESS && copy)
            memcpy(a->snapshot, a->store->master + from, to - from);
        return err;
    }
    for (size_t i = 0; i < s->parts.part.n; i++) { /* pages between are never touched */
        const struct yk_part *p = &s->parts.part.v[i];
        if (!p->write || !yk_operand_has(p, a))
            continue;
        size_t at = (size_t)p->region.offset, n = yk_part_length(p);
        if (!a->read && !copy)
            yk_store_forgive(a->store, s->merger, at, n);
        cl_int err = yk_store_need_host(a->store, at, n, &s->moved);
        if (err != CL_SUCCESS)
            return err;
        if (copy)
            memcpy(a->snapshot + (at - from), a->store->master + at, n);
    }
    return CL_SUCCESS;
}

static cl_int bring_all(struct yk_operands *s, const struct yk_decision *d, struct yk_post *post, unsigned *bad)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_operand *a = &s->v[i];
        bool own = false; /* some taker works on a buffer of its own */
        for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
            if (!d->takes[dev] || yk_operands_aside(s, dev))
                continue;
            *bad = dev;
            cl_int err = bring(s, a, dev, post, &s->moved);
            if (err != CL_SUCCESS)
                return err;
            own |= yk_store_location(a->store, dev) != YK_HOST;
        }
        bool compared = own && a->how != YK_OPERAND_EXACT;
        if (!a->written || !(compared || (a->read && yk_rt.options.recover)))
            continue;
        cl_int err = keep(s, a, !s->by_kernel || a->read);
        if (err != CL_SUCCESS)
            return err;
    }
    return CL_SUCCESS;
}

/* Where the primary works in the app's own memory, an app may look there after clFinish without a map: on its device
 * alone that would do. */
static bool app_may_look(const struct yk_store *s)
{
    return s->app_ptr && s->zero_copy[yk_rt.machine->primary];
}

bool yk_operands_flying(const struct yk_operands *s, const struct yk_decision *d)
{
    if (s->by_kernel || s->facts->images_read || s->facts->images_written)
        return false;
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_operand *a = &s->v[i];
        if (a->written && (a->how != YK_OPERAND_EXACT || app_may_look(a->store)))
            return false;
        for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
            if (d->takes[dev] && !yk_store_apart(a->store, dev))
                return false;
    }
    return true;
}

bool yk_operands_there(const struct yk_operands *s, const struct yk_decision *d)
{
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_operand *a = &s->v[i];
        const struct yk_region all = yk_region_plain(a->off, a->len);
        for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
            if (d->takes[dev] &&
                (!yk_store_made(a->store, dev) || (a->how == YK_OPERAND_WHOLE && yk_store_lacks(a->store, dev, &all))))
                return false;
        for (size_t k = 0; k < s->parts.part.n; k++) {
            const struct yk_part *p = &s->parts.part.v[k];
            if (!p->exact && yk_operand_has(p, a) && yk_store_lacks(a->store, p->dev, &p->region))
                return false;
        }
    }
    return true;
}

/* Nothing is overwritten that is read, or has to be compared: should the shares have run on bytes that had not come,
 * they can run again. */
static bool repeatable(const struct yk_operands *s, const struct yk_decision *d)
{
    if (s->waits || d->guided || s->by_kernel || s->facts->images_written)
        return false;
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].written && (s->v[i].read || s->v[i].how != YK_OPERAND_EXACT))
            return false;
    return true;
}

void yk_operands_set_aside(struct yk_operands *s, const struct yk_decision *d)
{
    unsigned primary = yk_rt.machine->primary;
    uint32_t late = 0;
    s->aside = 0;
    if (!yk_rt.primary->host_memory || !d->takes[primary] || s->facts->images_read || s->facts->images_written ||
        !repeatable(s, d))
        return;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        if (dev != primary && d->takes[dev] && !yk_rt.machine->device[dev].host_memory) {
            s->aside |= 1u << dev;
            late |= (uint32_t)d->late[dev] << dev;
        }
    if (s->aside && yk_operands_there(s, d))
        s->aside = late;
}

bool yk_operands_may_wait(const struct yk_operands *s, const struct yk_decision *d)
{
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        if (d->late[dev] && d->takes[dev] && !yk_operands_aside(s, dev) && !yk_rt.machine->device[dev].host_memory)
            return false;
    return true;
}

cl_int yk_operands_bring_aside(const struct yk_operands *s, unsigned dev, uint64_t *moved)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS; i++)
        err = bring(s, &s->v[i], dev, NULL, moved);
    return err;
}

cl_int yk_operands_bring(struct yk_operands *s, const struct yk_decision *d, unsigned *bad)
{
    bool trusting = repeatable(s, d);
    s->post = (struct yk_post){.n = 0};
    for (unsigned dev = 0; dev < yk_rt.machine->n && trusting; dev++)
        if (d->takes[dev])
            s->post.into[dev] = yk_queue_share(s->launch->c.queue, dev);
    cl_int err = yk_images_bring(&s->images, s->launch, s->facts, d->takes, bad, &s->moved);
    if (err == CL_SUCCESS)
        err = bring_all(s, d, &s->post, bad);
    bool all = yk_post_send(&s->post);
    if (all && trusting && err == CL_SUCCESS)
        return CL_SUCCESS;
    all &= yk_post_receive(&s->post);
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS && !all; i++) /* what has not arrived, one by one */
        for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
            if (d->takes[dev] && !yk_operands_aside(s, dev))
                err = bring(s, &s->v[i], *bad = dev, NULL, &s->moved);
    s->post.failed = false; /* nobody has run on what was lost */
    s->post.lost = 0;
    return err;
}

uint32_t yk_operands_lost(struct yk_operands *s)
{
    uint32_t lost = yk_post_receive(&s->post) ? 0 : s->post.lost;
    s->post.lost = 0;
    s->post.failed = false;
    return lost;
}

cl_int yk_operands_move(struct yk_operands *s, unsigned share, unsigned to)
{
    s->runs[share] = to;
    for (size_t i = 0; i < s->parts.part.n; i++)
        if (s->parts.part.v[i].share == share)
            s->parts.part.v[i].dev = to;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS; i++)
        if (s->v[i].how != YK_OPERAND_WHOLE)
            err = bring(s, &s->v[i], to, NULL, &s->moved);
    return err;
}

/* Read DEV's bytes [off, off+len) of A in pieces and take over what it changed. */
static cl_int merge_one(struct yk_operands *s, struct yk_operand *a, unsigned dev, size_t off, size_t len)
{
    enum { PIECE = 16 << 20 };
    size_t piece = len < PIECE ? len : PIECE;
    unsigned char *out = malloc(piece);
    if (!out)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = CL_SUCCESS;
    for (size_t at = off; at < off + len && err == CL_SUCCESS; at += piece) {
        size_t n = off + len - at < piece ? off + len - at : piece;
        err = yk_link_read(a->store->ctx, dev, a->store->real[dev], at, out, n);
        uint64_t start = yk_now_ns();
        if (err == CL_SUCCESS)
            yk_diff_merge(a->store->master + at, out, a->snapshot + (at - a->kept_at), n);
        yk_merger_compared(n, yk_now_ns() - start);
        s->moved += n;
    }
    free(out);
    return err;
}

/* What must be compared of A. */
static cl_int compare(struct yk_operands *s, struct yk_operand *a, const bool *used, unsigned *bad)
{
    cl_int err = CL_SUCCESS;
    for (unsigned dev = 0; a->how == YK_OPERAND_WHOLE && dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
        if (used[dev] && yk_store_location(a->store, dev) != YK_HOST)
            err = merge_one(s, a, *bad = dev, a->off, a->len);
    for (size_t i = 0; i < s->parts.part.n && err == CL_SUCCESS; i++) {
        const struct yk_part *p = &s->parts.part.v[i];
        if (p->write && yk_operand_has(p, a) && used[p->dev] && yk_store_location(a->store, p->dev) != YK_HOST)
            err = merge_one(s, a, *bad = p->dev, (size_t)p->region.offset, yk_part_length(p));
    }
    return err;
}

/* Should it fail, the bytes stay where they are and the map says so. */
static void show_app(struct yk_operands *s, const struct yk_part *p)
{
    struct yk_store *store = p->store;
    if (app_may_look(store) && yk_store_location(store, p->dev) != YK_HOST)
        (void)yk_store_need_host(store, (size_t)p->region.offset, yk_part_length(p), &s->moved);
}

cl_int yk_operands_merge(struct yk_operands *s, const bool *used, unsigned *bad)
{
    cl_int err = yk_images_merge(&s->images, used, bad, &s->moved);
    if (err == CL_SUCCESS && s->by_kernel)
        err = yk_operands_merge_by_kernel(s, used, bad);
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS && !s->by_kernel; i++)
        if (s->v[i].written && s->v[i].how != YK_OPERAND_EXACT)
            err = compare(s, &s->v[i], used, bad);
    /* From here on nothing can fail. */
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS; i++) {
        struct yk_operand *a = &s->v[i];
        if (a->written && a->how == YK_OPERAND_WHOLE)
            yk_store_wrote_host(a->store, a->off, a->len);
        for (size_t k = 0; k < s->parts.part.n; k++) {
            const struct yk_part *p = &s->parts.part.v[k];
            if (!p->write || !yk_operand_has(p, a) || !used[p->dev])
                continue;
            if (a->how == YK_OPERAND_EXACT) {
                yk_store_wrote_region(a->store, p->dev, &p->region);
                show_app(s, p);
            } else {
                yk_store_wrote_host(a->store, (size_t)p->region.offset, yk_part_length(p));
            }
        }
    }
    return err;
}

bool yk_operands_in_master(const struct yk_operands *s, unsigned dev)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].written && yk_store_location(s->v[i].store, dev) == YK_HOST)
            return true;
    return s->facts->images_written && yk_images_in_place(s->launch, s->facts, dev);
}

/* Are the bytes of A before the launch still somewhere? */
static bool survives(const struct yk_operands *s, const struct yk_operand *a)
{
    if (!a->read || !a->written || a->snapshot)
        return true;
    if (a->how != YK_OPERAND_EXACT)
        return false;
    /* Devices have overwritten their own copies; the host's may be there, if nobody worked in it. */
    for (size_t i = 0; i < s->parts.part.n; i++) {
        const struct yk_part *p = &s->parts.part.v[i];
        if (p->write && yk_operand_has(p, a) &&
            (yk_store_location(a->store, p->dev) == YK_HOST ||
             !yk_store_host_has(a->store, (size_t)p->region.offset, yk_part_length(p))))
            return false;
    }
    return true;
}

bool yk_operands_restore(struct yk_operands *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (!survives(s, &s->v[i]))
            return false;
    if (!yk_images_restore(&s->images))
        return false;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_operand *a = &s->v[i];
        if (!a->written)
            continue;
        if (a->how == YK_OPERAND_WHOLE) {
            if (a->snapshot)
                memcpy(a->store->master + a->off, a->snapshot, a->len);
            yk_store_wrote_host(a->store, a->off, a->len);
        }
        for (size_t k = 0; k < s->parts.part.n; k++) {
            const struct yk_part *p = &s->parts.part.v[k];
            if (!p->write || !yk_operand_has(p, a))
                continue;
            size_t at = (size_t)p->region.offset, n = yk_part_length(p);
            if (a->snapshot)
                memcpy(a->store->master + at, a->snapshot + (at - a->kept_at), n);
            if (a->snapshot || a->read)
                yk_store_wrote_host(a->store, at, n);
        }
    }
    return true;
}

void yk_operands_lose(struct yk_operands *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_operand *a = &s->v[i];
        if (a->written && a->how == YK_OPERAND_WHOLE)
            yk_store_lose(a->store, a->off, a->len);
        for (size_t k = 0; k < s->parts.part.n; k++) {
            const struct yk_part *p = &s->parts.part.v[k];
            if (p->write && yk_operand_has(p, a))
                yk_store_lose(a->store, (size_t)p->region.offset, yk_part_length(p));
        }
    }
}

void yk_operands_finish(struct yk_operands *s)
{
    (void)yk_post_receive(&s->post);
    for (unsigned i = 0; i < s->n; i++)
        free(s->v[i].snapshot);
    free(s->v);
    yk_images_finish(&s->images);
    yk_parts_finish(&s->parts);
    s->v = NULL;
    s->n = 0;
}
