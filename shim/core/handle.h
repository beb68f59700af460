/* What every virtual OpenCL handle begins with. Who uses it: all of shim/. A virtual handle is a pointer to an object
 * whose first word is an ICD dispatch table of yoke's own entry points, so that a call that reaches it through any
 * loader lands in yoke. The app's reference count and yoke's own holds are separate: a released object lives on while
 * commands use it. */
#ifndef YK_SHIM_CORE_HANDLE_H
#define YK_SHIM_CORE_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

enum yk_kind {
    YK_KIND_PLATFORM = 0x594f4b01,
    YK_KIND_DEVICE,
    YK_KIND_CONTEXT,
    YK_KIND_QUEUE,
    YK_KIND_MEM,
    YK_KIND_PROGRAM,
    YK_KIND_KERNEL,
    YK_KIND_EVENT,
    YK_KIND_SAMPLER,
    YK_KIND_COMMAND_BUFFER
};

struct yk_handle {
    const void *dispatch;
    uint32_t kind; /* 0 once destroyed */
    int32_t refs;  /* the app's references */
    int32_t holds; /* yoke's own, plus one while refs > 0 */
    void (*destroy)(struct yk_handle *h);
};

/** The ICD dispatch table (defined in api/dispatch.c). */
extern const void *const yk_dispatch;

/** H with one reference of the app. */
void yk_handle_init(struct yk_handle *h, enum yk_kind kind, void (*destroy)(struct yk_handle *h));

/** Is P a live handle of KIND? One that the app has released is, while something of the app's needs it: a context its
 * queues, a program its kernels, a buffer its sub-buffers; queries name it. NULL: no. Thread: any. Reads *P. */
static inline bool yk_handle_is(const void *p, enum yk_kind kind)
{
    const struct yk_handle *h = p;
    return h && __atomic_load_n(&h->kind, __ATOMIC_RELAXED) == (uint32_t)kind;
}

/** Has the app references of H, which is live? Thread: any. */
static inline bool yk_handle_owned(const struct yk_handle *h)
{
    return __atomic_load_n(&h->refs, __ATOMIC_RELAXED) > 0;
}

/** What a query for references answers: the app's, and one where only what needs H has any. Thread: any. */
static inline uint32_t yk_handle_refs(const struct yk_handle *h)
{
    int32_t refs = __atomic_load_n(&h->refs, __ATOMIC_RELAXED);
    return refs > 0 ? (uint32_t)refs : 1;
}

/** The app's retain and release: H is live, and to be released it has references. Release destroys (outside of any
 * lock) with the last reference and the last hold. */
void yk_handle_retain(struct yk_handle *h);
void yk_handle_release(struct yk_handle *h);

/** Yoke's own holds. Thread: any; the caller of drop holds no lock. */
static inline void yk_hold(struct yk_handle *h)
{
    __atomic_fetch_add(&h->holds, 1, __ATOMIC_RELAXED);
}
void yk_drop(struct yk_handle *h);

#endif
