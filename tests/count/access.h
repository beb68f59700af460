/* The log that access.c writes and leastbytes reads: records one behind the other, of this machine's byte order. */
#ifndef YK_TESTS_COUNT_ACCESS_H
#define YK_TESTS_COUNT_ACCESS_H

#include <stdint.h>

enum access_kind {
    ACCESS_ALLOCATE,   /* ITEM: 1 if the host gave the first bytes */
    ACCESS_FREE,       /* a buffer; size 0 */
    ACCESS_BEGIN,      /* of a launch: a struct access_launch follows */
    ACCESS_END,        /* of a launch */
    ACCESS_LOAD,       /* by work-item ITEM: its number, dimension 0 fastest */
    ACCESS_STORE,      /* by work-item ITEM */
    ACCESS_ATOMIC,     /* by work-item ITEM */
    ACCESS_HOST_LOAD,  /* a read, or a mapping for reading */
    ACCESS_HOST_STORE, /* a write, or a mapping for writing; ITEM: a hash of the bytes */
    ACCESS_COPY,       /* from address ITEM, by no processor in particular */
    ACCESS_KINDS
};

struct access_record {
    uint32_t kind, size; /* bytes */
    uint64_t address, item;
};

struct access_launch {
    char kernel[128];
    uint32_t dims, unused;
    uint64_t offset[3], global[3]; /* work-items */
};

#endif
