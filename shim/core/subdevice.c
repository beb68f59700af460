#include "shim/core/subdevice.h"
#include <stdlib.h>

static void subdevice_destroy(struct yk_handle *h)
{
    struct yk_subdevice *s = (struct yk_subdevice *)h;
    yk_rt.primary->cl->ReleaseDevice(s->real);
    if (s->parent)
        yk_drop(&s->parent->h);
    free(s);
}

struct yk_subdevice *yk_subdevice_wrap(struct yk_subdevice *parent, cl_device_id real)
{
    struct yk_subdevice *s = calloc(1, sizeof *s);
    if (!s) {
        yk_rt.primary->cl->ReleaseDevice(real);
        return NULL;
    }
    s->real = real;
    if ((s->parent = parent))
        yk_hold(&parent->h);
    yk_handle_init(&s->h, YK_KIND_DEVICE, subdevice_destroy);
    return s;
}
