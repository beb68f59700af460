#include "transform/headers.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/log.h"
#include "base/temp.h"

static bool header_name_ok(const char *name)
{
    return name[0] && name[0] != '/' && !strstr(name, "..") && strlen(name) <= 200;
}

yk_status yk_headers_write(const struct yk_transform_request *req, struct yk_arena *a, char *folder, size_t n,
                           const char **refused)
{
    folder[0] = 0;
    if (!req->nheaders)
        return YK_OK;
    (void)yk_temp_name("yoke-headers", folder, n);
    if (!mkdtemp(folder)) {
        yk_error("cannot make %s: %s", folder, strerror(errno));
        folder[0] = 0;
        return YK_EIO;
    }
    for (unsigned i = 0; i < req->nheaders; i++) {
        const struct yk_transform_header *h = &req->header[i];
        char path[PATH_MAX + 256];
        if (!header_name_ok(h->name)) {
            *refused = yk_arena_printf(a, "the header name %.200s leads elsewhere", h->name);
            return YK_OK;
        }
        snprintf(path, sizeof path, "%s/%s", folder, h->name);
        for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
        FILE *f = fopen(path, "wxe");
        bool ok = f && fwrite(h->text, 1, h->size, f) == h->size;
        if (f)
            ok = !fclose(f) && ok;
        if (!ok) {
            yk_error("cannot write %s: %s", path, strerror(errno));
            return YK_EIO;
        }
    }
    return YK_OK;
}

void yk_headers_remove(const struct yk_transform_request *req, const char *folder)
{
    for (unsigned i = 0; folder[0] && i < req->nheaders; i++) {
        char path[PATH_MAX + 256];
        if (!header_name_ok(req->header[i].name))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, req->header[i].name);
        unlink(path);
        for (char *slash; (slash = strrchr(path, '/')) && slash > path + strlen(folder);) {
            *slash = 0;
            rmdir(path);
        }
    }
    if (folder[0])
        rmdir(folder);
}
