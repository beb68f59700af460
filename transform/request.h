/* What the transformer is asked: the request from stdin, parsed. Called by main.c. The input comes from libyoke.so, but
 * a damaged one must be refused and not crash. */
#ifndef YK_TRANSFORM_REQUEST_H
#define YK_TRANSFORM_REQUEST_H

#include "transform/client.h"

/**
 * Read TEXT of N bytes into *REQ. Owns: everything in REQ lies in A. Thread: any.
 * Errors: YK_EFORMAT, YK_ENOMEM; *REQ is not to be used then.
 */
yk_status yk_request_parse(const char *text, size_t n, struct yk_arena *a, struct yk_transform_request *req);

/** The N parts of REQ, whose source is that of a linked program (client_linked.h), each as a request of its own for the
 * same targets. Owns: in A. Errors: YK_EFORMAT, YK_ENOMEM. */
yk_status yk_request_parts(const struct yk_transform_request *req, struct yk_arena *a,
                           struct yk_transform_request **part, unsigned *n);

#endif
