#include "device/link/watch.h"
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY /* headers before Linux 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int fd = -1;

/* Valgrind runs one thread at a time, also while that one waits in munmap for another to listen. */
static bool under_valgrind(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512];
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, "/vgpreload_") != NULL;
    if (f)
        fclose(f);
    return found;
}

static void start(void)
{
    if (under_valgrind())
        return;
    struct uffdio_api api = {.api = UFFD_API,
                             .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_EVENT_REMAP |
                                         UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP};
    int f = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    if (f >= 0 && ioctl(f, UFFDIO_API, &api) == 0)
        fd = f;
    else if (f >= 0)
        close(f);
}

bool yk_watch_able(void)
{
    pthread_once(&once, start);
    return fd >= 0;
}

int yk_watch_fd(void)
{
    return yk_watch_able() ? fd : -1;
}

/* Is R private memory of no file throughout? Shared memory may be emptied by others. Into *ALL the whole mappings that
 * it lies in. */
static bool look(struct yk_watch_range r, struct yk_watch_range *all)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512];
    uintptr_t at = r.from;
    *all = r;
    while (f && at < r.to && fgets(line, sizeof line, f)) {
        unsigned long from, to, inode;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &from, &to, access, &inode) != 4 || to <= at)
            continue;
        if (from > at || inode || access[3] != 'p')
            break;
        all->from = from < all->from ? from : all->from;
        all->to = at = to;
    }
    if (f)
        fclose(f);
    return at >= r.to;
}

bool yk_watch_add(struct yk_watch_range r)
{
    struct yk_watch_range all, again;
    if (!yk_watch_able() || !look(r, &all))
        return false;
    /* Write protection, of which none is ever asked for: missing pages would have to be filled in by us. */
    struct uffdio_register reg = {.range = {all.from, all.to - all.from}, .mode = UFFDIO_REGISTER_MODE_WP};
    return ioctl(fd, UFFDIO_REGISTER, &reg) == 0 && look(r, &again); /* if not so later, it is heard of */
}

bool yk_watch_next(struct yk_watch_range *gone)
{
    struct uffd_msg m;
    while (fd >= 0 && read(fd, &m, sizeof m) == (ssize_t)sizeof m)
        if (m.event == UFFD_EVENT_UNMAP || m.event == UFFD_EVENT_REMOVE) {
            *gone = (struct yk_watch_range){(uintptr_t)m.arg.remove.start, (uintptr_t)m.arg.remove.end};
            return true;
        } else if (m.event == UFFD_EVENT_REMAP) {
            uintptr_t from = (uintptr_t)m.arg.remap.from;
            *gone = (struct yk_watch_range){from, from + (uintptr_t)m.arg.remap.len};
            return true;
        }
    return false;
}
