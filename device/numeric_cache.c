/* Results of numeric probes on disk: one small text file each, named by its key. A file is not trusted: what does not
 * check is removed and made again. */
#include "base/env.h"
#include "base/log.h"
#include "device/numeric.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 128 };

static bool path_of(struct yk_hash key, const char *suffix, char *path, size_t n)
{
    char dir[PATH_MAX - 64], hex[33];
    if (yk_dir("cache", "numeric", dir, sizeof dir) != YK_OK)
        return false;
    yk_hash_hex(key, hex);
    return snprintf(path, n, "%s/%s%s", dir, hex, suffix) < (int)n;
}

/* The whole text of the record of RESULT under KEY; the check also covers the key, so that a renamed file is bad. */
static void format(struct yk_hash key, struct yk_hash result, char out[RECORD])
{
    char hex[33], check[33];
    struct yk_hash both[2] = {key, result};
    yk_hash_hex(result, hex);
    yk_hash_hex(yk_hash_bytes((struct yk_hash){0, 0}, both, sizeof both), check);
    snprintf(out, RECORD, "yoke-numeric 1 %s %s\n", hex, check);
}

bool yk_numeric_cache_get(struct yk_hash key, struct yk_hash *result)
{
    char path[PATH_MAX], text[RECORD] = "", want[RECORD];
    unsigned long long hi, lo;
    if (!path_of(key, "", path, sizeof path))
        return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n > 0 && sscanf(text, "yoke-numeric 1 %16llx%16llx", &hi, &lo) == 2) {
        struct yk_hash r = {.lo = lo, .hi = hi};
        format(key, r, want);
        if (!strcmp(text, want)) {
            *result = r;
            return true;
        }
    }
    yk_info("%s is damaged and is removed", path);
    unlink(path);
    return false;
}

void yk_numeric_cache_put(struct yk_hash key, struct yk_hash result)
{
    char path[PATH_MAX], temporary[PATH_MAX], text[RECORD], suffix[32];
    snprintf(suffix, sizeof suffix, ".%d", (int)getpid());
    if (!path_of(key, "", path, sizeof path) || !path_of(key, suffix, temporary, sizeof temporary))
        return;
    format(key, result, text);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        if (errno == EEXIST) /* left by a process of the same number that was killed */
            unlink(temporary);
        return;
    }
    bool ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    ok = !close(fd) && ok;
    if (!ok || rename(temporary, path))
        unlink(temporary);
}
