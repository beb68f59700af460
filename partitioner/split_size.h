/* Into how many splits a launch beside its own transfers is best cut, found out by its own repetitions: each candidate
 * is tried on real launches, and the best stays. After COSP (shared papers' 001, "Heuristic Algorithm"), which tells
 * kernels apart by one split: where copies take longest (its type 1) larger splits use the link better, where the
 * kernel does (type 2) smaller ones fill the ends, of all others (type 3) both are candidates. COSP runs a split alone
 * for that; here the first launches show which stage bounds them, and no run is only for tuning. Pure; who uses it:
 * shim/queue/stages_learned.c. */
#ifndef YK_PARTITIONER_SPLIT_SIZE_H
#define YK_PARTITIONER_SPLIT_SIZE_H

#include <stdbool.h>

enum { YK_SPLIT_SIZES = 4 };

struct yk_split_size {
    unsigned splits[YK_SPLIT_SIZES]; /* candidates, the first of which is the one to start from */
    unsigned n, most;
    double best_ms[YK_SPLIT_SIZES]; /* the best time; 0: not tried */
    unsigned tries[YK_SPLIT_SIZES];
    unsigned at; /* the candidate that is being tried; n: all have been */
};

/** FIRST splits to start from, MOST at most. */
struct yk_split_size yk_split_size_start(unsigned first, unsigned most);

/** How many splits the next launch should have. Cost: loads. */
unsigned yk_split_size_next(const struct yk_split_size *s);

/** The best time of a launch in so many, as far as known. */
double yk_split_size_ms(const struct yk_split_size *s);

/** A launch in so many SPLITS took MS with its transfers, of which the longer way alone would take COPY_MS and the
 * kernel KERNEL_MS (0: not known). True: nothing more is to be tried. */
bool yk_split_size_took(struct yk_split_size *s, unsigned splits, double ms, double copy_ms, double kernel_ms);

#endif
