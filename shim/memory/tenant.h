/* Buffers that live in host memory (store.h's `host_only`) and lie on the primary for a while. Such a store's handle is
 * and stays that of the buffer that stands in, whoever is setting it as an argument meanwhile; its tenant, a real
 * buffer of its whole size at the primary's location of the map, is seen by copies and by the worker that runs a launch
 * over it. Who lets them in and out: queue/tenants.c, one launch at a time.
 *
 * Rule of threads: any may copy, or write to the master (yk_tenant_enter .. yk_tenant_leave: transfer.c,
 * queue/transfer.c), and a store that somebody does this with neither comes nor leaves; while it does, all of them
 * wait. Only the worker whose turn it is lets in, uses in a kernel, or lets out. */
#ifndef YK_SHIM_MEMORY_TENANT_H
#define YK_SHIM_MEMORY_TENANT_H

#include <pthread.h>
#include <stdbool.h>
#include "partitioner/evict.h"
#include "shim/memory/store.h"

struct yk_tenant {
    cl_mem buffer;             /* NULL: not there; under the store's lock, atomic */
    unsigned copying;          /* how many copy; under the store's lock, as the next four */
    bool moving;               /* it comes or leaves: its bytes are on their way, ... */
    pthread_t mover;           /* by the doing of this thread */
    bool refused;              /* the driver gave it none */
    struct yk_evict_uses uses; /* this and the next are of the worker whose turn it is */
    uint64_t paid;             /* bytes that windows of it have cost since it was let out */
    struct yk_store *next;     /* in the list of those that are there */
};

/** Of a new store, and of one that nobody holds any more. */
void yk_tenant_begin(struct yk_store *s);
void yk_tenant_end(struct yk_store *s);

/** Its buffer on the primary; NULL: it is not there. */
static inline cl_mem yk_tenant_buffer(const struct yk_store *s)
{
    return s->tenant ? __atomic_load_n(&s->tenant->buffer, __ATOMIC_ACQUIRE) : NULL;
}

/** Around copies of S and writes to its master, whichever store that is; may nest. What moves S is waited for; no lock
 * held. */
void yk_tenant_enter(struct yk_store *s);
void yk_tenant_leave(struct yk_store *s);

/**
 * S gets a buffer on the primary with all its bytes; it has none. *MOVED grows by the bytes brought.
 * False: no room, somebody copies, or the driver has none (not asked again). No lock held. Cost: an allocation and a
 * copy of all bytes.
 */
bool yk_tenant_let_in(struct yk_store *s, uint64_t *moved);

/** What is newest there goes to the host, and the buffer is released. False: somebody copies, unless he is to be WAITed
 * for, or what is there cannot be had; it stays. No lock held. */
bool yk_tenant_let_out(struct yk_store *s, bool wait, uint64_t *moved);

/** [off, off+len) is to be newest on the primary, where S is a tenant. Errors as yk_store_need. */
cl_int yk_tenant_bring(struct yk_store *s, size_t off, size_t len, uint64_t *moved);

/** A launch over the tenant may have written [off, off+len). */
void yk_tenant_wrote(struct yk_store *s, size_t off, size_t len);

/** At most N of those that are there, held for the caller; returns how many. */
unsigned yk_tenant_list(struct yk_store **list, unsigned n);

/** Wait until those that nobody holds any more have given back their room. Thread: the one that lets in and out. */
void yk_tenants_settle(void);

#endif
