/* The model of test_model.c: memories, the objects and queues that see them, and what has been enqueued. Its commands
 * are in test_model.c and model_transfers.c. */
#ifndef YK_TESTS_STUB_SHIM_MODEL_H
#define YK_TESTS_STUB_SHIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "tests/stub/shim/shim.h"

enum { MEMORIES = 5, OBJECTS = 3 * MEMORIES, MOST = 16384, STEPS = 60, READS = 64 };

struct memory { /* one buffer's bytes */
    unsigned char *model, *app;
    size_t size;
};

struct object {
    cl_mem mem;
    struct memory *of;
    size_t origin, size;
};

struct pending { /* a read that has not been looked at yet */
    unsigned char *got, *want;
    size_t size;
};

extern struct world {
    struct shim s;
    cl_command_queue queue[2];
    bool ordered; /* both are in-order queues */
    struct memory memory[MEMORIES];
    struct object object[OBJECTS];
    unsigned n;
    struct pending read[READS];
    unsigned nreads;
    cl_event last, gate; /* of the last command; NULL: none */
    unsigned gated;      /* steps until the gate opens */
    cl_kernel fill, add, copy, rows;
    uint64_t random;
    unsigned long seed, step;
    size_t compared; /* bytes that were read, all as they should be */
    const char *what;
} w;

static inline size_t below(size_t n)
{
    w.random = w.random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(w.random >> 33) % n;
}

static inline void compare(const unsigned char *got, const unsigned char *want, size_t n)
{
    w.compared += n;
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i])
            ck_abort_msg("seed %lu step %lu (%s): byte %zu of %zu is %02x instead of %02x", w.seed, w.step, w.what, i,
                         n, got[i], want[i]);
}

static inline void open_gate(void)
{
    if (!w.gate)
        return;
    OK(clSetUserEventStatus(w.gate, CL_COMPLETE));
    OK(clReleaseEvent(w.gate));
    w.gate = NULL;
}

static inline void look_at_reads(void)
{
    for (unsigned i = 0; i < w.nreads; i++) {
        compare(w.read[i].got, w.read[i].want, w.read[i].size);
        free(w.read[i].got);
        free(w.read[i].want);
    }
    w.nreads = 0;
}

static inline void sync_all(void)
{
    open_gate();
    for (int i = 0; i < 2; i++)
        OK(clFinish(w.queue[i]));
    look_at_reads();
}

/* The queue of the next command and what it must wait for. */
struct turn {
    cl_command_queue q;
    cl_event wait[2], made;
    cl_uint n;
};

static inline struct turn turn(void)
{
    struct turn t = {.q = w.queue[below(2)]};
    if (w.last)
        t.wait[t.n++] = w.last;
    if (w.gate && below(2))
        t.wait[t.n++] = w.gate;
    return t;
}

#define WAITS(t) (t).n, (t).n ? (t).wait : NULL, &(t).made

static inline void done(struct turn *t)
{
    if (w.last)
        OK(clReleaseEvent(w.last));
    w.last = t->made;
    OK(clFlush(t->q));
}

static inline struct object *any(void)
{
    return &w.object[below(w.n)];
}

static inline unsigned char *bytes_of(const struct object *o)
{
    return o->of->model + o->origin;
}

/* A piece of an object of SIZE bytes. */
static inline void piece(size_t size, size_t grain, size_t *off, size_t *len)
{
    *len = (1 + below(size / grain)) * grain;
    if (below(3) == 0)
        *len = size / grain * grain;
    *off = below((size - *len) / grain + 1) * grain;
}

/* model_transfers.c: enqueue one, of a random object, and do it in the model. */
void model_write(void);
void model_read(void);
void model_fill(void);
void model_copy(void);
void model_rect(bool read);
void model_copy_rect(void);
void model_map(void);

#endif
