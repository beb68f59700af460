#include "shim/queue/moves.h"

/* A move that turns out to be of no use is undone by another one: with 4 it has cost half of what was forgone before.
 * What earlier processes let expect is no guess: twice the cost is enough. (What is forgone is expected no longer:
 * their sum stays what it was, and with 4 launches that were to win twice the cost went whole to the end.) */
static const double caution = 4, enough = 2;

enum { TRIES_MOST = 16, STAYED_LONG = 8 };

/* What is still to be forgone. */
static double missing_ms(const struct yk_moves *m, double cost_ms, double ahead_ms)
{
    unsigned tries = m->tries < TRIES_MOST / 2 ? m->tries : TRIES_MOST / 2;
    double missing = caution * cost_ms * (double)(1u << 2 * tries) - m->forgone_ms;
    return m->tries ? missing : ahead_ms >= enough * cost_ms ? 0 : missing - ahead_ms;
}

double yk_moves_wait(const struct yk_moves *m, double gain_ms, double cost_ms, double ahead_ms)
{
    double launches = gain_ms > 0 ? missing_ms(m, cost_ms, ahead_ms) / gain_ms : 1;
    return launches > 1 ? launches : 1;
}

bool yk_moves_pay(struct yk_moves *m, double gain_ms, double cost_ms, double ahead_ms)
{
    m->forgone_ms += gain_ms;
    if (missing_ms(m, cost_ms, ahead_ms) > 0)
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

bool yk_moves_lost(struct yk_moves *m, double lost_ms, double alone_ms, double spent_ms, bool forgiving)
{
    const double much = 3, most = 10, part = 0.02;
    double owed = forgiving && lost_ms < 0 ? 0 : m->owed_ms + lost_ms, limit = most * alone_ms + 2 * part * spent_ms;
    owed = owed > 0 ? owed : 0;
    m->owed_ms = owed < limit ? owed : limit;
    return m->owed_ms > much * alone_ms + part * spent_ms;
}
