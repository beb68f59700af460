/* The fewest bytes that any schedule must move between host and devices for given accesses. Pure; knows nothing of
 * yoke.
 *
 * Every byte that is stored is a new version of that byte. A version that a place needs and did not make has to be
 * brought there once; there is no way from device to device but through the host. So a version made by the host costs
 * one byte for each device that needs it, one made by a device one for the host if any other place needs it, and one
 * for each further device. */
#ifndef YK_TESTS_COUNT_LEDGER_H
#define YK_TESTS_COUNT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/array.h"

#define LEDGER_HOST 0u /* places: the host, and device d as d + 1; 15 devices at most */
#define LEDGER_ALL  0xffffu

struct ledger_version {
    uint16_t made, needed; /* sets of places */
};

struct ledger_byte {
    uint32_t version;
    uint16_t stored, added; /* in the present launch: by whom, plainly and by atomic operations */
};

struct ledger_buffer {
    uint64_t address;
    size_t size;
    struct ledger_byte *byte;
};

struct ledger {
    unsigned
        home; /* not 0: the place that the host's bytes are brought to at once; the host keeps no copy of anything */
    YK_ARRAY(struct ledger_buffer) buffer;
    YK_ARRAY(struct ledger_version) version;
    uint64_t to_devices, to_host; /* bytes; set by ledger_close */
};

/** All return false where memory is short, or where no buffer holds the bytes. A buffer's first bytes are the host's,
 * or nobody's and then cost nothing. */
bool ledger_allocate(struct ledger *l, uint64_t address, size_t size, bool by_host);
bool ledger_release(struct ledger *l, uint64_t address);
bool ledger_load(struct ledger *l, unsigned place, uint64_t address, size_t size);
/** By a device: of the present launch, whose other work-items on other devices do not see it. */
bool ledger_store(struct ledger *l, unsigned place, uint64_t address, size_t size);
/** An atomic operation that commutes: devices keep sums of their own, which the host combines. */
bool ledger_atomic(struct ledger *l, unsigned place, uint64_t address, size_t size);
/** A pattern, which every place can make for itself. */
bool ledger_fill(struct ledger *l, uint64_t address, size_t size);
/** Done wherever the bytes are: they are the same versions in two places. */
bool ledger_copy(struct ledger *l, uint64_t to, uint64_t from, size_t size);
/** The launch is over: what it stored is there. */
bool ledger_end(struct ledger *l);

/** Count. */
void ledger_close(struct ledger *l);
void ledger_finish(struct ledger *l);

#endif
