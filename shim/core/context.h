/* The virtual context: one real context per real device, made when first needed (the primary's at once). Also, per
 * device, one in-order real queue for yoke's own transfers. Who uses it: memory/, queue/, object/. */
#ifndef YK_SHIM_CORE_CONTEXT_H
#define YK_SHIM_CORE_CONTEXT_H

#include "base/lock.h"
#include "device/link/mailbox.h"
#include "device/link/ring.h"
#include "shim/core/handle.h"
#include "shim/core/runtime.h"

struct yk_store;

enum yk_direction { YK_IN, YK_OUT, YK_WAYS }; /* of a device's link */

struct yk_context_notify {
    void (*fn)(cl_context context, void *user_data);
    void *data;
    struct yk_context_notify *next;
};

/* From one device to another; the list grows only. */
struct yk_context_mailboxes {
    unsigned from, to;
    struct yk_mailboxes *mailboxes;
    struct yk_context_mailboxes *next;
};

struct yk_context {
    struct yk_handle h;
    struct yk_lock lock;
    cl_context_properties *properties; /* as the app gave them, with the 0; NULL if none */
    size_t nproperties;
    cl_device_id *device, *real_device; /* as the app gave them, each once; the primary's behind them */
    cl_uint ndevices;
    void *default_queue;       /* of clSetDefaultDeviceCommandQueue; only a name; atomic */
    unsigned open_user_events; /* never given a status: who waits for one may wait for ever; atomic */
    bool whole;                /* there are sub-devices: every launch runs whole, and no other real device is used */
    cl_context real[YK_MAX_DEVICES];
    cl_int failed[YK_MAX_DEVICES]; /* error of an attempt; not tried again */
    cl_command_queue transfer[YK_MAX_DEVICES];
    cl_command_queue link[YK_WAYS][YK_MAX_DEVICES]; /* for rings alone */
    struct yk_ring *ring[YK_WAYS][YK_MAX_DEVICES];  /* made by memory/link.c when they pay; atomic */
    struct yk_context_mailboxes *mailboxes;         /* made by memory/mailbox.c when they pay; atomic */
    struct yk_context_sampler *samplers;            /* of other devices (sampler.c); atomic */
    struct yk_store *host_stores; /* memory/store.c: those whose bytes belong into the app's memory; under the lock */
    unsigned nhost_stores;        /* atomic to read */
    struct yk_context_notify *on_destroy;
    struct yk_context *next_leaving;  /* leaver.c's */
    struct yk_context_errors *errors; /* where the primary's driver reports to; NULL: nowhere */
};

/* The app's function for errors in a context. POST runs something on yoke's callback thread (it lives above this
 * folder). */
struct yk_context_errors {
    void (*fn)(const char *text, const void *private_info, size_t cb, void *user_data);
    void *data;
    bool (*post)(void (*fn)(void *arg), void *arg);
};

/** A virtual context of DEVICES (virtual ones, checked, duplicates allowed) with the primary's real one. PROPERTIES are
 * the app's (checked). ERRORS (copied; NULL: none): what the primary's driver reports reaches it on yoke's own thread.
 * Errors: the primary's code in *ERR, NULL. */
struct yk_context *yk_context_create(const cl_context_properties *properties, cl_uint ndevices,
                                     const cl_device_id *devices, const struct yk_context_errors *errors, cl_int *err);

/** The end of CTX, which nobody holds: the drivers' objects, and itself. For leaver.c. Calls the drivers. */
void yk_context_release(struct yk_context *ctx);

/** The primary's device behind DEVICE, where CTX has it; else NULL. Thread: any. */
cl_device_id yk_context_device(const struct yk_context *ctx, cl_device_id device);

/** Real context of device DEV, made if need be; NULL if it cannot be (logged once). Thread: any; no lock held.
 * Cost: a load, or a context creation. */
cl_context yk_context_real(struct yk_context *ctx, unsigned dev);

/** Yoke's own in-order queue on DEV for transfers; NULL on failure. Thread: any; no lock held. */
cl_command_queue yk_context_transfer_queue(struct yk_context *ctx, unsigned dev);

/** The same for what goes through a ring, one per direction, so that both overlap. */
cl_command_queue yk_context_link_queue(struct yk_context *ctx, unsigned dev, enum yk_direction way);

/** The end of what yk_sampler_on (sampler.h) has made. */
void yk_context_samplers_finish(struct yk_context *ctx);

static inline struct yk_context *yk_context_from(cl_context c)
{
    return yk_handle_is((void *)c, YK_KIND_CONTEXT) ? (struct yk_context *)(void *)c : NULL;
}

/** Called, where somebody has set it (atomic), before anything of a context that ends is released. */
extern void (*yk_context_end)(struct yk_context *ctx);

#endif
