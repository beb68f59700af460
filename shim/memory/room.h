/* How much memory programs are told there is, and how much of it the primary gives to buffers as a whole. Buffers that
 * find no room there live in host memory (yk_store's `host_only`), and launches see windows of them (queue/windows.h).
 *
 * YOKE_MEMORY: `device` (default), what the primary has; `sum`, of all devices; `host`, the host's; or bytes, as 64G.
 * Only with another than `device` is anything kept on the host, since programs that are told of more memory use it.
 * YOKE_MEMORY_LIMIT (device/machine.h) makes devices smaller; then `sum` is the default. Who uses it: store.c, api/,
 * queue/windows.c. */
#ifndef YK_SHIM_MEMORY_ROOM_H
#define YK_SHIM_MEMORY_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that the virtual device says it has, and that one buffer may have; 0: as the primary says. Cost: a load. */
uint64_t yk_room_told(void);

/** May a buffer of SIZE bytes lie on the primary as a whole? True: it has been counted (yk_room_give takes it back).
 * True without counting where yk_room_told is 0. Thread: any. */
bool yk_room_take(size_t size);
void yk_room_give(size_t size);

/** The same for a buffer of one that lives on the host (tenant.h): of what the others leave, half is for windows.
 * yk_room_let_now: bytes that are let so; yk_room_let_left: that may yet be. */
bool yk_room_let(size_t size);
void yk_room_end_let(size_t size);
uint64_t yk_room_let_now(void);
uint64_t yk_room_let_left(void);

/** Bytes of the primary that nobody has. Thread: any. */
uint64_t yk_room_left(void);

/** The same, and from then on the caller's, for windows, until yk_room_return gives them back, at once or in parts.
 * There is a quarter of the memory at least while nobody else has borrowed any. Thread: any. */
uint64_t yk_room_borrow(void);
void yk_room_return(uint64_t bytes);

#endif
