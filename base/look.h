/* Looking before sleeping: who waits for something that comes within some tens of microseconds looks for it meanwhile,
 * since a thread that sleeps is awake 20 to 40 us after it has been called, as long as a tenth of a short launch.
 * Nobody looks who waited longer the last time, nor where there is one processor. Who uses it: crew.c. */
#ifndef YK_BASE_LOOK_H
#define YK_BASE_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct yk_look {
    uint64_t took; /* the last wait, in ns; 0: there was none */
};

/** Look at *WORD, which others set atomically, until it is not OLD any more, for as long as it pays. False: it still
 * is. Thread: that of L. */
bool yk_look(const struct yk_look *l, const unsigned *word, unsigned old);

/** A wait is over that began at START (yk_now_ns). Thread: that of L. */
void yk_look_over(struct yk_look *l, uint64_t start);

#endif
