#include "device/link/ring_memory.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "device/link/copiers.h"

/* A large page of x86-64 and aarch64. HELPERS: three threads and the caller clear 32 MiB in 2 ms, the caller alone in
 * 6. */
enum { LARGE = 2 << 20, HELPERS = 3 };

struct clearing {
    struct yk_copy_job job; /* first */
    unsigned char *at;
    size_t bytes, next; /* NEXT: atomic */
};

/* The first write to a page has the system find and clear it. A large page is one thread's. */
static void run(struct yk_copy_job *job)
{
    struct clearing *c = (struct clearing *)job;
    for (;;) {
        size_t at = __atomic_fetch_add(&c->next, LARGE, __ATOMIC_RELAXED);
        if (at >= c->bytes)
            return;
        memset(c->at + at, 0, c->bytes - at < LARGE ? c->bytes - at : LARGE);
    }
}

/* Large pages where the system has them. A child of fork gets others: shared until the next write, they would be the
 * child's from then on, and the parent's new ones the driver does not know of. */
static unsigned char *take_pages(struct yk_ring_memory *m, size_t bytes)
{
    size_t spare = bytes >= LARGE ? LARGE : 0;
    void *pages = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    m->pages = pages;
    m->npages = bytes + spare;
    struct clearing c = {.job = {.run = run}, .at = pages, .bytes = bytes};
    if (spare)
        c.at += (LARGE - (uintptr_t)pages % LARGE) % LARGE;
    if (madvise(pages, m->npages, MADV_WIPEONFORK))
        madvise(pages, m->npages, MADV_DONTFORK);
    if (spare)
        madvise(c.at, bytes, MADV_HUGEPAGE);
    if (bytes > LARGE)
        yk_copiers_join(&c.job, HELPERS);
    run(&c.job);
    if (bytes > LARGE)
        yk_copiers_leave(&c.job);
    return c.at;
}

static void give_pages(struct yk_ring_memory *m)
{
    if (m->pages)
        munmap(m->pages, m->npages);
    m->pages = NULL;
}

cl_int yk_ring_memory_make(struct yk_ring_memory *m, const struct yk_cl *cl, cl_command_queue queue, size_t bytes,
                           enum yk_ring_place place)
{
    cl_context ctx = NULL;
    memset(m, 0, sizeof *m);
    cl_int err = cl->GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof ctx, &ctx, NULL);
    if (err != CL_SUCCESS)
        return err;
    unsigned char *own = place == YK_RING_OF_HOST ? take_pages(m, bytes) : NULL;
    m->buffer = cl->CreateBuffer(ctx, CL_MEM_READ_WRITE | (own ? CL_MEM_USE_HOST_PTR : CL_MEM_ALLOC_HOST_PTR), bytes,
                                 own, &err);
    if (m->buffer && err == CL_SUCCESS)
        m->base =
            cl->EnqueueMapBuffer(queue, m->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &err);
    if (err == CL_SUCCESS && m->base)
        return CL_SUCCESS;
    if (m->buffer)
        cl->ReleaseMemObject(m->buffer);
    give_pages(m);
    return err == CL_SUCCESS ? CL_OUT_OF_RESOURCES : err;
}

void yk_ring_memory_free(struct yk_ring_memory *m, const struct yk_cl *cl, cl_command_queue queue)
{
    (void)cl->EnqueueUnmapMemObject(queue, m->buffer, m->base, 0, NULL, NULL);
    (void)cl->Finish(queue);
    cl->ReleaseMemObject(m->buffer);
    give_pages(m);
}
