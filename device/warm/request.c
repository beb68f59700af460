#include "device/warm/request.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/env.h"
#include "base/log.h"
#include "base/record.h"

enum { MOST_TEXT = 64 << 20, CHECK = 16 };
static const char magic[] = "yoke-warm 6\n";

static void put_text(FILE *f, const char *text)
{
    fprintf(f, "%zu ", strlen(text));
    fputs(text, f);
    fputc('\n', f);
}

static bool is_sampled(enum yk_warm_arg kind)
{
    return kind == YK_WARM_IMAGE || kind == YK_WARM_SAMPLER;
}

yk_status yk_warm_write(FILE *f, const struct yk_warm_request *r)
{
    fputs(magic, f);
    fprintf(f, "%d %u %u %u\n", r->asker, r->device, r->dims, r->nargs);
    for (unsigned i = 0; i < 3; i++)
        fprintf(f, "%" PRIu64 " %" PRIu64 "\n", r->local[i], r->global[i]);
    for (unsigned i = 0; i < r->nargs; i++) {
        fprintf(f, "%d %" PRIu64 "\n", (int)r->kind[i], r->size[i]);
        for (unsigned k = 0; k < 3 && is_sampled(r->kind[i]); k++)
            fprintf(f, "%" PRIu64 " %" PRIu64 "\n", r->sampled[i].word[k], r->sampled[i].extent[k]);
    }
    put_text(f, r->kernel);
    put_text(f, r->options);
    put_text(f, r->files);
    put_text(f, r->source);
    return fflush(f) || ferror(f) ? YK_EIO : YK_OK;
}

static char *take_text(FILE *f)
{
    size_t n;
    char *text = fscanf(f, "%zu", &n) == 1 && fgetc(f) == ' ' && n <= MOST_TEXT ? malloc(n + 1) : NULL;
    if (!text)
        return NULL;
    text[n] = 0;
    if (fread(text, 1, n, f) == n && fgetc(f) == '\n' && strlen(text) == n)
        return text;
    free(text);
    return NULL;
}

yk_status yk_warm_read(FILE *f, struct yk_warm_request *r)
{
    char head[sizeof magic] = "";
    memset(r, 0, sizeof *r);
    if (!fgets(head, sizeof head, f) || strcmp(head, magic) ||
        fscanf(f, "%d %u %u %u", &r->asker, &r->device, &r->dims, &r->nargs) != 4 || r->asker < 0 || r->dims < 1 ||
        r->dims > 3 || r->nargs > YK_WARM_ARGS)
        return YK_EFORMAT;
    for (unsigned i = 0; i < 3; i++)
        if (fscanf(f, "%" SCNu64 " %" SCNu64, &r->local[i], &r->global[i]) != 2)
            return YK_EFORMAT;
    for (unsigned i = 0; i < r->nargs; i++) {
        int kind;
        if (fscanf(f, "%d %" SCNu64, &kind, &r->size[i]) != 2 || kind < 0 || kind > YK_WARM_NUMBER)
            return YK_EFORMAT;
        r->kind[i] = (enum yk_warm_arg)kind;
        for (unsigned k = 0; k < 3 && is_sampled(r->kind[i]); k++)
            if (fscanf(f, "%" SCNu64 " %" SCNu64, &r->sampled[i].word[k], &r->sampled[i].extent[k]) != 2)
                return YK_EFORMAT;
    }
    r->kernel = take_text(f);
    r->options = take_text(f);
    r->files = take_text(f);
    r->source = take_text(f);
    return r->kernel && r->options && r->files && r->source ? YK_OK : YK_EFORMAT;
}

void yk_warm_finish(struct yk_warm_request *r)
{
    free(r->kernel);
    free(r->options);
    free(r->files);
    free(r->source);
}

bool yk_warm_fresh(const char *files)
{
    while (*files) {
        const char *end = strchr(files, '\n');
        char path[PATH_MAX], *rest;
        uint64_t want = strtoull(files, &rest, 16), is = 0;
        bool absent = *files == '-';
        const char *name = absent ? files + 1 : rest;
        size_t n;
        if (!end || *name != ' ' || snprintf(path, sizeof path, "%.*s", (int)(end - name - 1), name + 1) >= PATH_MAX)
            return false;
        char *bytes = absent ? NULL : yk_record_read_file(path, MOST_TEXT, &n);
        if (bytes)
            is = yk_hash_bytes((struct yk_hash){0, 0}, bytes, n).lo;
        free(bytes);
        if (absent ? access(path, F_OK) == 0 : !bytes || is != want)
            return false;
        files = end + 1;
    }
    return true;
}

bool yk_warm_path(const char *source, const char *files, const char *options, const char *device, char *path, size_t n)
{
    char dir[PATH_MAX - 64], hex[33];
    if (yk_dir("cache", "binary", dir, sizeof dir) != YK_OK)
        return false;
    struct yk_hash h = yk_hash_str(yk_hash_str(yk_hash_str((struct yk_hash){0, 0}, source), options), device);
    if (*files)
        h = yk_hash_str(h, files);
    yk_hash_hex(h, hex);
    return snprintf(path, n, "%s/%s", dir, hex) < (int)n;
}

bool yk_warm_wide(const uint64_t global[3])
{
    enum { WIDE = 65535 };
    return global[0] >= WIDE || global[1] >= WIDE || global[2] >= WIDE;
}

bool yk_warm_mark(const char *source, const char *files, const char *options, const char *device, const char *kernel,
                  const uint64_t local[3], bool wide, char *path, size_t n)
{
    char text[1024];
    int used = snprintf(text, sizeof text, "%s\n%s\n%" PRIu64 "x%" PRIu64 "x%" PRIu64 "%s", device, kernel, local[0],
                        local[1], local[2], wide ? " wide" : "");
    return used < (int)sizeof text && yk_warm_path(source, files, options, text, path, n);
}

/* The check covers the name too, so that a renamed file is bad. */
static struct yk_hash check_of(const char *path, const unsigned char *binary, size_t n)
{
    const char *slash = strrchr(path, '/');
    return yk_hash_bytes(yk_hash_str((struct yk_hash){0, 1}, slash ? slash : path), binary, n);
}

bool yk_warm_get(const char *path, unsigned char **out, size_t *n)
{
    struct stat st;
    unsigned char *bytes = NULL;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > CHECK && st.st_size <= MOST_TEXT &&
              (bytes = malloc((size_t)st.st_size)) != NULL;
    for (size_t at = 0; ok && at < (size_t)st.st_size;) {
        ssize_t r = read(fd, bytes + at, (size_t)st.st_size - at);
        ok = r > 0;
        at += ok ? (size_t)r : 0;
    }
    close(fd);
    if (ok) {
        *n = (size_t)st.st_size - CHECK;
        struct yk_hash h = check_of(path, bytes + CHECK, *n);
        ok = !memcmp(bytes, &h, CHECK);
        if (ok)
            memmove(bytes, bytes + CHECK, *n);
    }
    if (!ok) {
        yk_info("%s is damaged and is removed", path);
        unlink(path);
        free(bytes);
        return false;
    }
    *out = bytes;
    return true;
}

yk_status yk_warm_put(const char *path, const unsigned char *binary, size_t n)
{
    char temporary[PATH_MAX];
    struct yk_hash h = check_of(path, binary, n);
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return YK_EIO;
    bool ok = write(fd, &h, CHECK) == CHECK && write(fd, binary, n) == (ssize_t)n;
    ok = !close(fd) && ok;
    if (ok && rename(temporary, path) == 0)
        return YK_OK;
    unlink(temporary);
    return YK_EIO;
}

bool yk_warm_from_source(const unsigned char *binary, size_t n)
{
    return n == strlen(YK_WARM_FROM_SOURCE) && !memcmp(binary, YK_WARM_FROM_SOURCE, n);
}
