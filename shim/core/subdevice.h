/* Virtual devices as the app names them: the one root device, and sub-devices that it has cut off. A sub-device is one
 * of the primary's: what runs there runs whole. Who uses it: api/, core/context.c, queue/queue.c. */
#ifndef YK_SHIM_CORE_SUBDEVICE_H
#define YK_SHIM_CORE_SUBDEVICE_H

#include "shim/core/runtime.h"

struct yk_subdevice {
    struct yk_handle h;
    struct yk_subdevice *parent; /* held; NULL: the root */
    cl_device_id real;           /* of the primary; owned */
};

/** Takes over REAL, a part of PARENT (NULL: of the root). NULL: no memory (REAL released). */
struct yk_subdevice *yk_subdevice_wrap(struct yk_subdevice *parent, cl_device_id real);

/** The sub-device behind C; NULL: none, or the root. */
static inline struct yk_subdevice *yk_subdevice_from(cl_device_id c)
{
    return c != yk_device() && yk_handle_is((void *)c, YK_KIND_DEVICE) ? (struct yk_subdevice *)(void *)c : NULL;
}

/** The primary's device that C speaks for; NULL: C is no device of yoke's. Thread: any. */
static inline cl_device_id yk_device_real(cl_device_id c)
{
    if (c == yk_device())
        return yk_rt.primary->id;
    struct yk_subdevice *s = yk_subdevice_from(c);
    return s ? s->real : NULL;
}

#endif
