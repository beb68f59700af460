/* The OpenCL program whose rounds bench/patterns measures: its objects and what all rounds do alike. Each call exits
 * with 1 and a message where OpenCL fails or a result is wrong. Who uses it: patterns_rounds.c, patterns_probe.c. */
#ifndef YK_BENCH_PATTERNS_PROGRAM_H
#define YK_BENCH_PATTERNS_PROGRAM_H

#include <CL/cl.h>

enum { WIDTH = 1024, ITEMS = WIDTH * WIDTH, BYTES = ITEMS * 4, GROUP = 64 };

extern struct patterns_program {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue, second;
    cl_program program;
    cl_kernel step, other, slow, again, sample; /* sample: NULL without images */
    cl_mem in, out, flag;                       /* BYTES, BYTES, 4 */
    unsigned *from, *to;                        /* ITEMS of the program's own, the input and for results */
} w;

/* OpenCL C of its kernels. */
extern const char patterns_source[];

/** Everything of the above, on device NUMBER of all platforms. */
void patterns_set_up(unsigned number);

void patterns_check(cl_int err, const char *what);

/** The device cannot do it, since WHY: says so and ends the process. */
void patterns_none(const char *why);

/** What step and sample make of X with K, and slow and again N times over. */
unsigned patterns_mixed(unsigned x, unsigned k);

/** Are some of the N results at AT, of input item FIRST on, what step and sample make of it with K? */
void patterns_look(const unsigned *at, unsigned first, unsigned n, unsigned k);

cl_mem patterns_buffer(cl_mem_flags flags, size_t bytes, void *host);

/** KERNEL over ITEMS, from A to B with K. */
void patterns_launch(cl_command_queue q, cl_kernel kernel, cl_mem a, cl_mem b, unsigned k, size_t items, cl_uint n,
                     const cl_event *wait, cl_event *event);

/** Blocking: BYTES at AT of M to the same place of w.to; w.from to w.in. */
void patterns_read(cl_mem m, size_t at, size_t bytes);
void patterns_write(void);

/** All of a buffer of BYTES, blocking; unmapping is only enqueued. */
void *patterns_map(cl_mem m, cl_map_flags flags);
void patterns_unmap(cl_mem m, void *at);

#endif
