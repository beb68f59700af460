/* What the kinds of transfers share: what they hold, and how the worker carries one out that the driver alone cannot.
 * Who uses it: transfer.c, transfer_rect.c, transfer_map.c. */
#ifndef YK_SHIM_QUEUE_TRANSFER_CARRY_H
#define YK_SHIM_QUEUE_TRANSFER_CARRY_H

#include "shim/memory/exclude.h"
#include "shim/queue/transfer.h"

/* Short names for these files alone. */
#define PRIMARY    (yk_rt.primary->index)
#define CL         (yk_rt.primary->cl)
#define QUEUE(t)   ((t)->c.queue->real)
#define REAL(mem_) (yk_mem_real((mem_), PRIMARY))

/** Hold the buffers; give them back. */
cl_int yk_transfer_capture(struct yk_command *c);
void yk_transfer_release(struct yk_command *c);

/** Are the bytes that the driver needs at the primary? Thread: any. Cost: loads. */
bool yk_transfer_at_primary(struct yk_command *c);

/** The worker touches bytes itself: what the primary's driver still does for this queue comes first. The errors of all
 * these are the driver's; their thread is the queue's worker. */
cl_int yk_transfer_drain(struct yk_transfer *t);

/** The same, before the bytes go between PTR and the primary. */
cl_int yk_transfer_drain_for(struct yk_transfer *t, enum yk_direction way, const void *ptr);

/** Bytes [off, off+len) of M to the primary, from wherever they are newest. */
cl_int yk_transfer_bring(struct yk_mem *m, size_t off, size_t len);

/** HOW, which may write to WRITTEN (NULL: to none), with the buffers that live in the host's memory entered. */
cl_int yk_transfer_on_host(struct yk_transfer *t, struct yk_store *written, cl_int (*how)(struct yk_transfer *t));

/* A write that the program may wait for. While copies wait for it (exclude.h) it waits for nobody: so the driver is not
 * asked to block then, and its end is waited for afterwards. */
struct yk_waited_write {
    struct yk_store *store;
    bool begun;
    cl_bool blocks; /* for the driver's call, as is the next */
    cl_event *done;
    bool waits;
    cl_event own, *real;
};

/** W goes to STORE; BLOCKING and REAL as for the command's issue. */
void yk_waited_write_begin(struct yk_waited_write *w, struct yk_store *store, bool blocking, cl_event *real);

/** The driver has said ERR, and the write is recorded. Returns what the command's issue is to. */
cl_int yk_waited_write_end(struct yk_waited_write *w, cl_int err);

/** Bring the bytes that the command reads or partly overwrites, then issue. */
cl_int yk_transfer_bring_and_issue(struct yk_command *c, cl_event *real);

#define YK_TRANSFER_KIND(name, type_, issue_, resident_, carry_)                                                       \
    const struct yk_command_kind name = {.type = (type_),                                                              \
                                         .issue = (issue_),                                                            \
                                         .resident = (resident_),                                                      \
                                         .capture = yk_transfer_capture,                                               \
                                         .carry = (carry_),                                                            \
                                         .release = yk_transfer_release}

#endif
