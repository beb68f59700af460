#include "transform/client_request.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void yk_client_request_blob(FILE *f, const char *key, const char *p, size_t n)
{
    fprintf(f, "%s %zu\n", key, n);
    if (n)
        fwrite(p, 1, n, f);
    putc('\n', f);
}

static void text(FILE *f, const char *key, const char *s)
{
    yk_client_request_blob(f, key, s ? s : "", s ? strlen(s) : 0);
}

yk_status yk_client_request_write(const struct yk_transform_request *req, char **out, size_t *n)
{
    if (!req->ntargets || !req->target || (!req->source && req->size) || (req->nheaders && !req->header))
        return YK_EINVAL;
    FILE *f = open_memstream(out, n);
    if (!f)
        return YK_ENOMEM;
    fputs(YK_REQUEST_MAGIC, f);
    text(f, "options", req->options);
    if (req->merged)
        text(f, "merged", "1");
    if (req->windows)
        text(f, "windows", "1");
    for (unsigned i = 0; i < req->ntargets; i++) {
        const struct yk_transform_target *t = &req->target[i];
        text(f, "target", t->driver);
        text(f, "c_version", t->c_version);
        text(f, "version", t->version);
        text(f, "extensions", t->extensions);
        text(f, "address_bits", t->address_bits == 32 ? "32" : "64");
        text(f, "little_endian", t->little_endian ? "1" : "0");
        text(f, "images", t->images ? "1" : "0");
    }
    for (unsigned i = 0; i < req->nheaders; i++) {
        text(f, "header", req->header[i].name);
        yk_client_request_blob(f, "text", req->header[i].text, req->header[i].size);
    }
    yk_client_request_blob(f, "source", req->source, req->size);
    if (fclose(f)) {
        free(*out);
        return YK_ENOMEM;
    }
    return YK_OK;
}
