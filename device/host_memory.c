/* Is a buffer over host memory that memory itself? The flag CL_MEM_USE_HOST_PTR allows a driver to keep a copy, and
 * CL_DEVICE_HOST_UNIFIED_MEMORY says nothing about it, so it is tried. */
#include "device/machine.h"
#include "base/clock.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 8192, PAGE = 4096, PATIENCE_MS = 2000 };

struct trial {
    const struct yk_cl *cl;
    cl_context context;
    cl_command_queue queue;
    cl_mem over, other; /* over: the buffer made over the host's memory */
    unsigned char *host, *seen;
    bool failed; /* a command ended with an error */
    bool unsure; /* one may still be under way */
    bool stuck;  /* and has been for long: to release its objects might hang */
};

/* Wait for EVENT with a limit: clFinish has none. */
static bool wait_for(struct trial *t, cl_event event)
{
    if (t->cl->Flush(t->queue) != CL_SUCCESS)
        return false;
    uint64_t until = yk_now_ns() + PATIENCE_MS * 1000000ull;
    for (cl_int state = CL_QUEUED; state != CL_COMPLETE;) {
        if (t->cl->GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS)
            return false;
        if (state < 0) {
            t->failed = true;
            return true;
        }
        if (state != CL_COMPLETE && yk_now_ns() > until) {
            t->stuck = true;
            return false;
        }
        if (state != CL_COMPLETE)
            usleep(20);
    }
    return t->cl->WaitForEvents(1, &event) == CL_SUCCESS; /* the status alone is no synchronisation */
}

/* Has the command just enqueued with ERR succeeded? */
static bool done(struct trial *t, cl_int err, cl_event event)
{
    if (err != CL_SUCCESS)
        return false;
    bool over = wait_for(t, event);
    t->unsure |= !over;
    if (!t->stuck)
        t->cl->ReleaseEvent(event);
    return over && !t->failed;
}

static bool all(const unsigned char *p, unsigned char value)
{
    for (size_t i = 0; i < BYTES; i++)
        if (p[i] != value)
            return false;
    return true;
}

static bool device_to_host(struct trial *t)
{
    cl_event e = NULL;
    const unsigned char value = 0x5b;
    memset(t->host, 0x11, BYTES);
    cl_int err = t->cl->EnqueueFillBuffer(t->queue, t->over, &value, 1, 0, BYTES, 0, NULL, &e);
    return done(t, err, e) && all(t->host, value);
}

static bool host_to_device(struct trial *t)
{
    cl_event e = NULL;
    memset(t->host, 0x22, BYTES);
    memset(t->seen, 0, BYTES);
    cl_int err = t->cl->EnqueueCopyBuffer(t->queue, t->over, t->other, 0, 0, BYTES, 0, NULL, &e);
    if (!done(t, err, e))
        return false;
    err = t->cl->EnqueueReadBuffer(t->queue, t->other, CL_FALSE, 0, BYTES, t->seen, 0, NULL, &e);
    return done(t, err, e) && all(t->seen, 0x22);
}

static bool maps_to_itself(struct trial *t)
{
    cl_event e = NULL;
    cl_int err;
    void *p =
        t->cl->EnqueueMapBuffer(t->queue, t->over, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, &e, &err);
    if (err != CL_SUCCESS)
        return false;
    bool mapped = done(t, err, e);
    if (t->stuck)
        return false;
    err = t->cl->EnqueueUnmapMemObject(t->queue, t->over, p, 0, NULL, &e);
    return done(t, err, e) && mapped && p == t->host;
}

static bool try_at(struct trial *t, unsigned char *host)
{
    cl_int err;
    t->host = host;
    t->failed = false;
    t->over = t->cl->CreateBuffer(t->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, host, &err);
    if (!t->over)
        return false;
    bool same = device_to_host(t) && host_to_device(t) && device_to_host(t) && maps_to_itself(t);
    if (!t->stuck)
        t->cl->ReleaseMemObject(t->over);
    return same;
}

bool yk_device_host_memory(const struct yk_cl *cl, const struct yk_device *d, size_t *align)
{
    struct trial t = {.cl = cl};
    cl_bool unified = CL_FALSE;
    cl_int err;
    cl->GetDeviceInfo(d->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    *align = PAGE;
    if (!d->usable || (!(d->type & CL_DEVICE_TYPE_CPU) && !unified))
        return false;
    size_t base = d->mem_align_bits / 8;
    if (base < 64 || base > PAGE)
        base = 64;
    /* Room for a page-aligned piece, for one that has less, and for what comes back. */
    unsigned char *memory = aligned_alloc(PAGE, 2 * (BYTES + PAGE));
    t.seen = memory ? memory + BYTES + PAGE : NULL;
    t.context = memory ? cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err) : NULL;
    t.queue = t.context ? cl->CreateCommandQueue(t.context, d->id, 0, &err) : NULL;
    t.other = t.queue ? cl->CreateBuffer(t.context, CL_MEM_READ_WRITE, BYTES, NULL, &err) : NULL;
    bool same = t.other && try_at(&t, memory);
    /* What programs give: parts of arrays, what malloc gives, what is aligned as the driver asks for. */
    const size_t less[] = {sizeof(float), 16, base};
    for (unsigned i = 0; same && *align == PAGE && i < sizeof less / sizeof *less && !t.unsure; i++)
        if (less[i] < PAGE && try_at(&t, memory + less[i]))
            *align = less[i];
    if (t.unsure)
        yk_warn("%s does not finish a transfer of %d bytes; its memory is taken as its own", d->name, BYTES);
    if (t.stuck)
        return false;
    if (t.other)
        cl->ReleaseMemObject(t.other);
    if (t.queue)
        cl->ReleaseCommandQueue(t.queue);
    if (t.context)
        cl->ReleaseContext(t.context);
    if (!t.unsure) /* else the driver may still write there */
        free(memory);
    return same;
}
