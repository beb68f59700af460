/* Memory of this process that something outside it holds on to: who has it hears of its being unmapped, moved, emptied
 * or mapped over (munmap, mremap, MADV_DONTNEED, MAP_FIXED, brk and whatever the allocator does by them), before the
 * call that does so returns to the program. By Linux's userfaultfd, which an ordinary user may have since 5.11
 * (UFFD_USER_MODE_ONLY), but for sandboxes that forbid it. No page fault is ever taken by it. Who uses it:
 * shim/memory/inplace.c.
 *
 * Somebody has to poll yk_watch_fd and take what yk_watch_next has: until then the thread that unmaps waits. After
 * fork() the child watches nothing. */
#ifndef YK_DEVICE_LINK_WATCH_H
#define YK_DEVICE_LINK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* [from, to): whole pages. */
struct yk_watch_range {
    uintptr_t from, to;
};

/** Can memory be watched here? Asks the system once. Thread: any. */
bool yk_watch_able(void);

/** To be polled for POLLIN; -1 where nothing can be watched. */
int yk_watch_fd(void);

/** Watch R, until it goes. False: it is not private memory of no file throughout, or the system refuses. What is mapped
 * in one piece with it is watched too, and stays one piece: mremap takes no two. Thread: any. Cost: two looks at what
 * the process has mapped (0.3 ms each). */
bool yk_watch_add(struct yk_watch_range r);

/** Memory that has gone. False: no more has. Never waits. Callers keep one another out:
 * whoever has been told must have noted it before another one hears that nothing is left. Cost: a system call. */
bool yk_watch_next(struct yk_watch_range *gone);

#endif
