/* What lanes are made of: what they share, their kernels' names, what is expected of a read, what is still to come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/diff/lanes.h"

const char *const lanes_names[KERNELS] = {"scale", "move", "turn", "spread", "count", "some", "paint", "blend", "take"};

struct shared shared;

void lanes_check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "lanes: program %u: %s: error %d\n", shared.seed, what, err);
    exit(1);
}

unsigned lanes_draw(uint64_t *state, unsigned n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % n;
}

void *lanes_make(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        lanes_check(CL_OUT_OF_HOST_MEMORY, "malloc");
    return p;
}

/* What B is: a buffer, or an image behind them. */
static const char *kind(unsigned b)
{
    return b < BUFFERS ? "buffer" : "image";
}

static unsigned number(unsigned b)
{
    return b < BUFFERS ? b : b - BUFFERS;
}

void lanes_note(struct lane *l, const char *what, unsigned b, unsigned at, unsigned n)
{
    snprintf(l->log[l->nlog++ % LOG], sizeof l->log[0], "%s %s %u, %u %s at %u", what, kind(b), number(b), n,
             b < BUFFERS ? "words" : "rows", at);
}

void lanes_compare(struct lane *l, const char *how, const int *got, const int *expected, unsigned b, unsigned at,
                   unsigned n)
{
    if (!memcmp(got, expected, n * sizeof(int)))
        return;
    unsigned i = 0, wrong = 0;
    while (got[i] == expected[i])
        i++;
    for (unsigned k = i; k < n; k++)
        wrong += got[k] != expected[k];
    __atomic_store_n(&shared.failed, true, __ATOMIC_RELAXED);
    flockfile(stderr);
    fprintf(stderr, "lanes: program %u: %s of %s %u, %u words at %u: at %u there is %d instead of %d; %u differ\n",
            shared.seed, how, kind(b), number(b), n, at, at + i, got[i], expected[i], wrong);
    for (unsigned k = l && l->nlog > LOG ? l->nlog - LOG : 0; l && k < l->nlog; k++)
        fprintf(stderr, "  lane %u: %s\n", l->id, l->log[k % LOG]);
    funlockfile(stderr);
}

void lanes_finish(struct lane *l)
{
    lanes_check(clFinish(l->queue), "clFinish");
    for (unsigned i = 0; i < l->nlater; i++) {
        struct later *r = &l->later[i];
        if (r->expected)
            lanes_compare(l, "a read that was not waited for", r->memory, r->expected, r->b, r->at, r->n);
        free(r->memory);
        free(r->expected);
    }
    l->nlater = 0;
}

int *lanes_keep(struct lane *l, unsigned b, unsigned at, unsigned n, const int *expected)
{
    if (l->nlater == LATER)
        lanes_finish(l);
    struct later *r = &l->later[l->nlater++];
    *r = (struct later){lanes_make(n * sizeof(int)), NULL, b, at, n};
    if (expected) {
        r->expected = lanes_make(n * sizeof(int));
        memcpy(r->expected, expected, n * sizeof(int));
    }
    return r->memory;
}

unsigned lanes_some_of(struct lane *l, unsigned b, unsigned *at)
{
    struct piece p = l->piece[b];
    *at = p.at;
    if (!p.n)
        return 0;
    bool all = lanes_draw(&l->state, 3) == 0;
    unsigned from = all ? 0 : lanes_draw(&l->state, p.n), n = all ? p.n : 1 + lanes_draw(&l->state, p.n - from);
    *at = p.at + from;
    return n;
}
