#include "shim/queue/moves.h"

/* A move that turns out to be of no use is undone by another one: with 4 it has cost half of what was forgone before.
 */
static const double caution = 4;

enum { TRIES_MOST = 16, STAYED_LONG = 8 };

bool yk_moves_pay(struct yk_moves *m, double gain_ms, double cost_ms, double ahead_ms)
{
    double price = caution * cost_ms * (double)(1u << 2 * (m->tries < TRIES_MOST / 2 ? m->tries : TRIES_MOST / 2));
    m->forgone_ms += gain_ms;
    if (m->forgone_ms + (m->tries ? 0 : ahead_ms) < price)
        return false;
    m->forgone_ms = 0;
    m->stayed = 0;
    m->tries++;
    return true;
}

void yk_moves_stayed(struct yk_moves *m)
{
    if (m->tries && ++m->stayed >= STAYED_LONG)
        m->tries = m->stayed = 0;
}
