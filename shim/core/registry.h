/* Which pointers are live virtual handles: for the one place where a pointer-sized kernel argument may be a handle or a
 * number. Who uses it: kernel.c (asks), api/ (adds, removes memory objects, samplers and queues). */
#ifndef YK_SHIM_CORE_REGISTRY_H
#define YK_SHIM_CORE_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

/** Thread: any. Errors: false, no memory. Cost: O(1). */
bool yk_registry_add(const void *handle);
void yk_registry_remove(const void *handle);
bool yk_registry_has(const void *handle);

/* For the fast path: some of the handles that are alive, by a hash of the address, and bounds of all there ever were.
 */
enum { YK_REGISTRY_SLOTS = 512 };
extern const void *yk_registry_slot[YK_REGISTRY_SLOTS];
extern uintptr_t yk_registry_low, yk_registry_high;

static inline unsigned yk_registry_hash(const void *handle)
{
    uintptr_t h = (uintptr_t)handle >> 4;
    return (unsigned)((h ^ h >> 9) % YK_REGISTRY_SLOTS);
}

/** True: HANDLE is alive. False: ask yk_registry_has. */
static inline bool yk_registry_hit(const void *handle)
{
    return handle && __atomic_load_n(&yk_registry_slot[yk_registry_hash(handle)], __ATOMIC_ACQUIRE) == handle;
}

/** True: HANDLE never was one. False: ask yk_registry_has. */
static inline bool yk_registry_never(const void *handle)
{
    uintptr_t h = (uintptr_t)handle;
    return h < __atomic_load_n(&yk_registry_low, __ATOMIC_RELAXED) ||
           h > __atomic_load_n(&yk_registry_high, __ATOMIC_RELAXED);
}

#endif
