/* A store's bytes for the app, from wherever they are newest. */
#include "device/link/host_copy.h"
#include "shim/memory/transfer.h"

static bool has_master(struct yk_store *s)
{
    yk_lock_take(&s->lock);
    bool master = s->master;
    yk_lock_drop(&s->lock);
    return master;
}

cl_int yk_store_read(struct yk_store *s, size_t off, size_t len, void *to, uint64_t *moved)
{
    if (!has_master(s)) {
        cl_int err = yk_store_fetch(s, off, len, to, moved);
        if (err != CL_SUCCESS || !has_master(s)) /* what has come into one meanwhile was left out */
            return err;
    }
    /* Devices that need these bytes later have them from there. */
    cl_int err = yk_store_need_host(s, off, len, moved);
    if (err == CL_SUCCESS && to != s->master + off)
        yk_host_copy(to, s->master + off, len);
    return err;
}
