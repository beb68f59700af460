/**
 * What the generator makes and the runner runs: a program's source, its buffers, and for each kernel how it is
 * launched. Plain data, the same for the same seed and limits on every machine. Thread: one at a time.
 */
#ifndef TESTS_DIFF_PLAN_H
#define TESTS_DIFF_PLAN_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_ARGS     24
#define PLAN_LAUNCHES 3
#define PLAN_ALIGN    512 /* bytes; where a sub-buffer may begin on any device */
#define PLAN_VALUE    128 /* bytes of the largest scalar argument: double16 */

enum base { B_CHAR, B_UCHAR, B_SHORT, B_USHORT, B_INT, B_UINT, B_LONG, B_ULONG, B_FLOAT, B_DOUBLE, B_COUNT };

struct base_info {
    const char *name;
    size_t size;
    bool real, is_signed;
};
extern const struct base_info bases[B_COUNT];

/** How a buffer gets its first bytes, and how its last bytes are read. */
enum fill_way { FILL_COPY, FILL_WRITE, FILL_USE, FILL_MAP, FILL_WAYS };
enum read_way { READ_BLOCKING, READ_HALVES, READ_MAP, READ_WAYS };

struct plan_buffer {
    enum base base;
    size_t count;    /* numbers of BASE */
    uint64_t seed;   /* of its first bytes */
    unsigned kernel; /* which made it */
    enum fill_way fill;
    enum read_way read;
    bool written;
    bool part;          /* a sub-buffer of a larger one */
    size_t permutation; /* not 0: the first numbers are 0 .. permutation - 1 in a random order, the others 0 */
    char name[16];
};

enum arg_kind { ARG_BUFFER, ARG_SCALAR, ARG_LOCAL };

struct plan_arg {
    enum arg_kind kind;
    unsigned buffer;
    size_t view_at, view_count; /* not 0: it is given a sub-buffer, these numbers of the buffer */
    size_t bytes;               /* of a scalar, or of local memory */
    unsigned char value[PLAN_LAUNCHES][PLAN_VALUE];
};

struct plan_kernel {
    char name[48];
    unsigned dims;
    size_t global[3], local[3], offset[3];
    bool has_local, has_offset;
    unsigned launches;
    int swap[2]; /* arguments whose buffers change places between launches, or -1 */
    struct plan_arg args[PLAN_ARGS];
    unsigned arg_count;
    bool inexact; /* uses float or double arithmetic */
    bool touched; /* the host writes a piece of its first written buffer between launches */
    unsigned queue;
};

struct plan {
    uint64_t seed;
    struct text source;
    char options[256];
    struct plan_kernel *kernels;
    unsigned kernel_count;
    struct plan_buffer *buffers;
    unsigned buffer_count, buffer_room;
};

struct limits {
    unsigned kernels;   /* per program */
    bool chain;         /* kernels may read what earlier ones wrote */
    bool doubles;       /* fp64 may be used */
    bool apart;         /* each number comes from one work-group of one launch, and from what the host wrote */
    bool plain;         /* leave out what Oclgrind 21.10 computes wrongly (README.md) */
    unsigned inexact;   /* per cent of kernels that compute in float or double */
    unsigned light;     /* per cent of kernels that a driver builds quickly: short expressions, no library functions */
    unsigned optimised; /* per cent of programs that go through the driver's optimiser */
};

/** Make the program of SEED. Ends the process when memory is short. plan_finish frees it. */
void plan_make(struct plan *plan, uint64_t seed, const struct limits *limits);
void plan_finish(struct plan *plan);

/** The first BYTES bytes of BUFFER. */
void plan_buffer_fill(const struct plan_buffer *buffer, void *to);

/** Print the launches in words. */
void plan_print(const struct plan *plan);

#endif
