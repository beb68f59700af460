#include "shim/memory/subs.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct yk_sub {
    cl_mem real;
    cl_mem_flags flags;
    size_t from, to;
    bool live; /* the program has it */
};

/* Of so many of one buffer the order is kept: whoever looks for one looks at all. */
enum { MOST = 4096 };

/* Of one device, the newest last. Programs make many in the order of their places and release them in the order they
 * were made, so that nearly all questions are answered without a look at all of them. */
struct yk_subs {
    struct yk_sub *v;
    size_t n, room;
    size_t dead;   /* of those: not the program's any more */
    size_t next;   /* where the one after the last that was given back lies */
    size_t high;   /* no place of any is beyond */
    bool overlaps; /* some may, since there were none */
};

/* Held while the driver makes and releases them, since their order counts. */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

void yk_subs_first(struct yk_store *s, cl_mem_flags flags)
{
    const struct yk_device *d = yk_rt.primary;
    if (d->type & CL_DEVICE_TYPE_CPU || !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) || s->host_only ||
        s->own_maps)
        return;
    cl_command_queue q = yk_context_transfer_queue(s->ctx, d->index);
    unsigned char byte;
    pthread_mutex_lock(&order); /* another thread's first one waits, too */
    if (q && !s->had_subs)      /* whatever it says, the program's own commands will say it too */
        (void)d->cl->EnqueueReadBuffer(q, s->real[d->index], CL_TRUE, 0, sizeof byte, &byte, 0, NULL, NULL);
    s->had_subs = true;
    pthread_mutex_unlock(&order);
}

/* Drivers of CPUs take them in any order, those of the program's own. */
static bool any_order(unsigned dev)
{
    return dev == yk_rt.primary->index && yk_rt.primary->type & CL_DEVICE_TYPE_CPU;
}

static struct yk_subs *subs_of(struct yk_store *s, unsigned dev)
{
    if (!s->subs)
        s->subs = calloc(yk_rt.machine->n, sizeof *s->subs);
    return s->subs ? &s->subs[dev] : NULL;
}

static bool has_room(struct yk_subs *l)
{
    enum { FIRST = 8 };
    if (l->n < l->room)
        return true;
    size_t room = l->room ? 2 * l->room : FIRST;
    struct yk_sub *v = realloc(l->v, room * sizeof *v);
    if (!v)
        return false;
    l->v = v;
    l->room = room;
    return true;
}

/* Does S overlap one of L but its I-th? */
static bool overlaps(const struct yk_subs *l, const struct yk_sub *s, size_t i)
{
    for (size_t k = 0; k < l->n; k++)
        if (k != i && l->v[k].from < s->to && s->from < l->v[k].to)
            return true;
    return false;
}

static void add(struct yk_subs *l, struct yk_sub s)
{
    if (!l->n) {
        l->high = 0;
        l->overlaps = false;
    }
    l->overlaps |= s.from < l->high && overlaps(l, &s, l->n);
    l->high = s.to > l->high ? s.to : l->high;
    l->v[l->n++] = s;
}

static cl_mem make(struct yk_subs *l, unsigned dev, cl_mem whole, cl_mem_flags flags, const cl_buffer_region *r,
                   cl_int *err)
{
    for (size_t i = l->n; l->dead && i-- > 0;)
        if (!l->v[i].live && l->v[i].flags == flags && l->v[i].from == r->origin && l->v[i].to == r->origin + r->size) {
            l->v[i].live = true;
            l->dead--;
            *err = CL_SUCCESS;
            return l->v[i].real;
        }
    bool kept = l->n < MOST && has_room(l);
    cl_mem real = yk_rt.machine->device[dev].cl->CreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, r, err);
    if (real && kept)
        add(l, (struct yk_sub){real, flags, r->origin, r->origin + r->size, true});
    return real;
}

cl_mem yk_subs_make(struct yk_store *s, unsigned dev, cl_mem whole, cl_mem_flags flags, const cl_buffer_region *r,
                    cl_int *err)
{
    if (any_order(dev))
        return yk_rt.machine->device[dev].cl->CreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, r, err);
    pthread_mutex_lock(&order);
    struct yk_subs *l = subs_of(s, dev);
    *err = CL_OUT_OF_HOST_MEMORY;
    cl_mem real = l ? make(l, dev, whole, flags, r, err) : NULL;
    pthread_mutex_unlock(&order);
    return real;
}

static void give_back(struct yk_subs *l, unsigned dev, size_t i)
{
    yk_rt.machine->device[dev].cl->ReleaseMemObject(l->v[i].real);
    l->dead -= !l->v[i].live;
    l->next = i;
    l->n--;
    memmove(&l->v[i], &l->v[i + 1], (l->n - i) * sizeof *l->v);
}

void yk_subs_release(struct yk_store *s, unsigned dev, cl_mem real, bool now)
{
    if (any_order(dev)) {
        yk_rt.machine->device[dev].cl->ReleaseMemObject(real);
        return;
    }
    pthread_mutex_lock(&order);
    struct yk_subs *l = &s->subs[dev];
    size_t i = l->next < l->n && l->v[l->next].real == real ? l->next + 1 : l->n;
    while (i > 0 && l->v[i - 1].real != real)
        i--;
    if (!i) {
        yk_rt.machine->device[dev].cl->ReleaseMemObject(real);
    } else {
        l->v[i - 1].live = false;
        l->dead++;
        if (now || !l->overlaps || !overlaps(l, &l->v[i - 1], i - 1))
            give_back(l, dev, i - 1);
    }
    while (l->n && !l->v[l->n - 1].live)
        give_back(l, dev, l->n - 1);
    pthread_mutex_unlock(&order);
}

void yk_subs_finish(struct yk_store *s)
{
    pthread_mutex_lock(&order);
    for (unsigned dev = 0; s->subs && dev < yk_rt.machine->n; dev++) {
        while (s->subs[dev].n)
            give_back(&s->subs[dev], dev, s->subs[dev].n - 1);
        free(s->subs[dev].v);
    }
    free(s->subs);
    s->subs = NULL;
    pthread_mutex_unlock(&order);
}
