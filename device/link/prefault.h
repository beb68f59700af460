/* Pages that a program is about to write for the first time, or yoke for them, touched by other threads meanwhile. A
 * first touch costs a thread 1 to 2 us a page of 4 KiB (the system clears it), 9 ms for 16 MiB, where the writing
 * itself takes 2. Programs write from the beginning, so the touching begins at the end. Who uses it: api/, for
 * mappings. Never calls a driver.
 *
 * Threads and the least length are those of host_copy.h (YOKE_COPIERS). */
#ifndef YK_DEVICE_LINK_PREFAULT_H
#define YK_DEVICE_LINK_PREFAULT_H

#include <stdbool.h>
#include <stddef.h>

struct yk_prefault;

/** Begin with [AT, AT+LEN), which is writable and stays mapped until yk_prefault_end; no byte changes, whoever writes
 * there. ALL: all of it is going to be written. NULL: not worth it (short, touched before, or more than 256 MiB of
 * which not all is sure to be written), or no memory. Thread: any; no lock held. */
struct yk_prefault *yk_prefault_begin(void *at, size_t len, bool all);

/** Stop: returns when nobody is at it any more, some 0.1 ms where somebody was. P may be NULL. Thread: any; no lock
 * held. */
void yk_prefault_end(struct yk_prefault *p);

#endif
