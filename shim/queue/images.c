#include "shim/queue/images.h"
#include <stdlib.h>

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

static bool is_written(const struct yk_facts_kernel *f, unsigned i)
{
    return i >= f->nargs || f->arg[i].written;
}

double yk_images_bytes(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev, double *again)
{
    double bytes = 0;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = image_of(&l->value[i]);
        if (!m)
            continue;
        bytes += (double)yk_image_lacks(m->image, dev);
        if (is_written(f, i) && yk_image_apart(m->image, dev)) /* there, and back to be compared */
            *again += 2 * (double)yk_image_bytes(m->image);
    }
    return bytes;
}

/* Where S keeps M; a new place where it does not yet. NULL: no memory. */
static struct yk_written_image *place_of(struct yk_images *s, struct yk_mem *m, unsigned most)
{
    if (!s->v && !(s->v = calloc(most, sizeof *s->v)))
        return NULL;
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].mem == m)
            return &s->v[i];
    struct yk_written_image *w = &s->v[s->n];
    if (!w->before && !(w->before = malloc(yk_image_bytes(m->image))))
        return NULL;
    w->mem = m;
    s->n++;
    return w;
}

/* What the takers lack of M, which they will write to or (WRITTEN false) not. */
static cl_int bring(struct yk_images *s, struct yk_mem *m, unsigned most, const bool *takes, bool written,
                    unsigned *bad, uint64_t *moved)
{
    unsigned p = yk_rt.primary->index;
    cl_mem copy[YK_MAX_DEVICES] = {NULL};
    uint32_t to = 0;
    bool apart = false;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (!takes[dev] || dev == p)
            continue;
        *bad = dev;
        if (!(copy[dev] = yk_mem_real(m, dev)))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        to |= yk_image_lacks(m->image, dev) ? 1u << dev : 0;
        apart |= yk_image_apart(m->image, dev);
    }
    struct yk_written_image *w = written && apart ? place_of(s, m, most) : NULL;
    if (written && apart && !w)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = to || w
                     ? yk_image_bring(m->image, m->ctx, yk_mem_real(m, p), to, copy, w ? w->before : NULL, bad, moved)
                     : CL_SUCCESS;
    if (written) /* copies differ from one another from now on */
        yk_image_wrote(m->image);
    return err;
}

cl_int yk_images_bring(struct yk_images *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                       const bool *takes, unsigned *bad, uint64_t *moved)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < l->nvalues && err == CL_SUCCESS; i++) {
        struct yk_mem *m = image_of(&l->value[i]);
        if (m)
            err = bring(s, m, l->nvalues, takes, is_written(f, i), bad, moved);
    }
    return err;
}

bool yk_images_in_place(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (image_of(&l->value[i]) && is_written(f, i) && !yk_image_apart(l->value[i].u.mem->image, dev))
            return true;
    return false;
}

cl_int yk_images_merge(const struct yk_images *s, const bool *used, unsigned *bad, uint64_t *moved)
{
    unsigned p = yk_rt.primary->index;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_mem *m = s->v[i].mem;
        for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
            if (used[dev] && dev != p && yk_image_apart(m->image, dev))
                err = yk_image_merge(m->image, m->ctx, yk_mem_real(m, p), dev, yk_mem_real(m, dev), s->v[i].before, bad,
                                     moved);
        yk_image_wrote(m->image);
    }
    return err;
}

bool yk_images_restore(const struct yk_images *s)
{
    bool well = true;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_mem *m = s->v[i].mem;
        well &= yk_image_restore(m->image, m->ctx, yk_mem_real(m, yk_rt.primary->index), s->v[i].before) == CL_SUCCESS;
        yk_image_wrote(m->image);
    }
    return well;
}

void yk_images_finish(struct yk_images *s)
{
    for (unsigned i = 0; i < s->n; i++)
        free(s->v[i].before);
    free(s->v);
    *s = (struct yk_images){NULL, 0};
}
