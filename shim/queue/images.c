#include "shim/queue/images.h"

static struct yk_mem *image_of(const struct yk_value *v)
{
    return v->kind == YK_VALUE_MEM && v->u.mem->image ? v->u.mem : NULL;
}

bool yk_images_possible(const struct yk_launch *l, unsigned dev)
{
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = image_of(&l->value[i]);
        if (m && !yk_image_possible(m->image, dev))
            return false;
    }
    return true;
}

double yk_images_lack(const struct yk_launch *l, unsigned dev)
{
    double bytes = 0;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = image_of(&l->value[i]);
        bytes += m ? (double)yk_image_lacks(m->image, dev) : 0;
    }
    return bytes;
}

static cl_int bring(struct yk_mem *m, const bool *takes, unsigned *bad, uint64_t *moved)
{
    cl_mem copy[YK_MAX_DEVICES] = {NULL};
    uint32_t to = 0;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (!takes[dev] || !yk_image_lacks(m->image, dev))
            continue;
        *bad = dev;
        if (!(copy[dev] = yk_mem_real(m, dev)))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        to |= 1u << dev;
    }
    return to ? yk_image_bring(m->image, m->ctx, yk_mem_real(m, yk_rt.primary->index), to, copy, bad, moved)
              : CL_SUCCESS;
}

cl_int yk_images_bring(const struct yk_launch *l, const bool *takes, unsigned *bad, uint64_t *moved)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < l->nvalues && err == CL_SUCCESS; i++) {
        struct yk_mem *m = image_of(&l->value[i]);
        if (m)
            err = bring(m, takes, bad, moved);
    }
    return err;
}
