/* Maps and unmaps of buffers. */
#include "shim/core/stats.h"
#include "shim/memory/write_map.h"
#include "shim/queue/transfer.h"
#include "shim/queue/transfer_carry.h"

static cl_int map_capture(struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_store_master(t->mem->store) ? yk_transfer_capture(c) : CL_MAP_FAILURE;
}

/* By the driver, at once? */
static bool map_resident(struct yk_command *c)
{
    const struct yk_store *s = ((struct yk_transfer *)c)->mem->store;
    return !(s && s->own_maps) && yk_transfer_at_primary(c);
}

static bool writes(const struct yk_transfer *t)
{
    return t->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* Between the two the program may write there, and launches over other parts are not divided (users.h). In the order of
 * the queue; a map that has failed was not begun. */
static void begin_writing(const struct yk_transfer *t)
{
    if (writes(t) && t->mem->store)
        __atomic_add_fetch(&t->mem->store->write_maps, 1, __ATOMIC_SEQ_CST);
}

static void end_writing(const struct yk_transfer *t)
{
    unsigned n = t->mem->store ? __atomic_load_n(&t->mem->store->write_maps, __ATOMIC_RELAXED) : 0;
    while (
        writes(t) && n &&
        !__atomic_compare_exchange_n(&t->mem->store->write_maps, &n, n - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
}

static cl_int map_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    cl_int err = CL_SUCCESS;
    t->ptr =
        CL->EnqueueMapBuffer(QUEUE(t), REAL(t->mem), blocking, t->map_flags, t->off, t->len, nwait, wait, real, &err);
    t->issued = t->ptr != NULL;
    if (t->issued)
        begin_writing(t);
    return err;
}

/* The pointer was promised in the master: make its bytes the newest. */
static cl_int map_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    struct yk_mem *m = t->mem;
    uint64_t moved = 0;
    (void)real;
    bool reads = !(t->map_flags & CL_MAP_WRITE_INVALIDATE_REGION) && yk_mem_at_primary(m);
    cl_int err = reads ? yk_transfer_drain_for(t, YK_OUT, m->store->master) : yk_transfer_drain(t);
    if (err == CL_SUCCESS && !(t->map_flags & CL_MAP_WRITE_INVALIDATE_REGION))
        err = yk_store_need_host(m->store, m->origin + t->off, t->len, &moved);
    if (err == CL_SUCCESS && writes(t)) { /* no device's bytes are to be copied over what is written */
        bool begun = yk_write_begin(m->store);
        yk_store_wrote_host(m->store, m->origin + t->off, t->len);
        yk_write_end(m->store, begun);
    }
    if (err == CL_SUCCESS)
        begin_writing(t);
    if (err == CL_SUCCESS && writes(t))
        err = yk_write_map_begin(m->store, m->origin + t->off, t->len);
    yk_stats_moved(moved);
    return err;
}

static cl_int unmap_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    (void)blocking;
    end_writing(t);
    bool begun = writes(t) && yk_write_begin(t->mem->store);
    if (t->on_master) {
        if (writes(t) &&
            yk_queue_failed(c->queue)) /* perhaps the map itself has failed: then the app has seen nothing */
            yk_store_lose(t->mem->store, t->mem->origin + t->off, t->len);
        else if (writes(t))
            yk_store_wrote_host(t->mem->store, t->mem->origin + t->off, t->len);
        if (writes(t))
            yk_write_map_end(t->mem->store, t->mem->origin + t->off, t->len);
        yk_write_end(t->mem->store, begun);
        return real ? CL->EnqueueMarkerWithWaitList(QUEUE(t), nwait, wait, real) : CL_SUCCESS;
    }
    cl_int err = CL->EnqueueUnmapMemObject(QUEUE(t), REAL(t->mem), t->ptr, nwait, wait, real);
    if (err == CL_SUCCESS && writes(t))
        yk_mem_primary_writes(t->mem, t->off, t->len);
    yk_write_end(t->mem->store, begun);
    return err;
}

const struct yk_command_kind yk_map_kind = {.type = CL_COMMAND_MAP_BUFFER,
                                            .issue = map_issue,
                                            .resident = map_resident,
                                            .capture = map_capture,
                                            .carry = map_carry,
                                            .release = yk_transfer_release};
const struct yk_command_kind yk_unmap_kind = {.type = CL_COMMAND_UNMAP_MEM_OBJECT,
                                              .tidies = true,
                                              .issue = unmap_issue,
                                              .capture = yk_transfer_capture,
                                              .release = yk_transfer_release};
