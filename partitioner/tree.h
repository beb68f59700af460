/* Placing a tree of tasks on devices: which node runs where, so that the whole is done soonest, transfers included. The
 * pending window of a queue and the bucket trees of the solver are such trees; a chain is one too. Who calls it: the
 * shim's planner, the solver, the simulation. Pure: numbers in, a device per node out. Times in ms, sizes in bytes.
 *
 * Two models of time:
 * - sum: one task or transfer at a time, as in the chapter (acceleration schedule). On a chain without inputs of its
 *   nodes it is exact for the other model too.
 * - overlap: each device runs its nodes in their order, one at a time; each direction of each link carries one transfer
 *   at a time, in the order of the nodes that need them; everything else goes on at once, the bytes that a node needs
 *   from the host are brought as early as the link is free.
 * A result goes from device to device through the host: out over the one's link, in over the other's. */
#ifndef YK_PARTITIONER_TREE_H
#define YK_PARTITIONER_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

enum { YK_TREE_DEVICES = 16, YK_TREE_ROOT = ~0u, YK_TREE_EXACT_NODES = 12 };

struct yk_tree_device {
    double bandwidth; /* bytes per ms of its link, each way; 0: its memory is the host's, nothing is transferred */
    double latency;   /* ms of any transfer over its link */
    unsigned link;    /* below YK_TREE_DEVICES; devices with the same number share one link */
};

struct yk_tree_node {
    unsigned parent;     /* the node that needs its result, of a higher index; YK_TREE_ROOT: nobody */
    double bytes;        /* its result */
    double input_bytes;  /* what it needs from the host besides its children's results */
    const double *ms;    /* [devices]: its time on each; INFINITY: cannot run there. Borrowed */
    double result_bytes; /* a root's: what the host needs of it at the end; else 0 */
};

/* Nodes are in an order in which they may run: children before parents. */
struct yk_tree {
    unsigned nodes, devices; /* devices: 1..YK_TREE_DEVICES */
    const struct yk_tree_node *node;
    const struct yk_tree_device *device;
};

/** Is T as the comments above say, with a device for every node? False: MSG (N bytes) says what is wrong first. */
bool yk_tree_check(const struct yk_tree *t, char *msg, unsigned long n);

/**
 * Time of T with node i on device PLACE[i], everything done and roots' results at the host.
 * Errors: YK_ENOMEM. INFINITY where a node is on a device that cannot run it. Cost: O(nodes).
 */
yk_status yk_tree_time(const struct yk_tree *t, const unsigned *place, double *ms);

/** The same in the sum model. Cost: O(nodes), no memory. */
double yk_tree_sum(const struct yk_tree *t, const unsigned *place);

/**
 * The chapter's dynamic program: the placement of least yk_tree_sum, exactly, into PLACE[nodes].
 * Errors: YK_ENOMEM. Cost: O(nodes * devices^2).
 */
yk_status yk_tree_place_sum(const struct yk_tree *t, unsigned *place);

/**
 * The placement of least yk_tree_time found, into PLACE[nodes], its time into *MS (may be NULL). It is the least of all
 * for up to YK_TREE_EXACT_NODES nodes on up to three devices (branch and bound; on more devices as long as that takes
 * no more steps); else the best of the dynamic program and of the single devices, improved by moving nodes and subtrees
 * while that helps. Never worse than any single device that can run all.
 * Errors: YK_ENOMEM. Cost: bounded by about 2 million node evaluations.
 */
yk_status yk_tree_place(const struct yk_tree *t, unsigned *place, double *ms);

#endif
