/* What one does with a plan besides running it: count its cost, check it, save it, load it, print it.
 * Called by solver/, the cli and tests; never searches, never reads a table's values. */
#ifndef YK_SOLVER_PLAN_TOOLS_H
#define YK_SOLVER_PLAN_TOOLS_H

#include <stdio.h>
#include "solver/network.h"
#include "solver/plan.h"
#include "solver/search/search.h"

/**
 * Is P a plan of NET: every leaf and every inner node used once, children before parents, each variable summed exactly
 * where its last factor joins, scopes right and without repetition, sliced variables in no scope.
 * Errors: YK_EFORMAT with a sentence in MSG. Cost: O(sum of scopes). Thread: any.
 */
yk_status yk_solver_plan_check(const struct yk_solver_plan *p, const struct yk_network *net, char *msg, size_t n);

/** Fill the figures of P (operations, largest, slices, seconds under MODEL) and peak_bytes: of PR, or of MAR if
 * MARGINALS: then every forward table is kept until its node has been differentiated, and the adjoints of a node's
 * children are made together. Leaf tables belong to the network and are not counted. Cost: O(sum of scopes). */
void yk_solver_plan_account(struct yk_solver_plan *p, const struct yk_network *net, const struct yk_search_model *model,
                            bool marginals);

/** Multiply-adds of node I in one slice: the product of the domains of all its variables x max(1, children - 1). */
double yk_solver_plan_node_operations(const struct yk_solver_plan *p, uint32_t i);

/** Write P as text to PATH. Errors: YK_EIO with a sentence in MSG. */
yk_status yk_solver_plan_save(const struct yk_solver_plan *p, const struct yk_network *net, const char *path, char *msg,
                              size_t n);

/** Read a plan that was saved for a network of the same domains and scopes; checked with yk_solver_plan_check; its
 * figures are recomputed with MODEL and MARGINALS. Errors: YK_EIO, YK_EFORMAT (with file:line), YK_EINVAL (another
 * network's plan); P is then empty. */
yk_status yk_solver_plan_load(struct yk_solver_plan *p, const struct yk_network *net, const char *path,
                              const struct yk_search_model *model, bool marginals, char *msg, size_t n);

/** The same from an open file; NAME is for messages. */
yk_status yk_solver_plan_read(struct yk_solver_plan *p, const struct yk_network *net, FILE *f, const char *name,
                              const struct yk_search_model *model, bool marginals, char *msg, size_t n);

/** Tree and figures for a person: one line per node, indented by depth, at most MAX_NODES lines (0: all). */
void yk_solver_plan_print(FILE *f, const struct yk_solver_plan *p, const struct yk_network *net, uint32_t max_nodes);

#endif
