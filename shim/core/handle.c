#include "shim/core/handle.h"

void yk_handle_init(struct yk_handle *h, enum yk_kind kind, void (*destroy)(struct yk_handle *h))
{
    h->dispatch = yk_dispatch;
    h->refs = h->holds = 1;
    h->destroy = destroy;
    __atomic_store_n(&h->kind, (uint32_t)kind, __ATOMIC_RELEASE);
}

void yk_handle_retain(struct yk_handle *h)
{
    if (__atomic_fetch_add(&h->refs, 1, __ATOMIC_RELAXED) == 0)
        yk_hold(h); /* it had been released */
}

void yk_drop(struct yk_handle *h)
{
    if (__atomic_sub_fetch(&h->holds, 1, __ATOMIC_ACQ_REL) == 0 && h->destroy) {
        __atomic_store_n(&h->kind, 0, __ATOMIC_RELAXED);
        h->destroy(h);
    }
}

void yk_handle_release(struct yk_handle *h)
{
    if (__atomic_sub_fetch(&h->refs, 1, __ATOMIC_ACQ_REL) == 0)
        yk_drop(h);
}
