/* A store's bytes for the app, from wherever they are newest. */
#include "device/link/host_copy.h"
#include "shim/memory/link.h"
#include "shim/memory/transfer.h"

cl_int yk_store_read(struct yk_store *s, size_t off, size_t len, void *to, uint64_t *moved)
{
    unsigned char *out = to;
    size_t end = off + len;
    yk_lock_take(&s->lock);
    bool master = s->master;
    yk_lock_drop(&s->lock);
    if (master) { /* devices that need these bytes later have them from there */
        cl_int err = yk_store_need_host(s, off, len, moved);
        if (err == CL_SUCCESS && to != s->master + off)
            yk_host_copy(to, s->master + off, len);
        return err;
    }
    while (off < end) {
        uint64_t stop;
        yk_lock_take(&s->lock);
        yk_where where = yk_map_find(&s->map, off, &stop);
        const unsigned char *host = where & yk_at(YK_HOST) ? s->master : NULL; /* somebody may just have brought them */
        yk_lock_drop(&s->lock);
        size_t n = (size_t)stop < end ? (size_t)stop - off : end - off;
        int source = host ? -1 : yk_store_source(s, where);
        cl_int err = CL_SUCCESS;
        if (host)
            yk_host_copy(out, host + off, n);
        else
            err =
                source < 0 ? CL_OUT_OF_RESOURCES : yk_link_read(s->ctx, (unsigned)source, s->real[source], off, out, n);
        if (err != CL_SUCCESS)
            return err;
        if (!host && moved)
            *moved += n;
        off += n;
        out += n;
    }
    return CL_SUCCESS;
}
