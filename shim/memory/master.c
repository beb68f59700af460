#include "shim/memory/master.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device/large_pages.h"
#include "shim/memory/store.h"

enum { PAGE = 4096 };

/* What masters may begin at: multiples of it. That of the device that asks for most, and no less than any value of
 * OpenCL's types is aligned to. */
static size_t master_align(void)
{
    size_t align = 128;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        size_t own = d->mem_align_bits / 8, least = d->host_memory && d->host_align > own ? d->host_align : own;
        if (d->usable && least > align)
            align = least;
    }
    return align < PAGE && !(align & (align - 1)) ? align : PAGE;
}

/* How far behind the beginning of a page the next master begins. Caches find a line's place by its place in its page:
 * where all buffers begin with a page, work-items that read or write the same place of several, or several rows of a
 * power of two, push out one another's lines, and loads wait for stores that only look as if they were to the same
 * place. So each begins elsewhere (cache colouring: Bonwick, "The Slab Allocator", USENIX 1994, section 4). Nine steps
 * of the alignment: of those that follow one another few are neighbours. */
static size_t next_colour(size_t align)
{
    static unsigned count;
    return (size_t)__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) * 9 * align % PAGE;
}

/* Programs write a little beyond the ends of their buffers (piglit's clz-optimizations: 64 bytes) and get away with it
 * in the driver's own memory; in this they must too. In large pages, where the system leaves that to programs: touching
 * small ones for the first time costs as much as a kernel that adds vectors. Not where so much is asked for that
 * perhaps little of it is ever touched, and not where a large page may have to be fetched first. Colours only where
 * CPUs compute in it: links do best with whole pages. */
unsigned char *yk_master_new(size_t size, void **base)
{
    enum { SLACK = 256, LARGE_PAGE = 2 << 20 };
    void *m = NULL;
    bool large = size >= LARGE_PAGE && size / (size_t)sysconf(_SC_PAGESIZE) <= (size_t)sysconf(_SC_PHYS_PAGES) / 8 &&
                 yk_large_pages_gain(NULL);
    size_t align = yk_store_in_masters() ? master_align() : PAGE, colour = align < PAGE ? next_colour(align) : 0;
    if (size >= SIZE_MAX - SLACK - PAGE || posix_memalign(&m, large ? LARGE_PAGE : PAGE, colour + size + SLACK))
        return NULL;
    if (large)
        (void)madvise(m, size - size % LARGE_PAGE, MADV_HUGEPAGE); /* a hint */
    *base = m;
    return (unsigned char *)m + colour;
}
