/* What yoke gives out as the binary of a program: the primary's own binary together with source and options, so that
 * the program which loads it in its next run is still split. Who uses it: object/program.c (writes), api/program.c
 * (reads). Nothing read is trusted: sizes and a checksum are tested, and who made it. */
#ifndef YK_SHIM_OBJECT_CONTAINER_H
#define YK_SHIM_OBJECT_CONTAINER_H

#include <stddef.h>

struct yk_container {
    const char *source, *options;
    const unsigned char *binary;
    size_t binary_size;
};

struct yk_container_image {
    unsigned char *bytes; /* on the heap; NULL: none */
    size_t size;
};

enum yk_container_is {
    YK_CONTAINER_NONE, /* somebody else's binary */
    YK_CONTAINER_GOOD,
    YK_CONTAINER_BAD /* damaged, or of another version, machine or driver: to be built anew */
};

/** C as bytes. No bytes: no memory. */
struct yk_container_image yk_container_write(const struct yk_container *c);

/** Parse SIZE BYTES; the parts of *C then point into them. Thread: any. */
enum yk_container_is yk_container_read(const unsigned char *bytes, size_t size, struct yk_container *c);

#endif
