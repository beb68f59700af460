/* The request as yoke-transform reads it on stdin: a first line, then blobs ("KEY N", N bytes, end of line). Called by
 * client.c; the reader is request.c of the transformer. */
#ifndef YK_TRANSFORM_CLIENT_REQUEST_H
#define YK_TRANSFORM_CLIENT_REQUEST_H

#include <stddef.h>
#include "transform/client.h"

#define YK_REQUEST_MAGIC "yoke-request 1\n"

/** REQ as text. Owns: *TEXT is the caller's, free() it. Thread: any. Errors: YK_EINVAL, YK_ENOMEM. */
yk_status yk_client_request_write(const struct yk_transform_request *req, char **text, size_t *n);

#endif
