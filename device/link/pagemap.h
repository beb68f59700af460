/* What the kernel says of this process's pages. Who uses it: host_copy.c. */
#ifndef YK_DEVICE_LINK_PAGEMAP_H
#define YK_DEVICE_LINK_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>

/** Will the first write to most of LEN bytes at AT replace a page that others see as well: the page of zeros that
 * memory from calloc shows while it was only read, or one of before a fork()? The processors of all running threads are
 * told of each such page: 64 MiB took two threads 92 ms, one alone 28. False where /proc does not say. Judged by a few
 * pages. Thread: any. Errors: none; errno is kept. Cost: 4 us. Source: proc(5), pagemap. */
bool yk_pages_copied_on_write(const void *at, size_t len);

#endif
