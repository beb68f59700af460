#include "shim/queue/host_only.h"
#include <string.h>
#include "device/link/host_copy.h"
#include "shim/memory/link.h"

static unsigned char *at(const struct yk_mem *m, size_t off)
{
    return m->store->master + m->origin + off;
}

cl_int yk_host_only_write(struct yk_transfer *t)
{
    yk_host_copy(at(t->mem, t->off), t->ptr, t->len);
    yk_store_wrote_host(t->mem->store, t->mem->origin + t->off, t->len);
    return CL_SUCCESS;
}

cl_int yk_host_only_fill(struct yk_transfer *t)
{
    unsigned char *to = at(t->mem, t->off);
    size_t done = t->len < t->pattern_size ? t->len : t->pattern_size;
    memcpy(to, t->pattern, done);
    while (done < t->len) { /* twice as many each time; no overlap */
        size_t n = t->len - done < done ? t->len - done : done;
        memcpy(to + done, to, n);
        done += n;
    }
    yk_store_wrote_host(t->mem->store, t->mem->origin + t->off, t->len);
    return CL_SUCCESS;
}

/* LEN bytes of FROM to TO, of which at least one lives on the host. */
static cl_int copy(struct yk_mem *from, size_t off, struct yk_mem *to, size_t to_off, size_t len)
{
    unsigned p = yk_rt.primary->index;
    uint64_t moved = 0;
    if (yk_store_host_only(to->store)) {
        cl_int err = yk_store_read(from->store, from->origin + off, len, at(to, to_off), &moved);
        if (err == CL_SUCCESS)
            yk_store_wrote_host(to->store, to->origin + to_off, len);
        return err;
    }
    cl_int err = yk_store_need_host(from->store, from->origin + off, len, &moved);
    if (err == CL_SUCCESS)
        err = yk_link_write(to->ctx, p, to->store->real[p], to->origin + to_off, at(from, off), len);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(to, to_off, len);
    return err;
}

cl_int yk_host_only_copy(struct yk_transfer *t)
{
    return copy(t->mem, t->off, t->to, t->to_off, t->len);
}

/* Where the row of slice Z and row Y begins. */
static size_t row(const size_t *origin, size_t row_pitch, size_t slice_pitch, size_t y, size_t z)
{
    return (origin[2] + z) * slice_pitch + (origin[1] + y) * row_pitch + origin[0];
}

cl_int yk_host_only_read_rect(struct yk_transfer *t)
{
    const struct yk_rect *r = &t->rect;
    cl_int err = CL_SUCCESS;
    for (size_t z = 0; z < r->region[2]; z++)
        for (size_t y = 0; y < r->region[1] && err == CL_SUCCESS; y++)
            err = yk_store_read(
                t->mem->store, t->mem->origin + row(r->origin, r->row_pitch, r->slice_pitch, y, z), r->region[0],
                (unsigned char *)t->ptr + row(r->host_origin, r->host_row_pitch, r->host_slice_pitch, y, z), NULL);
    return err;
}

cl_int yk_host_only_write_rect(struct yk_transfer *t)
{
    const struct yk_rect *r = &t->rect;
    for (size_t z = 0; z < r->region[2]; z++)
        for (size_t y = 0; y < r->region[1]; y++) {
            size_t off = row(r->origin, r->row_pitch, r->slice_pitch, y, z);
            memcpy(at(t->mem, off),
                   (const unsigned char *)t->ptr + row(r->host_origin, r->host_row_pitch, r->host_slice_pitch, y, z),
                   r->region[0]);
            yk_store_wrote_host(t->mem->store, t->mem->origin + off, r->region[0]);
        }
    return CL_SUCCESS;
}

cl_int yk_host_only_copy_rect(struct yk_transfer *t)
{
    const struct yk_rect *r = &t->rect;
    cl_int err = CL_SUCCESS;
    for (size_t z = 0; z < r->region[2]; z++)
        for (size_t y = 0; y < r->region[1] && err == CL_SUCCESS; y++)
            err = copy(t->mem, row(r->origin, r->row_pitch, r->slice_pitch, y, z), t->to,
                       row(r->host_origin, r->host_row_pitch, r->host_slice_pitch, y, z), r->region[0]);
    return err;
}
