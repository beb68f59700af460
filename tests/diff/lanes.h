/* A lane: an in-order queue, the pieces of the buffers and images that are its own for the moment, and what it does in
 * them (lanes_operate.c, lanes_texels.c) beside the model of what they hold (lanes_model.c). Who uses it: lanes.c. */
#ifndef YK_TESTS_DIFF_LANES_H
#define YK_TESTS_DIFF_LANES_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

enum { BUFFERS = 4, CELLS = 1 << 15, LATER = 64, LOG = 16, INDICES = 1024, ROW = 32 };
enum { IMAGES = 3, WIDTH = 64, HEIGHT = 256 }; /* of one unsigned 32-bit channel */
enum kernel { SCALE, MOVE, TURN, SPREAD, COUNT, SOME, PAINT, BLEND, TAKE, KERNELS };

struct piece {
    unsigned at, n;
};

/* What a command that has not been waited for still needs, and what it must bring. */
struct later {
    int *memory, *expected; /* EXPECTED: a read, of */
    unsigned b, at, n;
};

struct lane {
    unsigned id, nlater, nlog;
    uint64_t state;
    cl_command_queue queue;
    cl_kernel kernel[KERNELS];
    struct piece piece[BUFFERS], rows[IMAGES];
    struct later later[LATER];
    char log[LOG][80];
};

/* What all lanes share: buffers of CELLS words; the host's model of them, a lane's words written by its thread alone.
 */
struct shared {
    unsigned seed;
    bool failed; /* atomic */
    cl_mem index, buffer[BUFFERS];
    int indices[INDICES], model[BUFFERS][CELLS];
    cl_mem image[IMAGES]; /* NULL: no images */
    int texels[IMAGES][WIDTH * HEIGHT];
};
extern struct shared shared;

/* The kernels' text and names, in the order of the enumeration; those of images are the last three. */
extern const char lanes_source[], lanes_texels_source[];
extern const char *const lanes_names[KERNELS];

/* Ends the process unless ERR is CL_SUCCESS. */
void lanes_check(cl_int err, const char *what);

void *lanes_make(size_t bytes);
unsigned lanes_draw(uint64_t *state, unsigned n);

/* GOT is what is at AT of buffer B. Where it differs from what is EXPECTED that is printed, with what L, if it is one,
 * has done last. */
void lanes_compare(struct lane *l, const char *how, const int *got, const int *expected, unsigned b, unsigned at,
                   unsigned n);

/* Something that L draws, in its pieces; MAPS: it may map. */
void lanes_operate(struct lane *l, bool maps);

/* The same with images. */
void lanes_texels(struct lane *l, bool maps);

/* A part of L's piece of buffer B, in words; how many, from *AT. */
unsigned lanes_some_of(struct lane *l, unsigned b, unsigned *at);

/* L has done WHAT with N words, of an image rows, at AT of buffer B; images are behind the buffers. */
void lanes_note(struct lane *l, const char *what, unsigned b, unsigned at, unsigned n);

/* Memory of N words for a command that is not waited for, N words of buffer B at AT; EXPECTED: what it must bring. */
int *lanes_keep(struct lane *l, unsigned b, unsigned at, unsigned n, const int *expected);

/* Wait for L's queue, and compare what it has read. */
void lanes_finish(struct lane *l);

#endif
