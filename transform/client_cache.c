#include "transform/client_cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/env.h"
#include "base/log.h"

enum { MAX_RECORD = 256 << 20 };

static bool path_of(struct yk_hash key, char *path, size_t n)
{
    char dir[PATH_MAX], hex[33];
    if (yk_dir("cache", "facts", dir, sizeof dir) != YK_OK)
        return false;
    yk_hash_hex(key, hex);
    return snprintf(path, n, "%s/%s", dir, hex) < (int)n;
}

/* All of a regular file. */
static char *read_file(const char *path, int flags, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0)
        return NULL;
    struct stat st;
    char *text = NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_RECORD && (text = malloc((size_t)st.st_size + 1))) {
        size_t have = 0;
        ssize_t r;
        while (have < (size_t)st.st_size && (r = read(fd, text + have, (size_t)st.st_size - have)) != 0) {
            if (r < 0 && errno == EINTR)
                continue;
            if (r < 0)
                break;
            have += (size_t)r;
        }
        *n = have;
    }
    close(fd);
    return text;
}

bool yk_client_cache_fresh(const struct yk_facts *f)
{
    for (unsigned i = 0; i < f->nfiles; i++) {
        size_t n;
        if (f->file[i].absent) {
            if (!access(f->file[i].path, F_OK))
                return false;
            continue;
        }
        char *text = read_file(f->file[i].path, 0, &n);
        bool same = text && yk_hash_bytes((struct yk_hash){0, 0}, text, n).lo == f->file[i].hash;
        free(text);
        if (!same)
            return false;
    }
    return true;
}

bool yk_client_cache_get(struct yk_hash key, struct yk_facts *out)
{
    char path[PATH_MAX], aside[PATH_MAX + 8];
    size_t n;
    if (!path_of(key, path, sizeof path))
        return false;
    char *text = read_file(path, O_NOFOLLOW, &n);
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
    if (s == YK_EFORMAT) {
        snprintf(aside, sizeof aside, "%s.bad", path);
        yk_info("%s is damaged; set aside as %s", path, aside);
        if (rename(path, aside))
            unlink(path);
    }
    return false;
}

/* Records nobody asked anew for a month go; looked at now and then only. */
static void prune(const char *path)
{
    enum { SECONDS = 30 * 24 * 3600, EVERY = 64 };
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path), path);
    time_t now = time(NULL);
    DIR *d = now % EVERY ? NULL : opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] != '.' && !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
            now - st.st_mtime > SECONDS)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
}

void yk_client_cache_put(struct yk_hash key, const char *text, size_t n)
{
    char path[PATH_MAX], temp[PATH_MAX + 16];
    if (!path_of(key, path, sizeof path))
        return;
    snprintf(temp, sizeof temp, "%s.XXXXXX", path);
    int fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0) {
        yk_warn_once("cannot write %s (%s); kernels are analysed anew each time", path, strerror(errno));
        return;
    }
    size_t done = 0;
    while (done < n) {
        ssize_t w = write(fd, text + done, n - done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            break;
        done += (size_t)w;
    }
    if (close(fd) || done < n || rename(temp, path)) {
        yk_warn_once("cannot write %s (%s); kernels are analysed anew each time", path, strerror(errno));
        unlink(temp);
        return;
    }
    prune(path);
}
