#include "shim/queue/box.h"

static uint64_t hidden_value(const struct yk_launch *l, const struct yk_decision *d, const struct yk_box *box,
                             const struct yk_facts_hidden *h)
{
    unsigned i = h->dim;
    switch (h->kind) {
    case YK_HIDDEN_GROUP_OFFSET:
        return box->first[i];
    case YK_HIDDEN_NUM_GROUPS:
        return d->range.groups[i];
    case YK_HIDDEN_GLOBAL_SIZE:
        return d->range.groups[i] * d->local[i];
    case YK_HIDDEN_GLOBAL_OFFSET:
        return l->has_offset && i < l->dims ? l->offset[i] : 0;
    case YK_HIDDEN_KIND_COUNT:
        break;
    }
    return 0;
}

cl_int yk_box_enqueue(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                      unsigned dev, cl_command_queue q, cl_kernel kernel, const struct yk_box *box, cl_event *event)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    size_t offset[3], global[3];
    for (unsigned i = 0; i < 3; i++) {
        offset[i] = (l->has_offset && i < l->dims ? l->offset[i] : 0) + box->first[i] * d->local[i];
        global[i] = box->count[i] * d->local[i];
    }
    for (unsigned i = 0; i < f->nhidden && f->needs_variant; i++) {
        cl_ulong v = hidden_value(l, d, box, &f->hidden[i]);
        cl_int err = cl->SetKernelArg(kernel, f->nargs + i, sizeof v, &v);
        if (err != CL_SUCCESS)
            return err;
    }
    return cl->EnqueueNDRangeKernel(q, kernel, l->dims, offset, global, d->local, 0, NULL, event);
}
