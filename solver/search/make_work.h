/* Scratch memory of the tree makers; one per thread. Only make_*.c include it. */
#ifndef YK_SOLVER_SEARCH_MAKE_WORK_H
#define YK_SOLVER_SEARCH_MAKE_WORK_H

#include "solver/search/make.h"

struct make_pair {
    double score;
    uint32_t a, b;
};

struct make_work {
    uint32_t words, nbits, nleaves;
    /* graph of variables: neighbours in some leaf */
    uint64_t *graph;                             /* [nbits * words], constant */
    uint64_t *adj;                               /* [nbits * words], changes as variables go */
    double *score;                               /* [nbits] */
    double *noise;                               /* [nbits] */
    uint64_t *alive, *dirty, *set, *ones, *twos; /* [words] */
    uint32_t *order;                             /* [nbits] */
    /* leaves of each variable: leaf_of[first[v] .. first[v + 1]) */
    uint32_t *first, *leaf_of;
    /* tables while a tree grows; ids are tree nodes */
    uint64_t *legs;   /* [(2 * nleaves) * words] */
    uint32_t *up;     /* [2 * nleaves] the table that this one went into, or itself */
    uint32_t *count;  /* [nbits] tables that hold the variable */
    uint32_t *bucket; /* [2 * nleaves] */
    double *size;     /* [2 * nleaves] */
    uint64_t *mark;   /* [2 * nleaves] stamps */
    uint64_t stamp;
    uint32_t next; /* id of the next table */
    /* METIS */
    int *xadj, *adjncy, *weight, *perm, *iperm;
    /* pairs */
    struct make_pair *heap;
    size_t nheap, heap_cap;
    struct yk_arena arena;
};

/* Growing a tree from its leaves: begin, then nleaves - 1 joins, then tree_recount. */
void grow_begin(const struct problem *p, struct make_work *w);
/* Join the tables A and B; returns the new one's id. */
uint32_t grow_join(struct tree *t, const struct problem *p, struct make_work *w, uint32_t a, uint32_t b);
/* Join what is left (parts without common variables), smallest first, and recount. */
void grow_end(struct tree *t, const struct problem *p, struct make_work *w);
/* The table that holds leaf I now. */
uint32_t grow_find(struct make_work *w, uint32_t i);

#endif
