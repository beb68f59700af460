#include "transform/included.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

struct search {
    const struct yk_options *options;
    const char *own; /* folder of the request's headers; "" where it has none */
    struct yk_names *names;
    struct yk_arena *arena;
};

bool yk_included_marker(const char *p, const char *end, char *path, size_t n)
{
    if (end - p < 5 || p[0] != '#' || p[1] != ' ' || p[2] < '0' || p[2] > '9')
        return false;
    const char *q = memchr(p, '"', (size_t)(end - p));
    size_t used = 0;
    for (q = q ? q + 1 : end; q < end && *q != '"' && used + 1 < n; q++) {
        if (*q == '\\' && q + 1 < end)
            q++;
        path[used++] = *q;
    }
    path[used] = 0;
    return true;
}

static bool read_whole(const char *path, char **text, size_t *n)
{
    FILE *f = fopen(path, "re");
    struct stat st;
    *text = NULL;
    bool ok = f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) && (*text = malloc((size_t)st.st_size + 1));
    if (ok)
        *n = fread(*text, 1, (size_t)st.st_size, f);
    if (f)
        fclose(f);
    return ok;
}

typedef YK_ARRAY(struct yk_facts_file) file_array;

static bool add_file(struct search *j, file_array *files, struct yk_facts_file file)
{
    for (size_t i = 0; i < files->n; i++)
        if (!strcmp(files->v[i].path, file.path))
            return true;
    size_t own = strlen(j->own); /* what came with the request is no file of the user's */
    if (own && !strncmp(file.path, j->own, own))
        return true;
    return file.path && yk_array_push(files, file);
}

/* Hash the file at PATH and take its names in; what a #line invented is no file. */
static yk_status scan_file(struct search *j, file_array *files, const char *path)
{
    char *text;
    size_t n;
    if (!read_whole(path, &text, &n))
        return YK_OK;
    yk_status s = yk_names_add(j->names, text, n);
    struct yk_facts_file file = {yk_arena_strndup(j->arena, path, strlen(path)),
                                 yk_hash_bytes((struct yk_hash){0, 0}, text, n).lo, false};
    free(text);
    return s == YK_OK && !(file.path && add_file(j, files, file)) ? YK_ENOMEM : s;
}

/* The folders that are searched before or after the one in which a file was found, and do not have it. */
static bool add_absent(struct search *j, file_array *files, const char *dir, const char *name)
{
    const char *path = dir[0] ? yk_arena_printf(j->arena, "%s/%s", dir, name) : name;
    struct yk_facts_file file = {path, 0, true};
    return path && (!access(path, F_OK) || add_file(j, files, file));
}

/* What would take the place of FOUND (one of the first N files) if it came to exist. */
static bool shadows(struct search *j, file_array *files, const char *found, size_t n)
{
    const struct yk_options *o = j->options;
    for (unsigned i = 0; i < o->npre; i++) {
        const char *dir = o->pre[i] + 2;
        size_t len = strlen(dir);
        if (o->pre[i][1] != 'I' || strncmp(found, dir, len) || found[len] != '/')
            continue;
        const char *name = found + len + 1;
        bool ok = add_absent(j, files, "", name); /* beside the program itself */
        for (unsigned k = 0; ok && k < i; k++)
            ok = o->pre[k][1] != 'I' || add_absent(j, files, o->pre[k] + 2, name);
        for (size_t k = 0; ok && k < n; k++) { /* beside a file that includes it */
            const char *slash = strrchr(files->v[k].path, '/');
            const char *by =
                slash ? yk_arena_strndup(j->arena, files->v[k].path, (size_t)(slash - files->v[k].path)) : "";
            ok = by && add_absent(j, files, by, name);
        }
        if (!ok)
            return false;
    }
    return true;
}

yk_status yk_included_find(const char *marked, size_t n, const struct yk_options *o, const char *own,
                           struct yk_names *names, struct yk_arena *a, struct yk_facts_file **file, unsigned *nfiles)
{
    struct search j = {.options = o, .own = own, .names = names, .arena = a};
    file_array files = {0};
    char path[PATH_MAX], last[PATH_MAX] = "";
    yk_status s = YK_OK;
    for (const char *p = marked, *end = p + n; p < end && s == YK_OK;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        if (yk_included_marker(p, stop, path, sizeof path) && path[0] && path[0] != '<' && strcmp(path, last)) {
            bool known = false;
            for (size_t i = 0; i < files.n && !known; i++)
                known = !strcmp(files.v[i].path, path);
            s = known ? YK_OK : scan_file(&j, &files, path);
            strcpy(last, path);
        }
        p = stop + 1;
    }
    for (size_t i = 0, found = files.n; i < found && s == YK_OK; i++)
        s = shadows(&j, &files, files.v[i].path, found) ? YK_OK : YK_ENOMEM;
    *file = yk_arena_array(a, struct yk_facts_file, files.n);
    *nfiles = (unsigned)files.n;
    if (*file && files.n)
        memcpy(*file, files.v, files.n * sizeof *files.v);
    yk_array_finish(&files);
    return *file ? s : YK_ENOMEM;
}
