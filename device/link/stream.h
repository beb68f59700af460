/* Copying past the caches. A copy that nobody reads soon would first read what it overwrites, and push out the ring,
 * which better stays in the last cache. Who uses it: flight.c, for bytes that leave the ring. */
#ifndef YK_DEVICE_LINK_STREAM_H
#define YK_DEVICE_LINK_STREAM_H

#include <stddef.h>

/** As memcpy. Any alignment. What it wrote is visible to whoever a lock then lets look. Whole lines at a time where the
 * processor can (yk_copy_streaming_wide): an H200's link out takes 4 such threads, or 6 to 8 of the others. */
void yk_copy_streaming(void *to, const void *from, size_t n);

/** Its two ways, for tests. Wide: where yk_copy_streams_wide says so. */
void yk_copy_streaming_narrow(void *to, const void *from, size_t n);
void yk_copy_streaming_wide(void *to, const void *from, size_t n);
int yk_copy_streams_wide(void);

#endif
