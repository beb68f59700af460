#include "shim/memory/write_map.h"
#include <stdlib.h>
#include "shim/memory/tenant.h"
#include "shim/memory/transfer.h"

struct yk_write_map {
    size_t off, len;
    struct yk_write_map *next;
};

cl_int yk_write_map_begin(struct yk_store *s, size_t off, size_t len)
{
    if (!s->tenant && !s->app_ptr && !s->own_maps)
        return CL_SUCCESS;
    struct yk_write_map *m = malloc(sizeof *m);
    if (!m)
        return CL_OUT_OF_HOST_MEMORY;
    yk_tenant_enter(s);
    yk_lock_take(&s->lock);
    bool noted = yk_map_write(&s->map, off, len, YK_HOST) == YK_OK;
    if (noted) {
        *m = (struct yk_write_map){off, len, s->write_map};
        __atomic_store_n(&s->write_map, m, __ATOMIC_RELEASE);
        yk_store_refresh(s);
    }
    yk_lock_drop(&s->lock);
    yk_tenant_leave(s);
    if (!noted)
        free(m);
    return noted ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void yk_write_map_end(struct yk_store *s, size_t off, size_t len)
{
    if (!__atomic_load_n(&s->write_map, __ATOMIC_ACQUIRE))
        return;
    yk_lock_take(&s->lock);
    struct yk_write_map **m = &s->write_map, *found;
    while (*m && ((*m)->off != off || (*m)->len != len))
        m = &(*m)->next;
    if ((found = *m))
        __atomic_store_n(m, found->next, __ATOMIC_RELEASE);
    yk_lock_drop(&s->lock);
    free(found);
}

bool yk_write_map_beside(struct yk_store *s, size_t *from, size_t end, size_t *to)
{
    *to = end;
    if (!__atomic_load_n(&s->write_map, __ATOMIC_ACQUIRE))
        return *from < end;
    yk_lock_take(&s->lock);
    for (const struct yk_write_map *m = s->write_map; m;)
        if (m->off <= *from && *from < m->off + m->len) {
            *from = m->off + m->len;
            m = s->write_map; /* others may begin there */
        } else {
            m = m->next;
        }
    for (const struct yk_write_map *m = s->write_map; m; m = m->next)
        *to = m->off > *from && m->off < *to ? m->off : *to;
    yk_lock_drop(&s->lock);
    return *from < end;
}

void yk_write_map_finish(struct yk_store *s)
{
    for (struct yk_write_map *m; (m = s->write_map); free(m))
        s->write_map = m->next;
}
