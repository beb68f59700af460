/* When bytes are moved so that launches to come can be divided. A division whose devices lack bytes may lose once and
 * win ever after, since what has moved stays; whether there are launches to come nobody says. Like renting skis: what
 * not dividing has cost so far is held against the price of moving. Who uses it: divide.c. Pure.
 * Source: competitive snoopy caching (Karlin, Manasse, Rudolph, Sleator, Algorithmica 3, 1988), with a factor for
 * caution, and one that grows while moving does not help. */
#ifndef YK_SHIM_QUEUE_MOVES_H
#define YK_SHIM_QUEUE_MOVES_H

#include <stdbool.h>

/* Of one kernel. All zero: nothing has happened. */
struct yk_moves {
    double forgone_ms; /* what launches since the last move would have gained, had their bytes been there */
    unsigned kept;     /* launches whose bytes lay as the last one's */
    unsigned tries;    /* moves after which the bytes did not stay where they were needed */
    unsigned stayed;   /* launches since the last move that were divided without another */
    double owed_ms;    /* what divisions have cost more than the launches alone, all together */
};

/**
 * A launch would gain GAIN_MS by being divided if its bytes were there, and bringing them costs COST_MS. AHEAD_MS: what
 * launches to come are expected to gain, from earlier processes; 0: nobody knows. True: move, and it is noted.
 */
bool yk_moves_pay(struct yk_moves *m, double gain_ms, double cost_ms, double ahead_ms);

/** After yk_moves_pay has said no: how many more such launches until it says yes; at least 1. */
double yk_moves_wait(const struct yk_moves *m, double gain_ms, double cost_ms, double ahead_ms);

/** A launch pays as it is, with what it lacks brought. */
void yk_moves_stayed(struct yk_moves *m);

/**
 * A divided launch has cost LOST_MS more than the ALONE_MS that it takes alone, with what it moved and what others had
 * to bring because its results lay apart; less than 0: it has won. FORGIVING: what it wins pays for all. SPENT_MS: what
 * the kernel's launches would have taken alone until now. True: such launches have lost too much to go on. Times
 * scatter: not each loss counts, but what all of them have cost.
 */
bool yk_moves_lost(struct yk_moves *m, double lost_ms, double alone_ms, double spent_ms, bool forgiving);

#endif
