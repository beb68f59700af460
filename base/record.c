#include "base/record.h"
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

enum { DAY = 24 * 3600, KEPT = 30 * DAY, PRUNED_EVERY = 64 };

static bool path_of(const struct yk_record_kind *k, struct yk_hash key, char *path, size_t n)
{
    char dir[PATH_MAX], hex[33];
    if (yk_dir("cache", k->folder, dir, sizeof dir) != YK_OK)
        return false;
    yk_hash_hex(key, hex);
    return snprintf(path, n, "%s/%s", dir, hex) < (int)n;
}

static char *read_file(const char *path, int flags, size_t most, bool touch, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0)
        return NULL;
    struct stat st;
    char *text = NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= most &&
        (text = malloc((size_t)st.st_size + 1))) {
        size_t have = 0;
        ssize_t r;
        while (have < (size_t)st.st_size && (r = read(fd, text + have, (size_t)st.st_size - have)) != 0) {
            if (r < 0 && errno == EINTR)
                continue;
            if (r < 0)
                break;
            have += (size_t)r;
        }
        text[have] = 0;
        *n = have;
        if (touch && time(NULL) - st.st_mtime > DAY)
            futimens(fd, NULL); /* used: not pruned for another month */
    }
    close(fd);
    return text;
}

void *yk_record_read_file(const char *path, size_t most, size_t *n)
{
    return read_file(path, 0, most, false, n);
}

void *yk_record_get(const struct yk_record_kind *k, struct yk_hash key, size_t *n)
{
    char path[PATH_MAX];
    return path_of(k, key, path, sizeof path) ? read_file(path, O_NOFOLLOW, k->most, true, n) : NULL;
}

void yk_record_reject(const struct yk_record_kind *k, struct yk_hash key)
{
    char path[PATH_MAX], aside[PATH_MAX + 8];
    if (!path_of(k, key, path, sizeof path))
        return;
    snprintf(aside, sizeof aside, "%s.bad", path);
    yk_info("%s is damaged; set aside as %s", path, aside);
    if (rename(path, aside))
        unlink(path);
}

static void prune(const char *path)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path), path);
    time_t now = time(NULL);
    DIR *d = now % PRUNED_EVERY ? NULL : opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] != '.' && !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
            now - st.st_mtime > KEPT)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
}

bool yk_record_write(int fd, const void *bytes, size_t n)
{
    const char *from = bytes;
    for (size_t done = 0; done < n;) {
        ssize_t w = write(fd, from + done, n - done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        done += (size_t)w;
    }
    return true;
}

void yk_record_put(const struct yk_record_kind *k, struct yk_hash key, const void *bytes, size_t n)
{
    char path[PATH_MAX], temp[PATH_MAX + 16];
    if (n > k->most || !path_of(k, key, path, sizeof path))
        return;
    snprintf(temp, sizeof temp, "%s.XXXXXX", path);
    int fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0) {
        yk_warn_once("cannot write %s (%s); %s", path, strerror(errno), k->lost);
        return;
    }
    bool done = yk_record_write(fd, bytes, n);
    if (close(fd) || !done || rename(temp, path)) {
        yk_warn_once("cannot write %s (%s); %s", path, strerror(errno), k->lost);
        unlink(temp);
        return;
    }
    prune(path);
}
