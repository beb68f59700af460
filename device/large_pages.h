/* Is it a gain to ask for large pages? Who uses it: the masters of buffers (shim/memory/store.c). */
#ifndef YK_DEVICE_LARGE_PAGES_H
#define YK_DEVICE_LARGE_PAGES_H

#include <stdbool.h>

/**
 * False on a virtual machine whose host takes back memory that is free: a balloon device with free page reporting. What
 * is taken back are whole large pages, and the first touch of one then waits for its host to find each small one of
 * it again (seen: 7 ms for 2 MiB, where small pages that are still there take 1 ms and a large one 0.2 ms).
 * DEVICES: the folder of virtio's devices, each with the files "device" and "features"; NULL: /sys/bus/virtio/devices,
 * looked at once per process. A folder that cannot be read has no such device. Thread: any. Cost: some files read.
 */
bool yk_large_pages_gain(const char *devices);

#endif
