/* The request as yoke-transform reads it on stdin: a first line, then blobs ("KEY N", N bytes, end of line). Called by
 * client.c; the reader is request.c of the transformer. */
#ifndef YK_TRANSFORM_CLIENT_REQUEST_H
#define YK_TRANSFORM_CLIENT_REQUEST_H

#include <stddef.h>
#include <stdio.h>
#include "transform/client.h"

#define YK_REQUEST_MAGIC "yoke-request 1\n"
/* What the source of a linked program begins with (client_linked.h), in front of its parts' blobs. */
#define YK_LINKED_MAGIC "\177yoke-linked 1\n"

/** REQ as text. Owns: *TEXT is the caller's, free() it. Thread: any. Errors: YK_EINVAL, YK_ENOMEM. */
yk_status yk_client_request_write(const struct yk_transform_request *req, char **text, size_t *n);

/** One blob. Errors: the stream's. */
void yk_client_request_blob(FILE *f, const char *key, const char *p, size_t n);

#endif
