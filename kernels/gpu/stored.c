#include "kernels/gpu/stored.h"
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

enum { MAX_RECORD = 16 << 20 };

struct head {
    char magic[8];
    uint64_t bytes;
    struct yk_hash sum; /* of the bytes, chained onto the key: a record under another's name is bad too */
};
static const char magic[8] = "ykcubin";

static bool path_of(struct yk_hash key, char *path, size_t n)
{
    char dir[PATH_MAX], hex[33];
    if (yk_dir("cache", "sumproduct", dir, sizeof dir) != YK_OK)
        return false;
    yk_hash_hex(key, hex);
    return snprintf(path, n, "%s/%s", dir, hex) < (int)n;
}

static void set_aside(const char *path)
{
    char aside[PATH_MAX + 8];
    snprintf(aside, sizeof aside, "%s.bad", path);
    yk_info("%s is damaged; set aside as %s", path, aside);
    if (rename(path, aside))
        unlink(path);
}

static bool read_all(int fd, void *to, size_t n)
{
    for (size_t have = 0; have < n;) {
        ssize_t r = read(fd, (char *)to + have, n - have);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        have += (size_t)r;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t w = write(fd, (const char *)from + done, n - done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        done += (size_t)w;
    }
    return true;
}

void *yk_gpu_stored_get(struct yk_hash key, size_t *n)
{
    char path[PATH_MAX];
    struct stat st;
    struct head h;
    if (!path_of(key, path, sizeof path))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    void *bytes = NULL;
    bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof h && st.st_size <= MAX_RECORD &&
                read_all(fd, &h, sizeof h) && memcmp(h.magic, magic, sizeof magic) == 0 && h.bytes > 0 &&
                h.bytes == (uint64_t)st.st_size - sizeof h;
    if (good && (bytes = malloc(h.bytes))) {
        good = read_all(fd, bytes, h.bytes);
        struct yk_hash sum = yk_hash_bytes(key, bytes, good ? h.bytes : 0);
        good = good && sum.lo == h.sum.lo && sum.hi == h.sum.hi;
    }
    if (good && time(NULL) - st.st_mtime > 24 * 3600)
        futimens(fd, NULL); /* used: not pruned for another month */
    close(fd);
    if (good) {
        *n = h.bytes;
        return bytes;
    }
    free(bytes);
    set_aside(path);
    return NULL;
}

void yk_gpu_stored_reject(struct yk_hash key)
{
    char path[PATH_MAX];
    if (path_of(key, path, sizeof path))
        set_aside(path);
}

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

void yk_gpu_stored_put(struct yk_hash key, const void *bytes, size_t n)
{
    char path[PATH_MAX], temp[PATH_MAX + 16];
    struct head h = {.bytes = n, .sum = yk_hash_bytes(key, bytes, n)};
    if (n > MAX_RECORD - sizeof h || !path_of(key, path, sizeof path))
        return;
    memcpy(h.magic, magic, sizeof magic);
    snprintf(temp, sizeof temp, "%s.XXXXXX", path);
    int fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0) {
        yk_warn_once("cannot write %s (%s); kernels are compiled anew each time", path, strerror(errno));
        return;
    }
    bool done = write_all(fd, &h, sizeof h) && write_all(fd, bytes, n);
    if (close(fd) || !done || rename(temp, path)) {
        yk_warn_once("cannot write %s (%s); kernels are compiled anew each time", path, strerror(errno));
        unlink(temp);
        return;
    }
    prune(path);
}
