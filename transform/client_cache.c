#include "transform/client_cache.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/record.h"

static const struct yk_record_kind kind = {"facts", "kernels are analysed anew each time", (size_t)256 << 20};

bool yk_client_cache_fresh(const struct yk_facts *f)
{
    for (unsigned i = 0; i < f->nfiles; i++) {
        size_t n;
        if (f->file[i].absent) {
            if (!access(f->file[i].path, F_OK))
                return false;
            continue;
        }
        char *text = yk_record_read_file(f->file[i].path, kind.most, &n);
        bool same = text && yk_hash_bytes((struct yk_hash){0, 0}, text, n).lo == f->file[i].hash;
        free(text);
        if (!same)
            return false;
    }
    return true;
}

/* The folder of PATH or the nearest one above that exists. False: none. */
static bool stat_folder(const char *path, struct stat *st)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return false;
    for (char *slash; (slash = strrchr(folder, '/')) && slash > folder;) {
        *slash = 0;
        if (!stat(folder, st))
            return true;
    }
    return !stat(*path == '/' ? "/" : ".", st);
}

char *yk_client_cache_names(void)
{
    enum { MOST = 1 << 16 }; /* bytes */
    char *names = NULL;
    size_t n;
    DIR *folder = opendir(".");
    FILE *to = folder ? open_memstream(&names, &n) : NULL;
    long written = 0;
    for (const struct dirent *e; to && written < MOST && (e = readdir(folder));)
        written += fprintf(to, "%s%c", e->d_name, 0);
    if (folder)
        closedir(folder);
    if (to && !fclose(to) && written < MOST)
        return names; /* with the NUL behind it */
    free(names);
    return NULL;
}

size_t yk_client_cache_names_size(const char *names)
{
    size_t n = 0;
    while (names && names[n])
        n += strlen(names + n) + 1;
    return n + 1;
}

char *yk_client_cache_names_copy(const char *names)
{
    size_t n = yk_client_cache_names_size(names);
    char *copy = names ? malloc(n) : NULL;
    return copy ? memcpy(copy, names, n) : NULL;
}

/* Was nothing there under PATH, says what was in the current folder? False also where that does not say. */
static bool was_absent(const char *path, const char *names)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    size_t n = strcspn(path, "/");
    if (!names || !n || *path == '.')
        return false;
    while (*names && (strncmp(names, path, n) || names[n]))
        names += strlen(names) + 1;
    return !*names;
}

bool yk_client_cache_older(const struct yk_facts *f, struct timespec t, const char *names)
{
    for (unsigned i = 0; i < f->nfiles; i++) {
        struct stat st;
        const struct yk_facts_file *file = &f->file[i];
        if (file->absent ? !access(file->path, F_OK) || !stat_folder(file->path, &st) : stat(file->path, &st))
            return false;
        if (file->absent && was_absent(file->path, names))
            continue;
        if (st.st_ctim.tv_sec > t.tv_sec || (st.st_ctim.tv_sec == t.tv_sec && st.st_ctim.tv_nsec >= t.tv_nsec))
            return false;
    }
    return true;
}

bool yk_client_cache_get(struct yk_hash key, struct yk_facts *out)
{
    size_t n;
    char *text = yk_record_get(&kind, key, &n);
    if (!text)
        return false;
    yk_status s = yk_facts_parse(text, n, out);
    free(text);
    if (s == YK_OK) {
        if (yk_client_cache_fresh(out))
            return true;
        yk_facts_finish(out);
        return false;
    }
    if (s == YK_EFORMAT)
        yk_record_reject(&kind, key);
    return false;
}

void yk_client_cache_put(struct yk_hash key, const char *text, size_t n)
{
    yk_record_put(&kind, key, text, n);
}
