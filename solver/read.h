/* Readers of model files: a file or text in, a network (or evidence) out. The cli, benches, tests and fuzzers call
 * them. They never evaluate anything. For all: the network is written whole and ends with yk_network_finish; on an
 * error it is empty and MSG (N bytes) says "file:line: expected ..., found ...". Sizes are checked against the length
 * of the text before memory is taken, so a short file never takes much. Errors: YK_EFORMAT, YK_ENOMEM, YK_EIO. Thread:
 * any. Cost: linear in the text. */
#ifndef YK_SOLVER_READ_H
#define YK_SOLVER_READ_H

#include <stddef.h>
#include "base/status.h"
#include "solver/network.h"

/** A UAI model, MARKOV or BAYES. The yk_*_text functions take the file's text and its name for messages. */
yk_status yk_read_uai_text(const char *name, const char *text, size_t len, struct yk_network *net, char *msg, size_t n);
/** A Bayesian network in BIF, as the bnlearn repository has them. */
yk_status yk_read_bif_text(const char *name, const char *text, size_t len, struct yk_network *net, char *msg, size_t n);
/** Either: BIF if PATH ends with ".bif", else UAI. */
yk_status yk_read_network(const char *path, struct yk_network *net, char *msg, size_t n);

/** Evidence of NET in any of the three forms: "0", "k v x ...", and "1" with "k v x ..." on a line of its own. Where
 * the network has names, they may stand for numbers. EV ends with yk_evidence_finish. */
yk_status yk_read_evidence_text(const char *name, const char *text, size_t len, const struct yk_network *net,
                                struct yk_evidence *ev, char *msg, size_t n);
yk_status yk_read_evidence(const char *path, const struct yk_network *net, struct yk_evidence *ev, char *msg, size_t n);

#endif
